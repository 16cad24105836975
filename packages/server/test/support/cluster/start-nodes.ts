import type { Config } from "../../../src/config/config.ts";
import { MemoryBroker, MemoryBus } from "../../../src/realtime/broker/broker.memory.ts";
import type { Overrides } from "../../../src/server.ts";
import { usualTiming } from "../../../src/timing.ts";
import { openMigratedPlace } from "../databases.ts";
import { RedisServer } from "../servers/redis-server.ts";
import { startTestServer, type TestServer } from "../servers/test-server.ts";

/** Several whole servers in this process, on one PostgreSQL schema. */
export interface Nodes extends AsyncDisposable {
  nodes: readonly TestServer[];
  /** Without a Redis server: what connects the nodes; a test's own bus, if it gave one. */
  bus: MemoryBus;
  /** With `bus: "redis"`. */
  redis: RedisServer | undefined;
  databaseUrl: string;
  /** Starts another node. */
  add(config?: Partial<Config>, overrides?: Overrides): Promise<TestServer>;
}

/** Starts `count` nodes, connected by a Redis server of their own or by a bus in memory, which may be the test's own. */
export async function startNodes(
  count: number,
  {
    bus: kind,
    config = {},
    overrides = {},
  }: { bus: "redis" | "memory" | MemoryBus; config?: Partial<Config>; overrides?: Overrides },
): Promise<Nodes> {
  const stack = new AsyncDisposableStack();
  const place = stack.use(await openMigratedPlace());
  const redis = kind === "redis" ? stack.use(await RedisServer.start()) : undefined;
  const bus = kind instanceof MemoryBus ? kind : new MemoryBus();
  const nodes: TestServer[] = [];
  const add = async (own: Partial<Config> = {}, replaced: Overrides = {}) => {
    const settings: Partial<Config> = {
      database: { kind: "postgres", url: place.url },
      postgresPool: 4,
      nodeName: `node-${nodes.length + 1}`,
      redisUrls: redis === undefined ? [] : [redis.url],
      ...config,
      ...own,
    };
    const connected = redis === undefined ? { broker: new MemoryBroker({ bus }), isNode: true } : {};
    // More frequent jobs of several nodes would keep PostgreSQL busy, and what these tests wait for are seldom jobs.
    // A node that counts alone when Redis is slow would fail tests on a busy machine.
    const timing = { ...usualTiming, redisAnswerMs: 2_000 };
    const parts = { timing, ...connected, ...overrides, ...replaced };
    const node = stack.use(await startTestServer(settings, parts));
    nodes.push(node);
    // A node's events without a seq may be lost until the other nodes know it.
    await Promise.all(nodes.map(({ ctx }) => ctx.cluster?.refresh()));
    return node;
  };
  try {
    for (let n = 0; n < count; n++) await add();
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
  return { nodes, bus, redis, databaseUrl: place.url, add, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
