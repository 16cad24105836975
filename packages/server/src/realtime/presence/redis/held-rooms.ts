import { USER_LIST_MAX } from "@parley/protocol/limits";
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { Scheduler } from "../../../base/scheduler.ts";
import type { RedisShard } from "../../../redis/shards.ts";
import type { PresenceChange } from "../presence.ts";
import { HeldRoom } from "./held-room.ts";
import type { OwnRooms, PresenceOutbox } from "./outbox.ts";
import type { Links, RedisReader } from "./reader.ts";
import { isRestart, type RoomChange } from "./view.ts";
import { presenceTopic, readChange } from "./wire.ts";

/** The least time between two readings of a room, and how long a missing change may be late. */
const READ_MS = 250;
/** How long the other nodes take to announce everything again after Redis has lost it. */
const ANNOUNCE_MS = 3_000;
/** How long a join waits for the topic of a channel's presence. */
const TOPIC_MS = 100;

interface Options {
  links: Links;
  scheduler: Scheduler;
  own: OwnRooms;
  outbox: PresenceOutbox;
  reader: RedisReader;
  report: (channelId: number, change: PresenceChange) => void;
}

/** The channels that somebody on this node watches, each with its list as all nodes see it. */
export class HeldRooms implements Disposable {
  readonly #options: Options;
  readonly #rooms = new Map<number, HeldRoom>();

  constructor(options: Options) {
    this.#options = options;
  }

  get(channelId: number): HeldRoom | undefined {
    return this.#rooms.get(channelId);
  }

  /** Adds a holder. The first one reads the room. */
  hold(channelId: number): MaybePromise<void> {
    const found = this.#rooms.get(channelId);
    if (found !== undefined) {
      found.holders += 1;
      return found.ready;
    }
    const held = new HeldRoom((change) => this.#options.report(channelId, change));
    this.#rooms.set(channelId, held);
    held.ready = this.#begin(channelId, held).finally(() => {
      held.ready = undefined;
    });
    return held.ready;
  }

  release(channelId: number): void {
    const held = this.#rooms.get(channelId);
    if (held === undefined) return;
    held.holders -= 1;
    if (held.holders > 0) return;
    this.#rooms.delete(channelId);
    held.cancelReading?.();
    held.stop();
  }

  /** Applies what an update by this node has changed. `mustRead`: the view may differ in more. */
  confirmed(channelId: number, change: RoomChange | null, sent: readonly number[], mustRead: boolean): void {
    const held = this.#rooms.get(channelId);
    if (held === undefined) return;
    if (change !== null) this.#hear(channelId, held, change);
    if (held.confirmed(sent) || mustRead) this.#readSoon(channelId, held, READ_MS);
  }

  /** Reads all rooms of a server that may have lost its data, when all nodes have announced everything again. */
  distrust(shard: RedisShard): void {
    for (const [channelId, held] of this.#rooms) {
      if (this.#options.outbox.shardOf(String(channelId)) !== shard) continue;
      held.cancelReading?.();
      held.cancelReading = null;
      this.#readSoon(channelId, held, ANNOUNCE_MS);
    }
  }

  [Symbol.dispose](): void {
    for (const held of this.#rooms.values()) {
      held.cancelReading?.();
      held.stop();
    }
    this.#rooms.clear();
  }

  async #begin(channelId: number, held: HeldRoom): Promise<void> {
    const listening = this.#options.links.hub.listen(presenceTopic(channelId), (messages) => {
      for (const message of messages) this.#hear(channelId, held, readChange(message));
    });
    held.stop = listening;
    const late = new Promise<void>((resolve) => this.#options.scheduler.after(TOPIC_MS, resolve));
    await Promise.race([listening.ready.catch(() => {}), late]);
    await this.#read(channelId, held, "first");
  }

  #hear(channelId: number, held: HeldRoom, change: RoomChange): void {
    const known = held.view.version;
    held.heard(change);
    if (!held.view.isBehind || held.ready !== undefined) return;
    this.#readSoon(channelId, held, isRestart(known, change.version) ? ANNOUNCE_MS : READ_MS);
  }

  #readSoon(channelId: number, held: HeldRoom, ms: number): void {
    held.cancelReading ??= this.#options.scheduler.after(ms, () => {
      held.cancelReading = null;
      void this.#read(channelId, held, ms >= ANNOUNCE_MS ? "late" : "soon");
    });
  }

  /** Reads the room, or tries again later if that fails or Redis has just lost its data. */
  async #read(channelId: number, held: HeldRoom, when: "first" | "soon" | "late"): Promise<void> {
    const { outbox, reader, own } = this.#options;
    const room = String(channelId);
    const shard = outbox.shardOf(room);
    const state = await reader.room(channelId, 0, USER_LIST_MAX);
    if (this.#rooms.get(channelId) !== held) return;
    // What was read some seconds ago is shown until Redis answers; its version shows what has changed since.
    const isAway = !reader.answers(shard);
    if (
      state === null ||
      (isAway && when !== "first") ||
      (when === "soon" && isRestart(held.view.version, state.version))
    ) {
      if (shard.isUp) this.#readSoon(channelId, held, ANNOUNCE_MS);
      return;
    }
    held.loaded(state, (id) => own.user(room, id) !== undefined, outbox.isPending(room), when === "first");
    if (isAway && shard.isUp) this.#readSoon(channelId, held, ANNOUNCE_MS);
    else if (held.view.isBehind) this.#readSoon(channelId, held, READ_MS);
  }
}
