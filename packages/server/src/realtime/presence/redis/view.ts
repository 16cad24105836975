import { USER_LIST_MAX } from "@parley/protocol/limits";
import type { PresenceEntry } from "../presence.ts";
import type { RoomState } from "./scripts.ts";

/** How far a version jumps, at least, when the server has lost its data and starts again. */
const RESTART_GAP = 10_000;
/** Later changes kept while an earlier one is missing. */
const EARLY_MAX = 100;

/** A change of a room, as nodes publish it to each other. */
export interface RoomChange {
  version: number;
  count: number;
  guests: number;
  joined: readonly PresenceEntry[];
  left: readonly PresenceEntry[];
  updated: readonly PresenceEntry[];
  /** True if the entries were too many to send. */
  isTruncated: boolean;
}

/**
 * The users of one room, as this node last heard of them: their number and the first 100. It applies changes in the
 * order of their versions, and says when it has missed one and must be read again.
 */
export class RoomView {
  version = 0;
  count = 0;
  guests = 0;
  /** By `since`. */
  first: PresenceEntry[] = [];
  #early = new Map<number, RoomChange>();
  #mustRead = false;

  /** True if the first users are all. */
  get isComplete(): boolean {
    return this.first.length === this.count;
  }

  /** True if the view is not up to date and nothing that may still arrive makes it so. */
  get isBehind(): boolean {
    return this.#mustRead || this.#early.size > 0;
  }

  has(userId: number): boolean {
    return this.first.some(({ id }) => id === userId);
  }

  /** Takes the room as it was read. It may have been read before a change that has arrived in the meantime. */
  load({ version, count, guests, users }: RoomState): void {
    if (version < this.version && !isRestart(this.version, version)) return;
    Object.assign(this, { version, count, guests });
    this.first = users.slice(0, USER_LIST_MAX);
    this.#mustRead = false;
    const early = [...this.#early.values()].sort((a, b) => a.version - b.version);
    this.#early.clear();
    for (const change of early) this.offer(change);
  }

  /**
   * Takes a change that a node has published. Returns the changes that could be applied, in order: none if it is old or
   * an earlier one is missing.
   */
  offer(change: RoomChange): RoomChange[] {
    if (change.version <= this.version && change.version > this.version - RESTART_GAP) return [];
    if (isRestart(this.version, change.version)) {
      this.#mustRead = true;
      return [];
    }
    if (this.#early.size < EARLY_MAX) this.#early.set(change.version, change);
    else this.#mustRead = true;
    const applied: RoomChange[] = [];
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#apply(next);
      applied.push(next);
    }
    return applied;
  }

  #next(): RoomChange | undefined {
    const next = this.#early.get(this.version + 1);
    if (next !== undefined) this.#early.delete(next.version);
    return next;
  }

  #apply({ version, count, guests, joined, left, updated, isTruncated }: RoomChange): void {
    const wasComplete = this.isComplete;
    Object.assign(this, { version, count, guests });
    if (isTruncated) {
      this.#mustRead = true;
      return;
    }
    const gone = new Set(left.map(({ id }) => id));
    if (gone.size > 0) this.first = this.first.filter(({ id }) => !gone.has(id));
    for (const entry of joined) this.#insert(entry, wasComplete);
    for (const entry of updated) this.first = this.first.map((old) => (old.id === entry.id ? entry : old));
    if (this.first.length < Math.min(count, USER_LIST_MAX)) this.#mustRead = true;
  }

  #insert(entry: PresenceEntry, wasComplete: boolean): void {
    if (this.has(entry.id)) return;
    const at = this.first.findLastIndex(({ since }) => since <= entry.since) + 1;
    // Among those that are not known here there may be older ones.
    if (at === this.first.length && !wasComplete) return;
    this.first.splice(at, 0, entry);
    if (this.first.length > USER_LIST_MAX) this.first.pop();
  }
}

/** True if the versions belong to different histories: the server lost its data in between. */
export const isRestart = (known: number, heard: number): boolean => known > 0 && Math.abs(heard - known) >= RESTART_GAP;
