import type { ChannelJoinData } from "@parley/protocol/command-data";
import type { ParleyError } from "../errors.ts";
import type { Position, SubscribeOptions } from "./subscription-types.ts";

/** How a subscription identifies its channel. */
export function channelRef(options: SubscribeOptions, channelId: number | null) {
  const ref = channelId ?? options.channel;
  return typeof ref === "number" ? { channel_id: ref } : { channel_slug: ref };
}

/**
 * Returns the data of the join: the channel, the password until the first join, and the position to resume from.
 */
export function joinData(
  options: SubscribeOptions,
  channelId: number | null,
  position: Position | null,
): ChannelJoinData {
  return {
    ...channelRef(options, channelId),
    // A member needs no password.
    ...(options.password === undefined || channelId !== null ? {} : { password: options.password }),
    ...(options.agentName === undefined ? {} : { agent_name: options.agentName }),
    ...(position === null ? {} : { after_seq: position.seq, epoch: position.epoch }),
  };
}

/** Returns whether joining again can help. Errors of the socket have no status. */
export function isTemporary({ code, status, retryable }: ParleyError): boolean {
  return retryable || status >= 500 || code === "internal_error";
}
