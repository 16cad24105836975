import { dirname } from "node:path";
import type { Clock } from "./clock.ts";
import { Nodes } from "./cluster/nodes.ts";
import { startClusterUpkeep } from "./cluster/upkeep.ts";
import type { Config } from "./config/config.ts";
import type { AppContext } from "./context.ts";
import { isStorageFull, isUnavailable, type OpenDatabase, readEpoch } from "./db/database.ts";
import { isNews } from "./db/write-health.ts";
import { receive, receiveGap } from "./event-log/feed/feed.ts";
import { type Log, throttleOutages } from "./logging/log.ts";
import { spaceAt } from "./metrics/disk.ts";
import { Metrics } from "./metrics/metrics.ts";
import { ClusterRateLimiter, startRateLimits } from "./rate-limit/rate-limiter.cluster.ts";
import { MemoryRateLimiter } from "./rate-limit/rate-limiter.memory.ts";
import { MemoryBroker } from "./realtime/broker/broker.memory.ts";
import { RedisBroker } from "./realtime/broker/broker.redis.ts";
import type { Broker } from "./realtime/broker/broker.ts";
import { Hub } from "./realtime/hub.ts";
import { MemoryPresence } from "./realtime/presence/presence.memory.ts";
import { RedisPresence } from "./realtime/presence/presence.redis.ts";
import { RedisShards } from "./redis/shards.ts";
import type { Timing } from "./timing.ts";

interface Parts {
  config: Config;
  clock: Clock;
  /** Replaces `clock` in the limiter of a lone server. */
  quotaClock?: Clock;
  timing: Timing;
  log: Log;
  database: OpenDatabase;
  /** Replaces the broker that the settings ask for. */
  broker?: Broker;
  /** True for a node of a cluster without Redis. */
  isNode?: boolean;
  /** Called with an error after which this server must end. */
  onFatal(error: unknown): void;
  /** Called when this server must drain and end, because a newer release changes the database. */
  onOutdated(): void;
  /** Receives what must be closed, in the order of opening, also if this fails. */
  closers: (() => void | Promise<void>)[];
}

/**
 * Builds the context of a server. A node of a cluster connects to Redis and registers itself. Rejects if a setting of
 * Redis is wrong, or if the database cannot be reached; Redis may be away.
 */
export async function createContext(parts: Parts): Promise<AppContext> {
  const { config, clock, timing, log, database, closers } = parts;
  const onError = (err: unknown) => log.error({ err }, "an event handler failed");
  const epoch = await readEpoch(database.db);
  const redis = await connectRedis(parts, epoch);
  const nodes = redis !== null || parts.isNode === true ? await joinCluster(parts, epoch, redis) : null;
  const broker = parts.broker ?? (await openBroker(parts, redis, nodes, onError));
  const hub = new Hub(broker, onError);
  const metrics = new Metrics(clock);
  const onRefused = (policy: string) => metrics.rateLimitRefused(policy);
  if (broker instanceof RedisBroker) metrics.busFrom(() => broker.numbers);
  const place = config.database;
  if (place.kind === "sqlite") metrics.diskFrom(() => spaceAt(dirname(place.path)));
  const ctx: AppContext = {
    config,
    log: throttleOutages(log, (error) => isNews(ctx, error)),
    clock,
    timing,
    db: database.db,
    epoch,
    metrics,
    cluster: nodes,
    redis,
    broker,
    hub,
    presence:
      redis === null || nodes === null
        ? new MemoryPresence()
        : new RedisPresence({ redis, cluster: nodes, broker, hub, clock, log }),
    limiter:
      nodes === null
        ? new MemoryRateLimiter(config, parts.quotaClock ?? clock, onRefused)
        : new ClusterRateLimiter({ config, clock, db: database.db, redis, log, onRefused }),
    slots: new Map(),
    get root() {
      return ctx;
    },
    storageError: (error) =>
      isStorageFull(error) ? "storage_full" : isUnavailable(error) ? "storage_unavailable" : undefined,
    afterCommit: (act) => act(),
    onClose: (act) => void closers.push(act),
  };
  broker.onMessages((topic, messages) => receive(ctx, topic, messages));
  broker.onGap((topic, seq) => receiveGap(ctx, topic, seq));
  ctx.onClose(async () => ctx.presence[Symbol.asyncDispose]());
  ctx.onClose(async () => ctx.broker[Symbol.asyncDispose]());
  ctx.onClose(() => ctx.metrics[Symbol.dispose]());
  if (nodes !== null) startClusterUpkeep(ctx, nodes);
  startRateLimits(ctx);
  return ctx;
}

async function joinCluster(parts: Parts, epoch: string, redis: RedisShards | null): Promise<Nodes> {
  const { config, clock, log, database, onFatal, onOutdated, closers } = parts;
  const shards = redis?.names ?? "";
  const name = config.nodeName;
  const nodes = await Nodes.join({
    db: database.vital ?? database.db,
    clock,
    log,
    epoch,
    name,
    shards,
    onFatal,
    onOutdated,
  });
  closers.push(() => nodes.leave());
  return nodes;
}

async function openBroker(
  { clock, log, closers }: Parts,
  redis: RedisShards | null,
  cluster: Nodes | null,
  onError: (error: unknown) => void,
): Promise<Broker> {
  if (redis === null || cluster === null) return new MemoryBroker({ onError });
  const broker = new RedisBroker({ redis, cluster, log, clock, onError });
  closers.push(() => broker[Symbol.asyncDispose]());
  cluster.doubtFrom(() => broker.doubt);
  await broker.start();
  return broker;
}

/** Connects to the Redis servers of a cluster; null on a lone server. */
async function connectRedis({ config, timing, log, closers }: Parts, epoch: string): Promise<RedisShards | null> {
  if (config.redisUrls.length === 0) return null;
  const redis = new RedisShards(config.redisUrls, {
    epoch,
    briefMs: timing.redisAnswerMs,
    onDown: ({ name }, err) => log.warn({ err, redis: name }, "the connection to Redis is lost"),
    onBack: ({ name }) => log.info({ redis: name }, "the connection to Redis is back"),
    onRefused: ({ name }, advice) =>
      log.warn({ redis: name, advice }, "Redis refuses commands; presence and limits may be this node's alone"),
  });
  closers.push(() => redis[Symbol.dispose]());
  await redis.start();
  return redis;
}
