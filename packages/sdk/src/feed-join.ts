import type { ChannelJoinData } from "@parley/protocol/realtime";
import type { ParleyError } from "./errors.ts";
import type { FeedOptions, Position } from "./feed-types.ts";

/** How a feed names its channel. */
export function channelRef(options: FeedOptions, channelId: number | null) {
  const ref = channelId ?? options.channel;
  return typeof ref === "number" ? { channel_id: ref } : { channel_slug: ref };
}

/** What a feed's join says: the channel, the password until one is in, and from where to resume. */
export function joinData(options: FeedOptions, channelId: number | null, position: Position | null): ChannelJoinData {
  return {
    ...channelRef(options, channelId),
    // A member needs no password any more.
    ...(options.password === undefined || channelId !== null ? {} : { password: options.password }),
    ...(position === null ? {} : { after_seq: position.seq, epoch: position.epoch }),
  };
}

/** Can joining again help? Over the socket an error has no status. */
export function isPassing({ code, status, retryable }: ParleyError): boolean {
  return retryable || status >= 500 || code === "internal_error";
}
