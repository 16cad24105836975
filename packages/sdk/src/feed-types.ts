import type { EVENTS, EventName } from "@parley/protocol/events";
import type { ChannelJoinAck } from "@parley/protocol/realtime";
import type { ParleyError } from "./errors.ts";
import type { LiveEvent } from "./live-types.ts";

type Durable = { [N in EventName]: (typeof EVENTS)[N]["durable"] extends true ? N : never }[EventName];

/** A durable event of a channel: it has a `seq`. */
export type FeedEvent = Extract<LiveEvent, { event: Durable }>;
/** What is only heard by who listens, such as `user:list` and `typing`. */
export type PassingEvent = Exclude<LiveEvent, FeedEvent>;

/** Where a consumer stands: it has seen all up to `seq` of this incarnation of the data. Keep it to go on in another run. */
export interface Position {
  seq: number;
  epoch: string;
}

export interface FeedHandlers {
  /** Every durable event: in order of `seq`, once. */
  onEvent(event: FeedEvent): void;
  onPassing?(event: PassingEvent): void;
  /** The newest messages are handed on (see `backlog`), what follows is new. `hasOlder`: there are messages before them. */
  onBegun?(begin: { hasOlder: boolean }): void;
  /** After each join and each rejoin: the channel, one's role, who is online. */
  onJoined?(ack: ChannelJoinAck): void;
  /**
   * Too much was missed to be told event by event: the messages of the range follow as `message:new`, as they stand now. What became of
   * older ones (edits, deletions, pins) within it is not told; read again what is shown.
   */
  onPaged?(range: { afterSeq: number; upToSeq: number }): void;
  /** The server's data is another than before (restored from a backup): forget all, it begins anew. */
  onReset?(): void;
  /**
   * No further event comes: left, kicked, no access, the connection ended. Not after `channel:deleted`: should an administrator restore the
   * channel, the feed goes on where it stopped. Close it to wait no longer.
   */
  onEnded?(error: ParleyError): void;
}

export interface FeedOptions extends FeedHandlers {
  /** The channel's slug or id. */
  channel: string | number;
  password?: string | undefined;
  /** Goes on from here. Else the feed begins with the newest `backlog` messages (default 0), then what comes. */
  after?: Position | undefined;
  backlog?: number | undefined;
}
