import { connect, type Socket } from "node:net";

export interface RawAnswer {
  status: number;
  head: string;
  body: string;
}

/**
 * A keep-alive connection that writes HTTP/1.1 itself, so that a test knows when a request was sent: bytes that were
 * written before a signal are in the kernel buffer of the server before the signal.
 */
export class RawHttp implements Disposable {
  readonly tcp: Socket;
  isClosed = false;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve(answer: RawAnswer): void; reject(error: Error): void } | undefined;

  private constructor(tcp: Socket) {
    this.tcp = tcp;
    tcp.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#read();
    });
    tcp.on("error", () => {});
    tcp.on("close", () => {
      this.isClosed = true;
      this.#waiting?.reject(new Error(`closed without an answer; received: ${this.#received}`));
    });
  }

  static open(url: string): Promise<RawHttp> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const tcp = connect(Number(port), hostname, () => resolve(new RawHttp(tcp)));
      tcp.once("error", reject);
    });
  }

  /** Writes the request at once; resolves with the response. Rejects if the connection closes without one. */
  ask(method: string, path: string, headers: Record<string, string> = {}, body?: unknown): Promise<RawAnswer> {
    const text = body === undefined ? "" : JSON.stringify(body);
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const all = Object.entries({
      host: "parley",
      "content-length": String(Buffer.byteLength(text)),
      ...type,
      ...headers,
    });
    const answer = this.answer();
    this.tcp.write(
      `${method} ${path} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${text}`,
    );
    return answer;
  }

  /** Waits for the next response. */
  answer(): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.isClosed) reject(new Error("closed already"));
    });
  }

  [Symbol.dispose](): void {
    this.tcp.destroy();
  }

  #read(): void {
    const end = this.#received.indexOf("\r\n\r\n");
    if (end === -1) return;
    const head = this.#received.subarray(0, end).toString();
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? Number.POSITIVE_INFINITY);
    if (this.#received.length < end + 4 + length) return;
    const body = this.#received.subarray(end + 4, end + 4 + length).toString();
    this.#received = this.#received.subarray(end + 4 + length);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve({ status: Number(head.slice(9, 12)), head, body });
  }
}
