import { connect, createServer, type Server, type Socket } from "node:net";

/** How many connections fall silent, and when. */
interface Silence {
  /** How many of the next connections that say `word` fall silent. */
  connections: number;
  /** The connection falls silent at the command that contains this word. "" is its first byte. */
  word: string;
  /** Bytes of the answer to that command that still pass; the command itself passes if this is more than 0. */
  answerBytes: number;
}

/**
 * A proxy in front of a Redis without TLS that swallows what a connection sends and receives from a chosen step on. The
 * connection stays open, as if the machine behind it were lost.
 */
export class SilentProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #silence: Silence = { connections: 0, word: "", answerBytes: 0 };

  private constructor(target: URL) {
    this.#server = createServer((near) => this.#join(near, connect(Number(target.port), target.hostname)));
  }

  /** Starts a proxy. Returns it with the URL that reaches the server at `url` through it. */
  static async to(url: string): Promise<{ proxy: SilentProxy; url: string }> {
    const through = new URL(url);
    const proxy = new SilentProxy(new URL(url));
    const { promise, resolve } = Promise.withResolvers<void>();
    proxy.#server.listen(0, "127.0.0.1", resolve);
    await promise;
    const address = proxy.#server.address();
    if (address === null || typeof address === "string") throw new Error("The proxy has no port.");
    through.port = String(address.port);
    return { proxy, url: through.href };
  }

  /** Silences connections that say the word from now on. */
  silence(silence: Silence): void {
    this.#silence = { ...silence };
  }

  /** How many connections have yet to fall silent. */
  get awaited(): number {
    return this.#silence.connections;
  }

  /** Closes all connections; new ones are accepted. */
  cut(): void {
    for (const socket of [...this.#open]) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.cut();
    await promise;
  }

  #join(near: Socket, far: Socket): void {
    /** Bytes of the server that still pass; null: the connection has not fallen silent. */
    let left: number | null = null;
    near.on("data", (chunk: Uint8Array) => {
      if (left === null && this.#begins(chunk)) {
        left = this.#silence.answerBytes;
        if (left === 0) return;
        far.write(chunk);
      } else if (left === null) far.write(chunk);
    });
    far.on("data", (chunk: Uint8Array) => {
      near.write(chunk.subarray(0, left ?? chunk.length));
      if (left !== null) left = Math.max(0, left - chunk.length);
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#open.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        this.#open.delete(socket);
        other.destroy();
      });
    }
  }

  #begins(chunk: Uint8Array): boolean {
    if (this.#silence.connections === 0 || !Buffer.from(chunk).includes(this.#silence.word)) return false;
    this.#silence.connections -= 1;
    return true;
  }
}
