import type { ChannelJoinData } from "@parley/protocol/realtime";
import type { ParleyError } from "./errors.ts";
import type { FeedOptions, Position } from "./feed-types.ts";

/** How a feed identifies its channel. */
export function channelRef(options: FeedOptions, channelId: number | null) {
  const ref = channelId ?? options.channel;
  return typeof ref === "number" ? { channel_id: ref } : { channel_slug: ref };
}

/**
 * Returns the data of a feed's join: the channel, the password until the first join, and the position to resume from.
 */
export function joinData(options: FeedOptions, channelId: number | null, position: Position | null): ChannelJoinData {
  return {
    ...channelRef(options, channelId),
    // A member needs no password.
    ...(options.password === undefined || channelId !== null ? {} : { password: options.password }),
    ...(position === null ? {} : { after_seq: position.seq, epoch: position.epoch }),
  };
}

/** Returns whether joining again can help. Errors of the socket have no status. */
export function isPassing({ code, status, retryable }: ParleyError): boolean {
  return retryable || status >= 500 || code === "internal_error";
}
