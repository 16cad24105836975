import type { AppContext } from "../context.ts";
import { type AppError, fail } from "../errors.ts";
import { type Offer, termsOf } from "../payments/terms.ts";
import type { Channel } from "./channel-cache.ts";

/** A place in the channel. Paid to its owner, where he has proven a wallet. The channel must have a price. */
export const placeIn = (channel: Channel): Offer => ({
  ...soldBy(channel),
  resource: `/api/channels/${channel.id}/join`,
  description: `A place in the channel ${channel.slug}`,
  isPersonal: true,
});

/** Where a copy of it is sold. */
export const copyPath = ({ id }: Pick<Channel, "id">): string => `/api/channels/${id}/export`;

/** A copy of what is in it. */
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
 * What who is not in it is told of a channel with a price. Only joining takes payments, and only there a demand is made; this one names
 * the price (protocol §7). Gives `payment_required`, or `payments_not_configured`.
 */
export async function pricedOut(ctx: AppContext, channel: Channel): Promise<AppError> {
  const { resource, price } = placeIn(channel);
  const { recipient } = await termsOf(ctx, placeIn(channel));
  const { amount, currency, chain_id: chainId } = price;
  return fail("payment_required", {
    message: `A place in this channel has to be paid for: POST ${resource}.`,
    details: { resource, price },
    headers: { "payment-required": JSON.stringify({ amount, currency, chainId, recipient, resource }) },
  });
}
