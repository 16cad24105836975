import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";
import pg from "pg";
import type { Groups } from "../cpu-meter.ts";
import { parley } from "./parley.ts";
import { freePort, RunningServer, type ServerKind, type StartOptions } from "./server.ts";

/** A PostgreSQL database of its own, in which the benchmark may create and drop schemas. Nothing else may use it. */
export const BENCH_DATABASE = process.env.PARLEY_BENCH_DATABASE_URL;

/** Nodes of Parley in processes of their own, on one new PostgreSQL schema and, if wanted, one new Redis. */
export class BenchCluster implements AsyncDisposable {
  readonly nodes: RunningServer[] = [];
  readonly #stack = new AsyncDisposableStack();
  readonly #client: pg.Client;
  readonly #name: string;
  #redis: Subprocess | undefined;

  private constructor(client: pg.Client, name: string) {
    this.#client = client;
    this.#name = name;
  }

  /** Starts nodes; without Redis there can be only one. `name` tells its sessions at PostgreSQL from others. */
  static async start(
    name: string,
    count: number,
    hasRedis: boolean,
    options: StartOptions = {},
    settings: Record<string, string> = {},
  ): Promise<BenchCluster> {
    if (BENCH_DATABASE === undefined) throw new Error("PARLEY_BENCH_DATABASE_URL is not set");
    const client = new pg.Client({ connectionString: BENCH_DATABASE });
    const cluster = new BenchCluster(client, `bench-${name}`);
    try {
      await client.connect();
      cluster.#stack.defer(() => client.end());
      const url = await cluster.#schema();
      const redisUrl = hasRedis ? await cluster.#startRedis() : undefined;
      const kind: ServerKind = {
        ...parley,
        env: (dataDir) => ({
          ...parley.env(dataDir),
          ...settings,
          DATABASE_URL: url,
          ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
        }),
      };
      for (let n = 0; n < count; n += 1) {
        const node = cluster.#stack.use(await RunningServer.start(kind, options));
        cluster.nodes.push(node);
      }
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
    return cluster;
  }

  async #schema(): Promise<string> {
    const name = `${this.#name.replaceAll("-", "_")}_${Date.now().toString(36)}`;
    await this.#client.query(`create schema ${name}`);
    this.#stack.defer(async () => void (await this.#client.query(`drop schema ${name} cascade`)));
    const url = new URL(BENCH_DATABASE ?? "");
    url.searchParams.set("options", `-c search_path=${name}`);
    url.searchParams.set("application_name", this.#name);
    return url.href;
  }

  async #startRedis(): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), "parley-bench-redis-"));
    const port = freePort();
    const program = Bun.which("redis-server") ?? Bun.which("valkey-server");
    if (program === null) throw new Error("redis-server is not installed");
    const redis = Bun.spawn([program, "--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder], {
      stdio: ["ignore", "ignore", "ignore"],
    });
    this.#redis = redis;
    this.#stack.defer(async () => {
      redis.kill("SIGKILL");
      await redis.exited;
      rmSync(folder, { recursive: true, force: true });
    });
    const url = `redis://127.0.0.1:${port}`;
    for (let tries = 0; tries < 200; tries += 1) {
      const client = new Bun.RedisClient(url, { autoReconnect: false });
      const isUp = await client.send("PING", []).then(
        () => true,
        () => false,
      );
      client.close();
      if (isUp) return url;
      await Bun.sleep(25);
    }
    throw new Error("redis-server did not become ready");
  }

  /** The processes to measure: all nodes, Redis, and PostgreSQL's processes that serve the nodes. */
  groups(): Groups {
    const redis = this.#redis?.pid;
    const sessions = "select pid from pg_stat_activity where application_name = $1";
    return {
      nodes: async () => this.nodes.map(({ pid }) => pid),
      redis: async () => (redis === undefined ? [] : [redis]),
      postgres: async () =>
        (await this.#client.query<{ pid: number }>(sessions, [this.#name])).rows.map(({ pid }) => pid),
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}
