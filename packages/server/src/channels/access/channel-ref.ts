import { fail } from "../../errors.ts";
import type { Channel, ChannelRef } from "../channel.ts";

/**
 * Rejects a request whose slug belongs to another channel than its id. Call this only after the access check, or it
 * reveals a hidden channel's slug. Errors: `invalid_request`.
 */
export function checkSame(channel: Channel, { id, slug }: ChannelRef): Channel {
  if (id !== undefined && slug !== undefined && slug !== channel.slug) throw contradiction();
  return channel;
}

/** Returns the channel reference of a request whose `channel_id` may also be a slug. Errors: `invalid_request`. */
export function refOf({ channel_id, channel_slug }: NamedChannel): ChannelRef {
  const [id, slug] = [channel_id ?? undefined, channel_slug ?? undefined];
  if (typeof id !== "string") return { id, slug };
  if (slug !== undefined && slug !== id) throw contradiction();
  return { slug: id };
}

/** A request that names a channel by id, slug or both. */
export interface NamedChannel {
  channel_id?: number | string | null;
  channel_slug?: string | null;
}

const contradiction = () =>
  fail("invalid_request", {
    details: [{ path: "channel_slug", message: "does not belong to the channel in channel_id" }],
  });
