/**
 * Who is online in which channel, on this node's view of the whole cluster.
 *
 * Promises: an actor is listed once per channel however many sockets hold it; entries are ordered by `since`; a change is reported
 * through `onChange` once per change, after it can be read back.
 */
export interface Presence extends AsyncDisposable {
  /** Counts one more holder (a socket, an agent's login) of the entry. The first one lists it; later ones refresh it. */
  enter(channelId: number, entry: PresenceEntry): void;
  /** Shows the honor level of an actor that is listed as it is now. Who he is and since when stays. */
  refresh(channelId: number, entry: PresenceEntry): void;
  /** Gives one holder back; the last one removes the entry after `graceMs` (0: at once). Entering again in between cancels that. */
  leave(channelId: number, kind: PresenceEntry["kind"], id: number, name: string, graceMs: number): void;
  /** Removes the entry whatever holds it (kick, revocation, deletion). */
  remove(channelId: number, kind: PresenceEntry["kind"], id: number, name?: string): void;
  /** Guests are only counted. */
  enterGuest(channelId: number): void;
  leaveGuest(channelId: number): void;
  list(channelId: number, limit: number, offset?: number): PresenceEntry[];
  /** Listed entries (guests not among them). */
  count(channelId: number): number;
  guestCount(channelId: number): number;
  has(channelId: number, kind: PresenceEntry["kind"], id: number): boolean;
  /** Is this user online in any channel, or connected at all? */
  isUserOnline(userId: number): boolean;
  onChange(handler: (channelId: number) => void): void;
  /** Reports when a user comes online (see `isUserOnline`) and when he no longer is, once each, after it can be read back. */
  onUserChange(handler: (userId: number, isOnline: boolean) => void): void;
}

/** The pseudo-channel every socket of a user holds, so that a user without a channel counts as online. It reports no change. */
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
