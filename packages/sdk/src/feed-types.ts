import type { EVENTS, EventName } from "@parley/protocol/events";
import type { ChannelJoinAck } from "@parley/protocol/realtime";
import type { ParleyError } from "./errors.ts";
import type { LiveEvent } from "./live-types.ts";

type Durable = { [N in EventName]: (typeof EVENTS)[N]["durable"] extends true ? N : never }[EventName];

/** A durable event of a channel: it has a `seq`. */
export type FeedEvent = Extract<LiveEvent, { event: Durable }>;
/** Ephemeral events, such as `user:list` and `typing`: only current subscribers receive them. */
export type PassingEvent = Exclude<LiveEvent, FeedEvent>;

/**
 * A consumer's position: it has seen everything up to `seq` of this epoch of the data. Store it to continue in another
 * run.
 */
export interface Position {
  seq: number;
  epoch: string;
}

export interface FeedHandlers {
  /** Every durable event: in order of `seq`, once. */
  onEvent(event: FeedEvent): void;
  onPassing?(event: PassingEvent): void;
  /**
   * The newest messages were delivered (see `backlog`); later ones are new. `hasOlder`: there are messages before them.
   */
  onBegun?(begin: { hasOlder: boolean }): void;
  /** After each join and rejoin: the channel, the user's role, the online list. */
  onJoined?(ack: ChannelJoinAck): void;
  /**
   * Too much was missed to be replayed event by event: the messages of the range follow as `message:new`, in their
   * current state. Changes to older ones within it (edits, deletions, pins) are not reported; reload what is shown.
   */
  onPaged?(range: { afterSeq: number; upToSeq: number }): void;
  /** The server's data was replaced (restored from a backup): discard everything; the feed starts again. */
  onReset?(): void;
  /**
   * No further event follows: left, kicked, no access, the connection ended. Not called after `channel:deleted`: if an
   * administrator restores the channel, the feed continues from its position. Close the feed to stop waiting.
   */
  onEnded?(error: ParleyError): void;
}

export interface FeedOptions extends FeedHandlers {
  /** The channel's slug or id. */
  channel: string | number;
  password?: string | undefined;
  /** Continues from here. Otherwise the feed starts with the newest `backlog` messages (default 0), then new events. */
  after?: Position | undefined;
  backlog?: number | undefined;
}
