import type { MaybePromise } from "../../base/maybe-promise.ts";

/**
 * The actors online in each channel, on all nodes.
 *
 * Promises: an actor is listed once per channel however many sockets on however many nodes hold it; entries are ordered
 * by `since`; a change is reported through `onChange` once, after it can be read back. No method throws or rejects:
 * while the other nodes cannot be reached, this node answers from what it knows.
 */
export interface Presence extends AsyncDisposable {
  /** Adds a holder (a socket, an agent's login) of the entry. The first one lists it; later ones refresh it. */
  enter(channelId: number, entry: PresenceEntry): void;
  /** Updates the honor level of a listed actor. Its identity and `since` remain. */
  refresh(channelId: number, entry: PresenceEntry): void;
  /**
   * Removes a holder; the last one removes the entry after `graceMs` (0: at once). Entering again in between cancels
   * that.
   */
  leave(channelId: number, kind: PresenceEntry["kind"], id: number, name: string, graceMs: number): void;
  /** Removes this node's entry, however many holders it has (kick, revocation, deletion). */
  remove(channelId: number, kind: PresenceEntry["kind"], id: number, name?: string): void;
  /** Guests are only counted. */
  enterGuest(channelId: number): void;
  leaveGuest(channelId: number): void;
  /**
   * Keeps the channel's newest state on this node until `release`: `list`, `count` and `guestCount` answer for all
   * nodes, and `onChange` reports their changes. Await it before reading them.
   */
  hold(channelId: number): MaybePromise<void>;
  release(channelId: number): void;
  /** The first entries of a held channel, at most `USER_LIST_MAX`. */
  list(channelId: number, limit: number): PresenceEntry[];
  /** The number of listed entries of a held channel, without guests. */
  count(channelId: number): number;
  guestCount(channelId: number): number;
  /** Any part of any channel's list. */
  page(channelId: number, limit: number, offset: number): MaybePromise<PresenceEntry[]>;
  /** The counts of any channels, in their order; up to a second old. */
  counts(channelIds: readonly number[]): MaybePromise<PresenceCounts[]>;
  has(channelId: number, kind: PresenceEntry["kind"], id: number): MaybePromise<boolean>;
  /** True if the user is online in a channel, or connected at all. */
  isUserOnline(userId: number): MaybePromise<boolean>;
  onChange(handler: (channelId: number, change: PresenceChange) => void): void;
  /**
   * Call when this node stops. The other nodes show its users and guests for `returnMs` more, so that clients which
   * return to another node by then change no list.
   */
  stopping(returnMs: number): MaybePromise<void>;
  /** Reports when a user comes online on this node and when they go offline, once each, after it can be read back. */
  onUserChange(handler: (userId: number, isOnline: boolean) => void): void;
}

/**
 * The pseudo-channel that every socket of a user holds, so that a user without a channel counts as online. It reports
 * no change.
 */
export const CONNECTED = 0;

export interface PresenceEntry {
  kind: "user" | "agent";
  /** User id or agent id. */
  id: number;
  name: string;
  honorLevel: number;
  /** Epoch ms. */
  since: number;
}

export interface PresenceCounts {
  count: number;
  guests: number;
}

/** A change of a channel's list. */
export interface PresenceChange {
  joined: readonly PresenceEntry[];
  left: readonly PresenceEntry[];
  /** Entries with another honor level. */
  updated: readonly PresenceEntry[];
  /** True if others may have joined or left, too. */
  isPartial: boolean;
}

/** A user has one entry; an agent has one per name it is logged in under. */
export function keyOf(kind: PresenceEntry["kind"], id: number, name: string): string {
  return kind === "user" ? `u${id}` : `a${id}:${name.toLowerCase()}`;
}
