import { USER_LIST_MAX } from "@parley/protocol/limits";
import type { PresenceChange, PresenceEntry } from "../presence.ts";
import type { RoomState } from "./scripts.ts";
import { type RoomChange, RoomView } from "./view.ts";

const NONE: readonly PresenceEntry[] = [];

/**
 * A room whose list this node shows: the list of all nodes, and on top of it the changes that only this node knows yet.
 * A user who enters here is listed at once. One who leaves is removed when Redis has answered that no other node holds
 * them, or cannot be asked.
 */
export class HeldRoom {
  holders = 1;
  /** Resolves when the room has been read or could not be; undefined afterwards. */
  ready: Promise<void> | undefined;
  /** Ends the subscription. */
  stop: () => void = () => {};
  /** Cancels the reading that is due; null: none is. */
  cancelReading: (() => void) | null = null;
  readonly view = new RoomView();
  readonly #entered = new Map<number, PresenceEntry>();
  readonly #left = new Set<number>();
  readonly #report: (change: PresenceChange) => void;

  /** `report` receives the changes of what `users` and `count` return. */
  constructor(report: (change: PresenceChange) => void) {
    this.#report = report;
  }

  /** The number of users. */
  get count(): number {
    return Math.max(0, this.view.count + this.#entered.size - this.#left.size);
  }

  /** The first users, by `since`. */
  users(): PresenceEntry[] {
    if (this.#entered.size + this.#left.size === 0) return this.view.first;
    const known = this.view.first.filter(({ id }) => !this.#left.has(id));
    return merge(known, [...this.#entered.values()].sort(bySince)).slice(0, USER_LIST_MAX);
  }

  /** True if `users` returns all of them. */
  get isComplete(): boolean {
    return this.users().length === this.count;
  }

  /** A user has come online on this node. `isAway`: Redis cannot be asked. */
  entered(entry: PresenceEntry, isAway: boolean): void {
    if (this.#left.delete(entry.id)) {
      this.#changed({ joined: [entry] });
      return;
    }
    if (this.view.has(entry.id) || (!this.view.isComplete && !isAway)) return;
    this.#entered.set(entry.id, entry);
    this.#changed({ joined: [entry] });
  }

  /** A user has gone offline on this node. */
  left(entry: PresenceEntry, isAway: boolean): void {
    if (!this.#entered.delete(entry.id)) {
      if (!isAway || this.#left.has(entry.id)) return;
      this.#left.add(entry.id);
    }
    this.#changed({ left: [entry] });
  }

  /** A user has another honor level. For users whom Redis lists, the change arrives from there. */
  updated(entry: PresenceEntry): void {
    if (!this.#entered.has(entry.id)) return;
    this.#entered.set(entry.id, entry);
    this.#changed({ updated: [entry] });
  }

  /** Takes a change that a node has published. */
  heard(change: RoomChange): void {
    for (const { joined, left, updated, isTruncated } of this.view.offer(change)) {
      // The list is read next, and compared.
      if (isTruncated) continue;
      const news = joined.filter(({ id }) => !this.#left.delete(id) && !this.#entered.delete(id));
      const gone = left.filter(({ id }) => !this.#left.delete(id) && !this.#entered.has(id));
      if (news.length + gone.length + updated.length > 0) this.#changed({ joined: news, left: gone, updated });
    }
  }

  /** Redis has executed this node's changes of these users. Returns true if the room has to be read. */
  confirmed(userIds: readonly number[]): boolean {
    let isStale = this.view.isBehind;
    for (const id of userIds) {
      // Another node had listed the user, and this view has not heard it.
      if (this.#entered.has(id)) isStale = true;
      // Another node still holds the user.
      if (this.#left.delete(id)) {
        const entry = this.view.first.find((one) => one.id === id);
        if (entry !== undefined) this.#changed({ joined: [entry] });
      }
    }
    return isStale;
  }

  /**
   * Takes the room as it was read. `isOwn` returns whether this node holds a user; `isPending`: Redis has not executed
   * all changes of this node yet; `isFirst`: nobody has seen the list before.
   */
  loaded(state: RoomState, isOwn: (userId: number) => boolean, isPending: boolean, isFirst: boolean): void {
    const before = { users: this.users(), count: this.count, isComplete: this.isComplete };
    this.view.load(state);
    if (!isPending) this.#left.clear();
    for (const id of this.#entered.keys()) {
      if (this.view.has(id) || !isOwn(id) || !(isPending || this.view.isComplete)) this.#entered.delete(id);
    }
    if (isFirst) return;
    const { joined, left, updated } = compare(before.users, this.users());
    const isSame = joined.length + left.length === 0 && before.count === this.count;
    if (isSame && updated.length === 0) return;
    if (isSame || (before.isComplete && this.isComplete)) this.#changed({ joined, left, updated });
    else this.#changed({ isPartial: true });
  }

  #changed(part: Partial<PresenceChange>): void {
    this.#report({ joined: NONE, left: NONE, updated: NONE, isPartial: false, ...part });
  }
}

function compare(before: readonly PresenceEntry[], now: readonly PresenceEntry[]) {
  const old = new Map(before.map((entry) => [entry.id, entry]));
  const ids = new Set(now.map(({ id }) => id));
  return {
    joined: now.filter(({ id }) => !old.has(id)),
    left: before.filter(({ id }) => !ids.has(id)),
    updated: now.filter(({ id, honorLevel }) => (old.get(id)?.honorLevel ?? honorLevel) !== honorLevel),
  };
}

const bySince = (a: PresenceEntry, b: PresenceEntry): number => a.since - b.since;

/** Merges two lists that are in the order of `since`; at the same time the first list's entry comes first. */
export function merge(first: readonly PresenceEntry[], second: readonly PresenceEntry[]): PresenceEntry[] {
  if (second.length === 0) return [...first];
  const merged: PresenceEntry[] = [];
  let at = 0;
  for (const entry of first) {
    for (let other = second[at]; other !== undefined && other.since < entry.since; other = second[at]) {
      merged.push(other);
      at += 1;
    }
    merged.push(entry);
  }
  return [...merged, ...second.slice(at)];
}
