/**
 * The actors online in each channel, as this node sees the whole cluster.
 *
 * Promises: an actor is listed once per channel however many sockets hold it; entries are ordered by `since`; a change
 * is reported through `onChange` once, after it can be read back.
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
  /** Removes the entry, however many holders it has (kick, revocation, deletion). */
  remove(channelId: number, kind: PresenceEntry["kind"], id: number, name?: string): void;
  /** Guests are only counted. */
  enterGuest(channelId: number): void;
  leaveGuest(channelId: number): void;
  list(channelId: number, limit: number, offset?: number): PresenceEntry[];
  /** The number of listed entries, without guests. */
  count(channelId: number): number;
  guestCount(channelId: number): number;
  has(channelId: number, kind: PresenceEntry["kind"], id: number): boolean;
  /** True if the user is online in a channel, or connected at all. */
  isUserOnline(userId: number): boolean;
  onChange(handler: (channelId: number) => void): void;
  /**
   * Reports when a user comes online (see `isUserOnline`) and when they go offline, once each, after it can be read
   * back.
   */
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
