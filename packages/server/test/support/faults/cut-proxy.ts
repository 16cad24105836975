import { connect, createServer, type Server, type Socket } from "node:net";

/**
 * A proxy between a server and its PostgreSQL. It can cut the connections; it then refuses new ones until it is
 * restored.
 */
export class CutProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #isCut = false;

  private constructor(target: URL) {
    this.#server = createServer((near) => {
      if (this.#isCut) return void near.destroy();
      const far = connect(Number(target.port || 5432), target.hostname);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#open.add(one);
        one.pipe(other);
        one.on("error", () => other.destroy());
        one.on("close", () => {
          this.#open.delete(one);
          other.destroy();
        });
      }
    });
  }

  /** Starts a proxy. Returns it with the URL that reaches the database at `url` through it. */
  static async to(url: string): Promise<{ proxy: CutProxy; url: string }> {
    const through = new URL(url);
    const proxy = new CutProxy(new URL(url));
    const { promise, resolve } = Promise.withResolvers<void>();
    proxy.#server.listen(0, "127.0.0.1", resolve);
    await promise;
    const address = proxy.#server.address();
    if (address === null || typeof address === "string") throw new Error("The proxy has no port.");
    through.hostname = "127.0.0.1";
    through.port = String(address.port);
    return { proxy, url: through.href };
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of [...this.#open]) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await promise;
  }
}
