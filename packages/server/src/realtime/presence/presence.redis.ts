import { USER_LIST_MAX } from "@parley/protocol/limits";
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { type Scheduler, systemScheduler } from "../../base/scheduler.ts";
import type { RedisShard } from "../../redis/shards.ts";
import { MemoryPresence } from "./presence.memory.ts";
import type { Presence, PresenceChange, PresenceCounts, PresenceEntry } from "./presence.ts";
import { merge } from "./redis/held-room.ts";
import { HeldRooms } from "./redis/held-rooms.ts";
import { type About, PresenceOutbox } from "./redis/outbox.ts";
import { connectedRoom, isConnectedRoom, NodeRooms } from "./redis/own-rooms.ts";
import { type Links, RedisReader } from "./redis/reader.ts";
import { type Applied, keepForReturning, nodesKey, roomsKey } from "./redis/scripts.ts";
import { publishChange } from "./redis/wire.ts";

type Kind = PresenceEntry["kind"];

/** How often the node checks that Redis still has what it announced. */
const CHECK_MS = 2_000;
/** How often the node announces everything again; Redis forgets after a day. */
const RENEW_MS = 6 * 60 * 60 * 1_000;

/**
 * The presence of a cluster. Sockets, guests and times of grace stay in this node's memory. When a user's first socket
 * on this node opens or the last one closes, the node sends it to Redis, which lists each user once for all nodes. For
 * the channels that somebody here watches, the node keeps the beginning of the list in memory. Agents are in every
 * node's memory: their truth is in the database.
 */
export class RedisPresence implements Presence {
  readonly #links: Links;
  readonly #scheduler: Scheduler;
  readonly #local: MemoryPresence;
  readonly #agents: MemoryPresence;
  readonly #outbox: PresenceOutbox;
  readonly #held: HeldRooms;
  readonly #reader: RedisReader;
  readonly #handlers: ((channelId: number, change: PresenceChange) => void)[] = [];
  #isStopped = false;
  #checks = 0;

  /** `graces` times how long users stay after their last socket, `scheduler` everything else. */
  constructor(links: Links, graces: Scheduler = systemScheduler, scheduler: Scheduler = systemScheduler) {
    this.#links = links;
    this.#scheduler = scheduler;
    this.#local = new MemoryPresence(graces);
    this.#agents = new MemoryPresence(graces);
    const own = new NodeRooms(this.#local);
    this.#outbox = new PresenceOutbox({
      redis: links.redis,
      nodeId: () => links.cluster.nodeId,
      scheduler,
      own,
      onApplied: (room, applied, sent, about) => this.#applied(room, applied, sent, about),
      onFailure: (shard, error) => this.#reader.failed(shard, error),
      onLost: (shard) => this.#announce(shard),
    });
    this.#reader = new RedisReader(links, this.#outbox);
    const report = (channelId: number, change: PresenceChange) => this.#report(channelId, change);
    this.#held = new HeldRooms({ links, scheduler, own, outbox: this.#outbox, reader: this.#reader, report });
    this.#local.onChange((channelId, change) => this.#localChange(channelId, change));
    this.#local.onUserChange((userId) => this.#outbox.touch(connectedRoom(userId), userId));
    this.#agents.onChange((channelId, change) => this.#report(channelId, change));
    for (const shard of links.redis.shards) shard.onUp(() => this.#announce(shard));
    links.cluster.onRejoined(() => this.#announceAll());
    this.#arm();
  }

  enter(channelId: number, entry: PresenceEntry): void {
    this.#of(entry.kind).enter(channelId, entry);
  }

  refresh(channelId: number, entry: PresenceEntry): void {
    this.#of(entry.kind).refresh(channelId, entry);
  }

  leave(channelId: number, kind: Kind, id: number, name: string, graceMs: number): void {
    this.#of(kind).leave(channelId, kind, id, name, graceMs);
  }

  remove(channelId: number, kind: Kind, id: number, name?: string): void {
    this.#of(kind).remove(channelId, kind, id, name);
  }

  enterGuest(channelId: number): void {
    this.#local.enterGuest(channelId);
    this.#outbox.touch(String(channelId));
  }

  leaveGuest(channelId: number): void {
    this.#local.leaveGuest(channelId);
    this.#outbox.touch(String(channelId));
  }

  hold(channelId: number): MaybePromise<void> {
    return this.#held.hold(channelId);
  }

  release(channelId: number): void {
    this.#held.release(channelId);
  }

  list(channelId: number, limit: number): PresenceEntry[] {
    const users = this.#held.get(channelId)?.users() ?? this.#local.list(channelId, USER_LIST_MAX);
    return merge(users, this.#agents.list(channelId, limit)).slice(0, limit);
  }

  count(channelId: number): number {
    return this.#users(channelId) + this.#agents.count(channelId);
  }

  guestCount(channelId: number): number {
    const own = this.#local.guestCount(channelId);
    const view = this.#held.get(channelId)?.view;
    if (view === undefined) return own;
    return Math.max(own, view.guests - this.#outbox.knownGuests(String(channelId)) + own);
  }

  page(channelId: number, limit: number, offset: number): MaybePromise<PresenceEntry[]> {
    const held = this.#held.get(channelId);
    const agents = this.#agents.list(channelId, Number.MAX_SAFE_INTEGER);
    if (held?.isComplete === true) return merge(held.users(), agents).slice(offset, offset + limit);
    // A user's place in the whole list is at most the number of agents behind the place among the users.
    const from = Math.max(0, offset - agents.length);
    const until = offset + limit;
    const local = () => this.#local.page(channelId, until - from, from);
    return andThen(this.#reader.users(channelId, from, until - from, local), (users) =>
      window(users, from, agents, offset, limit),
    );
  }

  counts(channelIds: readonly number[]): MaybePromise<PresenceCounts[]> {
    const known = channelIds.map((id) => (this.#held.get(id) === undefined ? undefined : this.#countsHere(id)));
    const missing = channelIds.filter((_, at) => known[at] === undefined);
    if (missing.length === 0) return known.flatMap((counts) => counts ?? []);
    return this.#reader
      .counts(missing, (id) => this.#userCountsHere(id))
      .then((read) => {
        const rest = read.values();
        return channelIds.map((id, at) => {
          const { count, guests } = known[at] ?? rest.next().value ?? this.#userCountsHere(id);
          return { count: known[at] === undefined ? count + this.#agents.count(id) : count, guests };
        });
      });
  }

  has(channelId: number, kind: Kind, id: number): MaybePromise<boolean> {
    if (kind === "agent") return this.#agents.has(channelId, kind, id);
    if (this.#local.has(channelId, kind, id)) return true;
    return this.#reader.has(String(channelId), id);
  }

  isUserOnline(userId: number): MaybePromise<boolean> {
    return this.#local.isUserOnline(userId) || this.#reader.has(connectedRoom(userId), userId);
  }

  /** The number of rooms with a change that Redis has not executed yet. */
  get waiting(): number {
    return this.#outbox.waiting;
  }

  onChange(handler: (channelId: number, change: PresenceChange) => void): void {
    this.#handlers.push(handler);
  }

  onUserChange(handler: (userId: number, isOnline: boolean) => void): void {
    this.#local.onUserChange(handler);
  }

  async stopping(returnMs: number): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#outbox.stop();
    const { redis, cluster } = this.#links;
    const nodes = nodesKey(redis.prefix);
    const kept = redis.shards.map((shard) => keepForReturning(shard, nodes, cluster.nodeId, returnMs));
    // Where this fails, the node is taken out as a dead one: its users may be missing for a moment.
    await Promise.allSettled(kept);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    this.#outbox.stop();
    this.#handlers.length = 0;
    this.#held[Symbol.dispose]();
    await this.#local[Symbol.asyncDispose]();
    await this.#agents[Symbol.asyncDispose]();
  }

  #of(kind: Kind): MemoryPresence {
    return kind === "user" ? this.#local : this.#agents;
  }

  #users(channelId: number): number {
    return this.#held.get(channelId)?.count ?? this.#local.count(channelId);
  }

  #countsHere(channelId: number): PresenceCounts {
    return { count: this.count(channelId), guests: this.guestCount(channelId) };
  }

  #userCountsHere(channelId: number): PresenceCounts {
    return { count: this.#local.count(channelId), guests: this.#local.guestCount(channelId) };
  }

  #report(channelId: number, change: PresenceChange): void {
    if (this.#held.get(channelId) === undefined) return;
    for (const handler of this.#handlers) handler(channelId, change);
  }

  #localChange(channelId: number, { joined, left, updated }: PresenceChange): void {
    const room = String(channelId);
    for (const { id } of [...joined, ...left, ...updated]) this.#outbox.touch(room, id);
    const held = this.#held.get(channelId);
    if (held === undefined) return;
    const isAway = !this.#reader.answers(this.#outbox.shardOf(room));
    for (const entry of joined) held.entered(entry, isAway);
    for (const entry of left) held.left(entry, isAway);
    for (const entry of updated) held.updated(entry);
  }

  #applied(room: string, applied: Applied, sent: readonly number[], { isWhole, isAgain }: About): void {
    if (isConnectedRoom(room)) return;
    const channelId = Number(room);
    const isNews = applied.isChange || isAgain;
    const change = isNews ? publishChange(this.#links.broker, channelId, applied) : null;
    this.#held.confirmed(channelId, change, sent, isWhole && applied.isChange);
  }

  #arm(): void {
    this.#scheduler.after(CHECK_MS, () => {
      if (this.#isStopped) return;
      this.#checks += 1;
      if (this.#checks % (RENEW_MS / CHECK_MS) === 0) this.#announceAll();
      else for (const shard of this.#links.redis.shards) void this.#check(shard);
      this.#arm();
    });
  }

  /** Announces everything again if the server has lost it. */
  async #check(shard: RedisShard): Promise<void> {
    if (!shard.isUp || !this.#outbox.isKnownTo(shard)) return;
    const { redis, cluster } = this.#links;
    try {
      if ((await shard.send("EXISTS", [roomsKey(redis.prefix, cluster.nodeId)])) === 0) this.#announce(shard);
    } catch (error) {
      this.#reader.failed(shard, error);
    }
  }

  #announceAll(): void {
    for (const shard of this.#links.redis.shards) if (shard.isUp) this.#announce(shard);
  }

  #announce(shard: RedisShard): void {
    if (this.#isStopped) return;
    this.#reader.restored(shard);
    void this.#outbox.announce(shard);
    this.#held.distrust(shard);
  }
}

/** Returns the part of the merged list from `offset`; `users` are those from the place `from` among the users. */
function window(
  users: readonly PresenceEntry[],
  from: number,
  agents: readonly PresenceEntry[],
  offset: number,
  limit: number,
): PresenceEntry[] {
  const [first] = users;
  const before = first === undefined || from === 0 ? 0 : agents.filter(({ since }) => since < first.since).length;
  const start = offset - from - before;
  return merge(users, agents.slice(before)).slice(Math.max(0, start), Math.max(0, start) + limit);
}
