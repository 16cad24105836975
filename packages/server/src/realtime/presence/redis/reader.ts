import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { Clock } from "../../../clock.ts";
import type { Cluster } from "../../../cluster/cluster.ts";
import type { Log } from "../../../logging/log.ts";
import { isRefusal } from "../../../redis/redis-answer.ts";
import type { RedisShard, RedisShards } from "../../../redis/shards.ts";
import type { Broker } from "../../broker/broker.ts";
import type { Hub } from "../../hub.ts";
import type { PresenceCounts, PresenceEntry } from "../presence.ts";
import { merge } from "./held-room.ts";
import { KEPT_MS, KeptRooms } from "./kept-rooms.ts";
import type { PresenceOutbox } from "./outbox.ts";
import { type RoomState, readCounts, readRoom } from "./scripts.ts";

/** The parts of the server that a cluster's presence uses. */
export interface Links {
  readonly redis: RedisShards;
  readonly cluster: Cluster;
  readonly broker: Broker;
  readonly hub: Hub;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Pick<Log, "warn">;
}

/** How long a server that did not answer is not asked again, so that not every request waits for it. */
const SILENT_MS = 1_000;
/** How long counts are shown without asking again. */
const COUNTS_MS = 1_000;
const COUNTS_MAX = 10_000;

/**
 * Asks Redis about rooms that this node does not watch. While it is away, it returns
 * its last answers for some seconds, and then the callers' own.
 */
export class RedisReader {
  readonly #links: Links;
  readonly #outbox: PresenceOutbox;
  readonly #silentUntil = new Map<RedisShard, number>();
  readonly #kept: KeptRooms;
  readonly #counts = new Map<number, PresenceCounts & { at: number }>();

  constructor(links: Links, outbox: PresenceOutbox) {
    this.#links = links;
    this.#outbox = outbox;
    this.#kept = new KeptRooms(links.clock);
  }

  /** Whether the server can be asked. */
  answers(shard: RedisShard): boolean {
    return shard.isUp && (this.#silentUntil.get(shard) ?? 0) <= this.#links.clock.monotonic();
  }

  /** The server did not answer, or refused; the latter is reported where it is asked. */
  failed(shard: RedisShard, err: unknown): void {
    const wasUp = this.answers(shard);
    this.#silentUntil.set(shard, this.#links.clock.monotonic() + SILENT_MS);
    if (wasUp && !isRefusal(err))
      this.#links.log.warn({ err, redis: shard.name }, "presence shows this node only: Redis does not answer");
  }

  restored(shard: RedisShard): void {
    this.#silentUntil.delete(shard);
  }

  /** Asks the server of a room. Returns `other()` without asking, or when the time is over, if it is away. */
  async ask<T>(shard: RedisShard, question: () => Promise<T>, other: () => T): Promise<T> {
    if (!this.answers(shard)) return other();
    try {
      return await question();
    } catch (error) {
      this.failed(shard, error);
      return other();
    }
  }

  /** Reads a part of a room. If Redis is away, returns the last reading of that part; null without a young one. */
  room(channelId: number, from: number, limit: number): Promise<RoomState | null> {
    const room = String(channelId);
    const shard = this.#outbox.shardOf(room);
    const key = `${room}:${from}:${limit}`;
    const read = async () => {
      const state = await readRoom(shard, this.#outbox.keysOf(room), from, limit);
      this.#kept.keep(key, state);
      return state;
    };
    return this.ask(shard, read, () => this.#kept.get(key));
  }

  /** Returns a page of the users. If Redis is away, those of this node (`here`) are added to what was read last. */
  async users(channelId: number, from: number, limit: number, here: () => PresenceEntry[]): Promise<PresenceEntry[]> {
    const state = await this.room(channelId, from, limit);
    if (state === null) return here();
    if (from > 0 || this.answers(this.#outbox.shardOf(String(channelId)))) return state.users;
    const known = new Set(state.users.map(({ id }) => id));
    return merge(
      state.users,
      here().filter(({ id }) => !known.has(id)),
    ).slice(0, limit);
  }

  has(room: string, userId: number): MaybePromise<boolean> {
    const shard = this.#outbox.shardOf(room);
    const read = async () => (await shard.send("HEXISTS", [this.#outbox.keysOf(room).users, userId])) === 1;
    return this.ask(shard, read, () => false);
  }

  /** Returns the channels' users and guests, in their order: a second old, or some seconds while Redis is away. */
  async counts(channelIds: readonly number[], here: (channelId: number) => PresenceCounts): Promise<PresenceCounts[]> {
    const now = this.#links.clock.monotonic();
    const asked = new Map<RedisShard, number[]>();
    for (const id of new Set(channelIds)) {
      if ((this.#counts.get(id)?.at ?? Number.NEGATIVE_INFINITY) + COUNTS_MS > now) continue;
      const shard = this.#outbox.shardOf(String(id));
      asked.set(shard, [...(asked.get(shard) ?? []), id]);
    }
    if (this.#counts.size + channelIds.length > COUNTS_MAX) this.#counts.clear();
    const read = [...asked].map(([shard, ids]) =>
      this.ask(
        shard,
        () => this.#read(shard, ids, now),
        () => {},
      ),
    );
    await Promise.all(read);
    return channelIds.map((id) => {
      const found = this.#counts.get(id);
      return found !== undefined && found.at + KEPT_MS >= now ? found : here(id);
    });
  }

  async #read(shard: RedisShard, ids: readonly number[], at: number): Promise<void> {
    const keys = ids.map((id) => this.#outbox.keysOf(String(id)));
    const found = await readCounts(shard, keys);
    for (const [n, [count, guests]] of found.entries()) {
      const id = ids[n];
      if (id !== undefined) this.#counts.set(id, { count, guests, at });
    }
  }
}
