import { PATIENCE_MS } from "../patience.ts";

/** A frame as the server sends it. */
export interface Frame {
  event: string;
  ref?: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into frames of any shape and fails where they differ.
  data: any;
}

/** A bare socket for tests. Keeps every frame in order, and can wait for one. */
export class TestSocket implements Disposable {
  /** A frame with several events, which only compact sockets get, counts as that many. */
  readonly frames: Frame[] = [];
  /** How many frames have arrived on the wire. */
  received = 0;
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #socket: WebSocket;
  readonly #waiting = new Set<() => void>();
  #refs = 0;
  #ended = false;

  private constructor(url: string, headers: Record<string, string>, query: string) {
    this.#socket = new WebSocket(`${url.replace("http", "ws")}/api/ws${query}`, { headers });
    this.closed = new Promise((resolve) => {
      this.#socket.onclose = ({ code, reason }) => {
        this.#ended = true;
        resolve({ code, reason });
        this.#wake();
      };
    });
    this.#socket.onmessage = ({ data }) => {
      this.received += 1;
      this.frames.push(...([JSON.parse(String(data))].flat() as Frame[]));
      this.#wake();
    };
  }

  /** Opens a socket and waits for its `session:ready`. */
  static async open(url: string, headers: Record<string, string> = {}, query = ""): Promise<TestSocket> {
    const socket = new TestSocket(url, headers, query);
    await socket.next((frame) => frame.event === "session:ready");
    return socket;
  }

  sendRaw(text: string | Uint8Array): void {
    this.#socket.send(text);
  }

  /** Sends a command and returns its ack or error frame. */
  async command(event: string, data: unknown = {}): Promise<Frame> {
    const ref = `r${++this.#refs}`;
    this.sendRaw(JSON.stringify({ event, data, ref }));
    return this.next((frame) => frame.ref === ref);
  }

  /** Returns the first frame, past or future, that matches. */
  async next(fits: (frame: Frame) => boolean, timeoutMs = PATIENCE_MS): Promise<Frame> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const found = this.frames.find(fits);
      if (found !== undefined) return found;
      if (this.#ended)
        throw new Error(`The socket closed before the frame arrived: ${JSON.stringify(await this.closed)}`);
      const left = deadline - performance.now();
      if (left <= 0)
        throw new Error(`No such frame in ${timeoutMs} ms; seen: ${this.frames.map(({ event }) => event).join(", ")}`);
      await this.#change(left);
    }
  }

  close(): void {
    this.#socket.close();
  }

  /** Ends the connection without a close frame. */
  terminate(): void {
    this.#socket.terminate();
  }

  [Symbol.dispose](): void {
    this.terminate();
  }

  #change(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.#waiting.add(done);
    });
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}
