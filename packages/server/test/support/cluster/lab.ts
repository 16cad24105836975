import { join } from "node:path";
import { temporaryFolder } from "../config.ts";
import { openMigratedPlace } from "../databases.ts";
import { CutProxy } from "../faults/cut-proxy.ts";
import { ChildServer, freePort } from "../servers/child-server.ts";
import { RedisServer } from "../servers/redis-server.ts";
import { HistoryRecorder } from "./history-recorder.ts";

/** A node in a process of its own, with a line to PostgreSQL that the lab can cut. */
export class LabNode implements AsyncDisposable {
  readonly name: string;
  readonly server: ChildServer;
  readonly database: CutProxy;
  readonly #history: HistoryRecorder;
  /** False from the moment that a fault takes the node away until it is ready again. */
  isUp = false;

  constructor(name: string, server: ChildServer, database: CutProxy, history: HistoryRecorder) {
    this.name = name;
    this.server = server;
    this.database = database;
    this.#history = history;
  }

  get url(): string {
    return this.server.url;
  }

  async start(): Promise<void> {
    await this.server.start();
    this.isUp = true;
    if (this.#fault !== null) this.#history.fault(this.#fault, "end", this.name);
    this.#fault = null;
  }

  /** The fault that took the node away. */
  #fault: string | null = null;

  #goes(fault: string): void {
    this.isUp = false;
    this.#fault = fault;
    this.#history.fault(fault, "begin", this.name);
  }

  /** Ends the process without a warning. */
  async kill(): Promise<void> {
    this.#goes("kill");
    await this.server.end("SIGKILL");
  }

  /** Ends the process in order; returns its exit code. */
  async stop(): Promise<number | null> {
    this.#goes("stop");
    return this.server.end("SIGTERM");
  }

  /** Stops the process without closing its connections. */
  pause(): void {
    this.#history.fault("pause", "begin", this.name);
    this.server.signal("SIGSTOP");
  }

  resume(): void {
    this.server.signal("SIGCONT");
    this.#history.fault("pause", "end", this.name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.signal("SIGCONT");
    await this.server[Symbol.asyncDispose]();
    await this.database[Symbol.asyncDispose]();
  }
}

const nameOf = (n: number): string => `node-${n + 1}`;

/** Several nodes in processes of their own on one PostgreSQL schema, with a real Redis that the lab can cut off. */
export class Lab implements AsyncDisposable {
  readonly nodes: LabNode[] = [];
  /** Records the clients of the run. `PARLEY_HISTORY` names another file than a temporary one. */
  readonly history: HistoryRecorder;
  readonly redis: RedisServer;
  /** Between every node and Redis. */
  readonly bus: CutProxy;
  readonly databaseUrl: string;
  readonly #busUrl: string;
  readonly #env: Record<string, string>;
  readonly #stack: AsyncDisposableStack;

  private constructor(
    stack: AsyncDisposableStack,
    parts: {
      redis: RedisServer;
      bus: CutProxy;
      busUrl: string;
      databaseUrl: string;
      env: Record<string, string>;
      history: HistoryRecorder;
    },
  ) {
    this.#stack = stack;
    this.history = parts.history;
    this.redis = parts.redis;
    this.bus = parts.bus;
    this.databaseUrl = parts.databaseUrl;
    this.#busUrl = parts.busUrl;
    this.#env = parts.env;
  }

  /** Starts `count` nodes; `env` are further settings of all of them. Default database: a new schema of the tests'. */
  static async open(count: number, env: Record<string, string> = {}, databaseUrl?: string): Promise<Lab> {
    const stack = new AsyncDisposableStack();
    try {
      const url = databaseUrl ?? stack.use(await openMigratedPlace()).url;
      const redis = stack.use(await RedisServer.start());
      const { proxy: bus, url: busUrl } = await CutProxy.to(redis.url);
      stack.use(bus);
      const path = process.env.PARLEY_HISTORY ?? join(temporaryFolder(), "history.jsonl");
      const nodes = Array.from({ length: count }, (_, n) => nameOf(n));
      const history = stack.use(new HistoryRecorder(path, { seed: 0, nodes }));
      const lab = new Lab(stack, { redis, bus, busUrl, databaseUrl: url, env, history });
      for (let n = 0; n < count; n++) await lab.add();
      return lab;
    } catch (error) {
      await stack.disposeAsync();
      throw error;
    }
  }

  /** Starts another node. */
  async add(env: Record<string, string> = {}): Promise<LabNode> {
    const { proxy, url } = await CutProxy.to(this.databaseUrl);
    const name = nameOf(this.nodes.length);
    const server = new ChildServer(temporaryFolder(), freePort(), {
      DATABASE_URL: url,
      REDIS_URL: this.#busUrl,
      PARLEY_NODE_NAME: name,
      PARLEY_POSTGRES_POOL: "6",
      PARLEY_RATE_LIMITS: "off",
      // All clients of the lab have one address.
      PARLEY_SOCKETS_PER_ADDRESS: "10000",
      ...this.#env,
      ...env,
    });
    const node = this.#stack.use(new LabNode(name, server, proxy, this.history));
    await node.start();
    this.nodes.push(node);
    return node;
  }

  node(index: number): LabNode {
    const node = this.nodes[index % this.nodes.length];
    if (node === undefined) throw new Error("The lab has no nodes.");
    return node;
  }

  /** Returns a node that is up, other than `avoid` if there is one. */
  another(avoid?: LabNode): LabNode {
    const up = this.nodes.filter((node) => node.isUp);
    const others = up.filter((node) => node !== avoid);
    const from = others.length > 0 ? others : up.length > 0 ? up : this.nodes;
    return from[Math.floor(Math.random() * from.length)] ?? this.node(0);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}
