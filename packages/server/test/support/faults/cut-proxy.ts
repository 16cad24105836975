import { connect, createServer, type Server, type Socket } from "node:net";
import { OneWay, type Weather } from "./one-way.ts";

/** `up`: from the client to its server; `down`: back. */
export type Direction = "up" | "down";

const PORTS: Record<string, number> = { "postgres:": 5432, "postgresql:": 5432, "redis:": 6379, "valkey:": 6379 };

/**
 * A proxy between a server and its PostgreSQL or Redis, without TLS. It can cut the connections and refuse new ones, let
 * them hang, or delay what passes, until it is mended.
 */
export class CutProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  readonly #ways = new Set<OneWay>();
  readonly #weather: Record<Direction, Weather> = { up: fair(), down: fair() };
  #isCut = false;

  private constructor(target: URL) {
    const port = Number(target.port || PORTS[target.protocol]);
    this.#server = createServer((near) => {
      if (this.#isCut) return void near.destroy();
      const far = connect(port, target.hostname);
      this.#join(near, far, "up");
      this.#join(far, near, "down");
    });
  }

  /** Starts a proxy. Returns it with the URL that reaches the server at `url` through it. */
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

  /** The number of connections through the proxy. */
  get connections(): number {
    return this.#open.size / 2;
  }

  /** Closes all connections, and refuses new ones. `cut()` and at once `mend()` only drops them. */
  cut(): void {
    this.#isCut = true;
    for (const socket of [...this.#open]) socket.destroy();
  }

  /** Passes nothing on, in one direction or both; connections stay open, and new ones are accepted. */
  hang(direction?: Direction): void {
    for (const weather of this.#of(direction)) weather.hangs = true;
  }

  /** The connections pass nothing on any more, as if a machine were lost; new ones work. */
  strand(): void {
    this.hang();
    for (const direction of ["up", "down"] as const) this.#weather[direction] = fair();
  }

  /** Passes everything on `ms` milliseconds late, in order, in one direction or both. */
  delay(ms: number, direction?: Direction): void {
    for (const weather of this.#of(direction)) weather.delayMs = ms;
  }

  /** Ends every fault. Bytes that were held back are passed on now. */
  mend(): void {
    this.#isCut = false;
    for (const weather of this.#of()) Object.assign(weather, fair());
    for (const way of this.#ways) way.pass();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await promise;
  }

  #of(direction?: Direction): Weather[] {
    return direction === undefined ? [this.#weather.up, this.#weather.down] : [this.#weather[direction]];
  }

  #join(from: Socket, to: Socket, direction: Direction): void {
    const way = new OneWay(from, to, this.#weather[direction]);
    this.#ways.add(way);
    this.#open.add(from);
    from.on("error", () => to.destroy());
    from.on("close", () => {
      this.#open.delete(from);
      this.#ways.delete(way);
      way.end();
    });
  }
}

const fair = (): Weather => ({ hangs: false, delayMs: 0 });
