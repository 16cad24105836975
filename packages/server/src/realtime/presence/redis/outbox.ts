import type { Scheduler } from "../../../base/scheduler.ts";
import type { RedisShard, RedisShards } from "../../../redis/shards.ts";
import type { PresenceEntry } from "../presence.ts";
import { type Applied, applyUpdate, type RoomKeys, roomKeys, roomsKey } from "./scripts.ts";

/** The least time between two updates of a room. */
const MERGE_MS = 250;
/** How long a room waits after a failed update. */
const AGAIN_MS = 1_000;
/** Users in one update: the server does nothing else in the meantime. */
const PART = 500;
/** Rooms that are announced at the same time. */
const AT_ONCE = 16;

/** The users and guests that this node holds itself. */
export interface OwnRooms {
  rooms(): Iterable<string>;
  user(room: string, id: number): PresenceEntry | undefined;
  users(room: string): PresenceEntry[];
  guests(room: string): number;
  isEmpty(room: string): boolean;
}

interface Options {
  redis: RedisShards;
  nodeId: () => string;
  scheduler: Scheduler;
  own: OwnRooms;
  /** An update was executed. */
  onApplied: (room: string, applied: Applied, sent: readonly number[], about: About) => void;
  onFailure: (shard: RedisShard, error: unknown) => void;
  /** The server has lost what this node announced. */
  onLost: (shard: RedisShard) => void;
}

/** Other facts about an update that was executed. */
export interface About {
  /** The server now knows exactly what this node holds. */
  isWhole: boolean;
  /** The one before it failed, and may have been executed all the same: then nobody has heard of its changes. */
  isAgain: boolean;
}

interface Room {
  /** Users whose presence here may differ from what the server knows. */
  ids: Set<number>;
  /** True if everything may differ. */
  isUnknown: boolean;
  isDirty: boolean;
  isTimed: boolean;
  isSending: boolean;
  hasFailed: boolean;
}

/**
 * Sends to Redis which users and guests this node holds: of each room the first change at once, later ones merged. An
 * update contains the state at the time it is sent, so repeating one is harmless, and after a failure all of the room
 * is compared.
 */
export class PresenceOutbox {
  readonly #options: Options;
  readonly #rooms = new Map<string, Room>();
  /** The rooms that the server knows of this node, with the guests it knows. */
  readonly #known = new Map<string, number>();
  #isStopped = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** A user has come or gone, or the number of guests has changed. */
  touch(room: string, userId?: number): void {
    if (this.#isStopped) return;
    const state = this.#room(room);
    if (userId !== undefined && !state.isUnknown) state.ids.add(userId);
    this.#schedule(room, state);
  }

  /** Whether a change of the room has not been executed yet. */
  isPending(room: string): boolean {
    const state = this.#rooms.get(room);
    return state !== undefined && (state.isDirty || state.isSending);
  }

  /** The number of rooms with a change that has not been executed. */
  get waiting(): number {
    let waiting = 0;
    for (const { isDirty, isSending } of this.#rooms.values()) if (isDirty || isSending) waiting += 1;
    return waiting;
  }

  /** The guests of this node that the server knows. */
  knownGuests(room: string): number {
    return this.#known.get(room) ?? 0;
  }

  /** Whether the server should know a room of this node. */
  isKnownTo(shard: RedisShard): boolean {
    for (const room of this.#known.keys()) if (this.shardOf(room) === shard) return true;
    return false;
  }

  shardOf(room: string): RedisShard {
    return this.#options.redis.shardOf(`p:${room}`);
  }

  keysOf(room: string): RoomKeys {
    return roomKeys(this.#options.redis.prefix, room, this.#options.nodeId());
  }

  /** Compares all of this node's rooms on a server, and renews them. */
  async announce(shard: RedisShard): Promise<void> {
    const { redis, nodeId, own, onFailure } = this.#options;
    const stored = await shard.send("SMEMBERS", [roomsKey(redis.prefix, nodeId())]).catch((error: unknown) => {
      onFailure(shard, error);
      return [];
    });
    const rooms = new Set([...own.rooms(), ...this.#known.keys(), ...(stored as string[])]);
    const here = [...rooms].filter((room) => this.shardOf(room) === shard);
    const next = here.values();
    const worker = async () => {
      for (const room of next) {
        const state = this.#room(room);
        state.isUnknown = true;
        state.isDirty = true;
        await this.#flush(room, state);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  /** Sends nothing from now on. */
  stop(): void {
    this.#isStopped = true;
    this.#rooms.clear();
  }

  #room(room: string): Room {
    const found = this.#rooms.get(room);
    if (found !== undefined) return found;
    const made: Room = {
      ids: new Set(),
      isUnknown: false,
      isDirty: false,
      isTimed: false,
      isSending: false,
      hasFailed: false,
    };
    this.#rooms.set(room, made);
    return made;
  }

  #schedule(room: string, state: Room): void {
    state.isDirty = true;
    if (!state.isTimed && !state.isSending) this.#arm(room, state, 0);
  }

  #arm(room: string, state: Room, ms: number): void {
    state.isTimed = true;
    this.#options.scheduler.after(ms, () => {
      state.isTimed = false;
      if (this.#isStopped || state.isSending) return;
      if (state.isDirty) void this.#flush(room, state);
      else if (this.#rooms.get(room) === state) this.#rooms.delete(room);
    });
  }

  async #flush(room: string, state: Room): Promise<void> {
    if (this.#isStopped || state.isSending) return;
    const shard = this.shardOf(room);
    // Without a connection nothing is kept: the next one announces everything.
    if (!shard.isUp) {
      this.#rooms.delete(room);
      return;
    }
    state.isSending = true;
    state.isDirty = false;
    const isWhole = state.isUnknown;
    const ids = state.ids;
    state.ids = new Set();
    let pause = MERGE_MS;
    try {
      if (isWhole) await this.#sendWhole(shard, room, state);
      else await this.#send(shard, room, [...ids], { isWhole, isAgain: false });
      state.hasFailed = false;
    } catch (error) {
      state.hasFailed = true;
      state.isUnknown = true;
      state.isDirty = true;
      pause = AGAIN_MS;
      if (!this.#isStopped) this.#options.onFailure(shard, error);
    }
    state.isSending = false;
    if (!this.#isStopped && !state.isTimed) this.#arm(room, state, pause);
  }

  async #sendWhole(shard: RedisShard, room: string, state: Room): Promise<void> {
    const stored = (await shard.send("SMEMBERS", [this.keysOf(room).own])) as string[];
    const ids = new Set(stored.map(Number));
    for (const { id } of this.#options.own.users(room)) {
      if (!ids.delete(id)) ids.add(id);
    }
    state.isUnknown = false;
    await this.#send(shard, room, [...ids], { isWhole: true, isAgain: state.hasFailed });
  }

  async #send(shard: RedisShard, room: string, ids: readonly number[], about: About): Promise<void> {
    const { own, nodeId, onApplied } = this.#options;
    const keys = this.keysOf(room);
    for (let from = 0; from === 0 || from < ids.length; from += PART) {
      const part = ids.slice(from, from + PART);
      const joins = part.flatMap((id) => own.user(room, id) ?? []);
      const leaves = part.filter((id) => own.user(room, id) === undefined);
      const guests = own.guests(room);
      const update = { joins, leaves, guests, renews: about.isWhole };
      const applied = await applyUpdate(shard, keys, { node: nodeId(), room }, update);
      if (this.#isStopped) return;
      if (!applied.wasKnown && this.isKnownTo(shard)) this.#options.onLost(shard);
      if (own.isEmpty(room) && from + PART >= ids.length) this.#known.delete(room);
      else this.#known.set(room, guests);
      onApplied(room, applied, part, { ...about, isWhole: about.isWhole && from + PART >= ids.length });
    }
  }
}
