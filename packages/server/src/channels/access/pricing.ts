import type { AppContext } from "../../context.ts";
import { type AppError, fail } from "../../errors.ts";
import { type Offer, requirementsOf } from "../../payments/offers/offers.ts";
import type { Channel } from "../channel.ts";

/** Offers a place in the channel, paid to its owner if they have proven a wallet. The channel must have a price. */
export const placeIn = (channel: Channel): Offer => ({
  ...soldBy(channel),
  resource: placeResource(channel.id),
  description: `Membership in the channel ${channel.slug}`,
  isPersonal: true,
});

/** Returns the resource of a place in a channel: the path of the request that joins it, as payments store it. */
export const placeResource = (channelId: number): string => `/api/channels/${channelId}/join`;

/** Inverse of `placeResource`. Returns null for resources that are not places. */
export function parsePlaceResource(resource: string): number | null {
  const id = Number(/^\/api\/channels\/(\d+)\/join$/.exec(resource)?.[1]);
  return Number.isSafeInteger(id) ? id : null;
}

/** Returns the path where an export is sold. */
export const copyPath = ({ id }: Pick<Channel, "id">): string => `/api/channels/${id}/export`;

/** Offers an export of the channel. */
export const copyOf = (channel: Pick<Channel, "id" | "slug" | "price" | "ownerId">): Offer => ({
  ...soldBy(channel),
  resource: copyPath(channel),
  description: `A copy of the channel ${channel.slug}`,
  isPersonal: false,
});

function soldBy({ id, price, ownerId }: Pick<Channel, "id" | "price" | "ownerId">): Pick<Offer, "price" | "sellerId"> {
  if (price === null) throw new Error(`The channel ${id} has no price.`);
  return { price, sellerId: ownerId };
}

/**
 * Returns the error that non-members get for a priced channel. It only names the price: payments are asked for and
 * accepted by joining alone (protocol §7). The code is `payment_required` or `payments_not_configured`.
 */
export async function paymentRequiredError(ctx: AppContext, channel: Channel): Promise<AppError> {
  const { resource, price } = placeIn(channel);
  const { recipient } = await requirementsOf(ctx, placeIn(channel));
  const { amount, currency, chain_id: chainId } = price;
  return fail("payment_required", {
    message: `Joining this channel requires payment: POST ${resource}.`,
    details: { resource, price },
    headers: { "payment-required": JSON.stringify({ amount, currency, chainId, recipient, resource }) },
  });
}
