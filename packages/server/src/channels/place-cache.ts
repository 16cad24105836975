import { LoadingCache } from "../base/loading-cache.ts";
import type { AppContext } from "../context.ts";
import type { MemberKey } from "../http/identity.ts";
import { onControl, onControlLost } from "../realtime/control/control.ts";

/** A channel and a user or agent, who need not be a member: `<channel id>:<member key>`. */
export type PlaceKey = `${number}:${MemberKey}`;

/**
 * Returns a cache of what is known of places in channels. Changes of a membership, of a ban and of a kept mute are
 * announced by all nodes as `membership_changed`, which invalidates the entry. The entries of a deleted channel go with
 * it: otherwise they would stay until 50,000 newer ones had come.
 */
export function placeCache<V>(ctx: AppContext, max: number): LoadingCache<PlaceKey, V> {
  const kept = new LoadingCache<PlaceKey, V>(max);
  onControl(ctx, "membership_changed", ({ channelId, member }) => kept.forget(`${channelId}:${member}`));
  onControl(ctx, "channel_deleted", (channelId) => kept.forgetWhere((key) => key.startsWith(`${channelId}:`)));
  onControlLost(ctx, () => kept.clear());
  return kept;
}
