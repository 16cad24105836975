import { connect, createServer, type Server, type Socket } from "node:net";

/** A proxy between a client and the server: forwards bytes, until told to fail. */
export class NastyProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #pairs = new Set<{ client: Socket; upstream: Socket }>();
  /** Bytes a new connection may carry, both ways together, before it is cut; null: unlimited. */
  budget: () => number | null = () => null;
  /** While true, the server's answers are discarded and the connection is cut. */
  swallowsAnswers = false;
  /** While set, the server's answers wait for it. */
  holdsAnswers: Promise<void> | null = null;
  /** While true, connections are accepted and cut at once. */
  isDown = false;
  cuts = 0;
  connections = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(targetUrl: string): Promise<NastyProxy> {
    const { hostname, port } = new URL(targetUrl);
    const server = createServer((client) => proxy.#accept(client, connect(Number(port), hostname)));
    const proxy = new NastyProxy(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("The proxy does not listen.");
    return `http://127.0.0.1:${address.port}`;
  }

  /** Cuts every open connection. */
  cutAll(): void {
    for (const pair of [...this.#pairs]) this.#cut(pair);
  }

  #accept(client: Socket, upstream: Socket): void {
    const pair = { client, upstream };
    this.#pairs.add(pair);
    this.connections += 1;
    const end = () => {
      this.#pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      socket.on("error", () => {});
      socket.on("close", end);
    }
    if (this.isDown) {
      end();
      return;
    }
    let left = this.budget();
    const pass = (chunk: Buffer, to: Socket) => {
      if (left !== null && chunk.length >= left) {
        // Forwards a part: the cut falls anywhere, also inside a frame or a head.
        to.write(chunk.subarray(0, left), () => this.#cut(pair));
        left = 0;
        return;
      }
      if (left !== null) left -= chunk.length;
      to.write(chunk);
    };
    client.on("data", (chunk: Buffer) => pass(chunk, upstream));
    upstream.on("data", (chunk: Buffer) => {
      if (this.swallowsAnswers) this.#cut(pair);
      else if (this.holdsAnswers !== null) void this.holdsAnswers.then(() => pass(chunk, client));
      else pass(chunk, client);
    });
  }

  #cut(pair: { client: Socket; upstream: Socket }): void {
    if (!this.#pairs.delete(pair)) return;
    this.cuts += 1;
    pair.client.destroy();
    pair.upstream.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cutAll();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** Returns a generator of numbers in [0, 1), the same for the same seed, so that failures can be reproduced. */
export function chances(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
