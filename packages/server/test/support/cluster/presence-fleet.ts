import { ManualScheduler } from "../../../src/base/scheduler.ts";
import { type Clock, systemClock } from "../../../src/clock.ts";
import type { Cluster, ClusterNode } from "../../../src/cluster/cluster.ts";
import type { AppContext } from "../../../src/context.ts";
import { MemoryBroker, MemoryBus } from "../../../src/realtime/broker/broker.memory.ts";
import { Hub } from "../../../src/realtime/hub.ts";
import { RedisPresence } from "../../../src/realtime/presence/presence.redis.ts";
import type { PresenceEntry } from "../../../src/realtime/presence/presence.ts";
import { reapDeadNodes } from "../../../src/realtime/presence/redis/reaper.ts";
import { RedisShards } from "../../../src/redis/shards.ts";
import type { RedisServer } from "../servers/redis-server.ts";
import { eventually } from "../servers/test-server.ts";

const log = { warn: () => {}, info: () => {} };

/** Some nodes' presences, on one Redis server. */
export class Fleet implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  readonly #bus = new MemoryBus();
  readonly redis: RedisServer;
  /** The ids of the nodes with a row in the database. */
  readonly live = new Set<string>();

  constructor(redis: RedisServer) {
    this.redis = this.#stack.use(redis);
  }

  async add(
    name: string,
    graces = new ManualScheduler(),
    clock: Pick<Clock, "monotonic"> = systemClock,
  ): Promise<FleetNode> {
    const broker = new MemoryBroker({ bus: this.#bus });
    const hub = new Hub(broker);
    broker.onMessages((topic, messages) => hub.deliver(topic, messages));
    const redis = this.#stack.use(new RedisShards([this.redis.url], { epoch: "e", onDown: () => {} }));
    await redis.start();
    const rejoined: (() => void)[] = [];
    const { live } = this;
    live.add(name);
    const cluster: Cluster & { nodeId: string } = {
      nodeId: name,
      heartbeatAgeMs: 0,
      drain: async () => {},
      get nodes() {
        return [...live].map((id) => ({ id }) as ClusterNode);
      },
      onNodes: () => {},
      onRejoined: (handler) => void rejoined.push(handler),
      refresh: async () => {},
    };
    const presence = this.#stack.use(new RedisPresence({ redis, cluster, broker, hub, clock, log }, graces));
    const rebirth = (id: string) => {
      live.delete(cluster.nodeId);
      cluster.nodeId = id;
      live.add(id);
      for (const handler of rejoined) handler();
    };
    const changes: string[] = [];
    presence.onChange((channelId, { joined, left, updated, isPartial }) => {
      const names = (entries: readonly PresenceEntry[]) => entries.map((entry) => entry.name).join(" ");
      changes.push(`${channelId} +${names(joined)} -${names(left)} ~${names(updated)}${isPartial ? " partial" : ""}`);
    });
    const ctx = { redis, cluster, broker, clock: systemClock, log } as unknown as AppContext;
    return { presence, changes, graces, rebirth, reap: () => reapDeadNodes(ctx), shards: redis };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

export interface FleetNode {
  presence: RedisPresence;
  changes: string[];
  graces: ManualScheduler;
  /** Gives the node a new id. */
  rebirth(id: string): void;
  /** Looks once for dead nodes. */
  reap(): Promise<void>;
  shards: RedisShards;
}

/** Waits until Redis has executed what the nodes said. */
export async function settled(...nodes: FleetNode[]): Promise<void> {
  await eventually("Redis knows everything", () => nodes.every(({ presence }) => presence.waiting === 0));
}
