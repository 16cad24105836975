import { type Frame, TestSocket } from "./socket.ts";
import { eventually } from "./test-server.ts";

export type { Frame };

export interface Closed {
  code: number;
  reason: string;
}

/** A socket for realtime tests. Sends commands, receives answers and events, and sees the end. */
export class LiveSocket implements AsyncDisposable {
  closed: Closed | null = null;
  readonly #socket: TestSocket;
  #refs = 0;

  private constructor(socket: TestSocket) {
    this.#socket = socket;
    void socket.closed.then((closed) => {
      this.closed = closed;
    });
  }

  /** Opens a socket; resolves when `session:ready` has arrived. */
  static async open(url: string, headers: Record<string, string> = {}, query = ""): Promise<LiveSocket> {
    return new LiveSocket(await TestSocket.open(url, headers, query));
  }

  /** Every frame in the order of arrival. */
  get frames(): Frame[] {
    return this.#socket.frames;
  }

  /** The number of frames on the wire: one with several events counts once. */
  get received(): number {
    return this.#socket.received;
  }

  /** Sends a command and resolves with its answer, `ack` or `error`. */
  ask(event: string, data: unknown = {}): Promise<Frame> {
    return this.answer(this.tell(event, data));
  }

  /** Sends a command without waiting. */
  tell(event: string, data: unknown = {}): number {
    const ref = ++this.#refs;
    this.send(JSON.stringify({ event, data, ref }));
    return ref;
  }

  /** Sends these bytes unchanged. */
  send(frame: string | Uint8Array): void {
    this.#socket.sendRaw(frame);
  }

  answer(ref: string | number | null): Promise<Frame> {
    return this.#socket.next((frame) => (frame.event === "ack" || frame.event === "error") && frame.ref === ref);
  }

  /** Returns the first frame of that event. */
  next(event: string): Promise<Frame> {
    return this.#socket.next((frame) => frame.event === event);
  }

  find(matches: (frame: Frame) => boolean): Promise<Frame> {
    return this.#socket.next(matches);
  }

  /** Returns the frames of that event so far. */
  all(event: string): Frame[] {
    return this.frames.filter((frame) => frame.event === event);
  }

  /** Returns the seqs of the durable frames that were pushed, in order. */
  get seqs(): number[] {
    return this.frames
      .filter(({ event, data }) => event !== "ack" && event !== "error" && "seq" in data)
      .map(({ data }) => data.seq);
  }

  /** Sends a command and waits for its answer: everything that the server sent before has then arrived. */
  async settle(): Promise<void> {
    await this.ask("ping");
  }

  whenClosed(timeoutMs?: number): Promise<Closed> {
    return eventually("the socket's end", () => this.closed, timeoutMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    await this.whenClosed();
  }
}
