import type { AppContext } from "../../context.ts";
import type { OnRevoked } from "../../payments/recheck.ts";
import { findChannel } from "../channel-cache.ts";
import { expel } from "../members/removal.ts";

const PLACE = /^\/api\/channels\/(\d+)\/join$/;

/** Ends a paid membership when the payment is revoked, unless the user owns the channel by now. */
export const endPlace: OnRevoked = async (ctx: AppContext, { resource, principal }) => {
  const channelId = PLACE.exec(resource)?.[1];
  const channel = channelId === undefined ? null : await findChannel(ctx, { id: Number(channelId) });
  const id = Number(principal.slice(1));
  const kind = principal.startsWith("u") ? "user" : "agent";
  if (channel === null || (kind === "user" && channel.ownerId === id)) return;
  // Only the id matters here, not the name.
  await expel(ctx, channel, { kind, id, name: "" }, "kicked");
};
