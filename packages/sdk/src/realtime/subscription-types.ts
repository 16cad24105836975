import type { ChannelJoinAck } from "@parley/protocol/command-data";
import type { EVENTS, EventName } from "@parley/protocol/events";
import type { ParleyError } from "../errors.ts";
import type { RealtimeEvent } from "./realtime-types.ts";

type Durable = { [N in EventName]: (typeof EVENTS)[N]["durable"] extends true ? N : never }[EventName];

/** A durable event of a channel: it has a `seq`. */
export type ChannelEvent = Extract<RealtimeEvent, { event: Durable }>;
/** Ephemeral events, such as `user:list` and `typing`: only current subscribers receive them. */
export type EphemeralEvent = Exclude<RealtimeEvent, ChannelEvent>;

/**
 * A consumer's position: it has seen everything up to `seq` of this epoch of the data. Store it to continue in another
 * run.
 */
export interface Position {
  seq: number;
  epoch: string;
}

export interface SubscriptionHandlers {
  /** Every durable event: in order of `seq`, once. */
  onEvent(event: ChannelEvent): void;
  onEphemeral?(event: EphemeralEvent): void;
  /**
   * The newest messages were delivered (see `backlog`); later ones are new. `hasOlder`: there are messages before them.
   */
  onReady?(begin: { hasOlder: boolean }): void;
  /** After each join and rejoin: the channel, the user's role, the online list. */
  onJoined?(ack: ChannelJoinAck): void;
  /**
   * Too much was missed to be replayed event by event: the messages of the range follow as `message:new`, in their
   * current state. Changes to older ones within it (edits, deletions, pins) are not reported; reload what is shown.
   */
  onBackfill?(range: { afterSeq: number; upToSeq: number }): void;
  /**
   * Discard everything; the subscription starts again: the server's data was replaced (restored from a backup), or an
   * import has changed the history of the channel (`history:extended`).
   */
  onReset?(): void;
  /**
   * No further event follows: left, kicked, no access, the connection ended. Not called after `channel:deleted`: if an
   * administrator restores the channel, it continues from its position. Close it to stop waiting.
   */
  onClose?(error: ParleyError): void;
  /**
   * A handler threw, or its promise was rejected; the subscription continues. Default: the `onError` of the realtime
   * client.
   */
  onError?(error: unknown): void;
}

export interface SubscribeOptions extends SubscriptionHandlers {
  /** The channel's slug or id. */
  channel: string | number;
  password?: string | undefined;
  /** Agents: the name to be online under. Default: the agent's only name. */
  agentName?: string | undefined;
  /** Continues from here. Otherwise it starts with the newest `backlog` messages (default 0), then new events. */
  after?: Position | undefined;
  backlog?: number | undefined;
}
