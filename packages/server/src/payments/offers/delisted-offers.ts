import type { ErrorCode } from "@parley/protocol/errors";
import type { Price } from "@parley/protocol/price";
import type { AppContext } from "../../context.ts";
import { AppError } from "../../errors.ts";
import type { Identity } from "../../http/identity.ts";
import type { Grant } from "../pay/grant.ts";
import type { Pay } from "../pay/transports.ts";
import { findLastGrant } from "../payments.store.ts";
import { openChallenges } from "./challenges.store.ts";
import { principalOf } from "./challenges.ts";
import type { Offer } from "./offers.ts";

/** Refusals after which the same payment may succeed later. */
const MAY_HAVE_PAID: ReadonlySet<string> = new Set<ErrorCode>([
  "payment_pending",
  "tx_not_found",
  "chain_unavailable",
  "rate_limited",
]);

/**
 * Returns the grant for a delisted offer if the caller has paid for it or was shown its price before; null if they have
 * not.
 * Errors: the temporary ones of `pay`.
 */
export async function payDelisted(pay: Pay, offer: Offer): Promise<Grant | null> {
  try {
    return await pay({ ...offer, isDelisted: true });
  } catch (error) {
    if (error instanceof AppError && !MAY_HAVE_PAID.has(error.code)) return null;
    throw error;
  }
}

/**
 * Returns the former price of something no longer priced: the one the caller was asked for, or one others have paid; null
 * if there is none, or the server takes no payments any more.
 */
export async function priceBefore(ctx: AppContext, caller: Identity, resource: string): Promise<Price | null> {
  if (ctx.config.value === "off") return null;
  const of = { resource, principal: principalOf(caller), until: Number.MAX_SAFE_INTEGER };
  const [challenge] = await openChallenges(ctx.db, of);
  if (challenge !== undefined)
    return { amount: challenge.price, currency: challenge.currency, chain_id: challenge.chain_id };
  const paid = await findLastGrant(ctx.db, resource);
  return paid === undefined ? null : { amount: paid.price, currency: paid.currency, chain_id: paid.chain_id };
}
