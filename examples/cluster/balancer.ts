import { connect, createServer, type Server, type Socket } from "node:net";

const CHECK_MS = 1_000;
const CHECK_TIMEOUT_MS = 900;
/** A node that fails so many checks in a row gets no new connections. */
const FAILURES_MAX = 2;
/** Longer than a node keeps a silent connection. */
const IDLE_MS = 75_000;

/** A node behind the balancer. */
class Target {
  readonly port: number;
  open = 0;
  isReady = false;
  #failures = 0;

  constructor(port: number) {
    this.port = port;
  }

  /** Asks the node whether it takes requests. Returns whether its state has changed. */
  async check(): Promise<boolean> {
    const before = this.isReady;
    const isGood = await fetch(`http://127.0.0.1:${this.port}/readyz`, {
      signal: AbortSignal.timeout(CHECK_TIMEOUT_MS),
      headers: { connection: "close" },
    }).then(
      ({ ok }) => ok,
      () => false,
    );
    this.#failures = isGood ? 0 : this.#failures + 1;
    if (isGood) this.isReady = true;
    else if (this.#failures >= FAILURES_MAX) this.isReady = false;
    return before !== this.isReady;
  }
}

/**
 * A small balancer for nodes on this machine, to try a cluster without installing one. It passes on whole connections,
 * with HTTP and WebSockets alike: each new one goes to the ready node that has the fewest. It adds no header, so the
 * nodes see its address instead of the client's; in production use one that does (deploy/cluster).
 */
export class Balancer implements AsyncDisposable {
  readonly #targets: readonly Target[];
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  readonly #timer: Timer;

  private constructor(ports: readonly number[], onChange: (port: number, isReady: boolean) => void) {
    this.#targets = ports.map((port) => new Target(port));
    // The client may send before a node is chosen.
    this.#server = createServer({ pauseOnConnect: true }, (client) => this.#accept(client));
    const check = async (target: Target) => {
      if (await target.check()) onChange(target.port, target.isReady);
    };
    for (const target of this.#targets) void check(target);
    this.#timer = setInterval(() => {
      for (const target of this.#targets) void check(target);
    }, CHECK_MS);
  }

  /** Listens on this port of the loopback. Rejects if it is taken. */
  static async start(
    port: number,
    ports: readonly number[],
    onChange: (port: number, isReady: boolean) => void = () => {},
  ): Promise<Balancer> {
    const balancer = new Balancer(ports, onChange);
    try {
      await new Promise<void>((resolve, reject) => {
        balancer.#server.once("error", reject);
        balancer.#server.listen(port, "127.0.0.1", resolve);
      });
    } catch (error) {
      clearInterval(balancer.#timer);
      throw error;
    }
    return balancer;
  }

  /** The connections that each node has now. */
  get open(): number[] {
    return this.#targets.map(({ open }) => open);
  }

  #accept(client: Socket): void {
    this.#keep(client);
    this.#forward(client, new Set());
  }

  /** Connects to the best node that was not tried yet; without one, closes the connection. */
  #forward(client: Socket, tried: Set<Target>): void {
    const ready = this.#targets.filter((target) => target.isReady && !tried.has(target));
    const [target] = ready.sort((a, b) => a.open - b.open);
    if (target === undefined || client.destroyed) return void client.destroy();
    tried.add(target);
    const node = connect(target.port, "127.0.0.1");
    this.#keep(node);
    target.open++;
    node.once("close", () => target.open--);
    const retry = () => this.#forward(client, tried);
    node.once("error", retry);
    node.once("connect", () => {
      node.off("error", retry);
      node.pipe(client);
      client.pipe(node);
      client.once("close", () => node.destroy());
      node.once("close", () => client.destroySoon());
    });
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.on("error", () => {}); // "close" follows
    socket.once("close", () => this.#sockets.delete(socket));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
