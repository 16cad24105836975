import type { Price } from "@parley/protocol/price";
import { provenAddress } from "../../accounts/wallets/wallets.service.ts";
import { type Asset, type Chain, findAsset } from "../../chains/chain.ts";
import { chainsOf } from "../../chains/chains.ts";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";

/** Something available only for payment. */
export interface Offer {
  /** Its path. A payment is valid for this path only. */
  readonly resource: string;
  /** A description for people. */
  readonly description: string;
  readonly price: Price;
  /** The user to pay if they have proven a wallet on that chain; otherwise, or if null, the platform is paid. */
  readonly sellerId: number | null;
  /** The offer changes something for one account, so guests cannot buy it and a payment is worthless to others. */
  readonly isPersonal: boolean;
  /** The offer is off sale, so nobody is asked to pay for it. */
  readonly isDelisted?: boolean;
}

/** The parts that one transfer must have to pay (x402: payment requirements). */
export interface Requirements {
  readonly chain: Chain;
  readonly asset: Asset;
  readonly recipient: string;
  /** In the asset's smallest unit; a larger amount is accepted, too. */
  readonly amount: bigint;
  /** Prefers a transfer of exactly this amount; otherwise the largest one counts. */
  readonly exact?: bigint;
}

/** The chain and asset of a price; null if they are not configured (any more). */
export function assetOf(ctx: AppContext, price: Price): { chain: Chain; asset: Asset } | null {
  for (const chain of chainsOf(ctx).all) {
    const asset = chain.chainId === price.chain_id ? findAsset(chain, { currency: price.currency }) : null;
    if (asset !== null) return { chain, asset };
  }
  return null;
}

/** The platform's wallet on that chain; null if payments are off there. */
export function platformRecipient(ctx: AppContext, chain: Chain): string | null {
  for (const text of ctx.config.paymentRecipients) {
    const address = chain.normalAddress(text);
    if (address !== null) return address;
  }
  return chain.treasury;
}

/** Refuses prices that nobody could pay. Errors: `invalid_price`, `payments_not_configured`. */
export function checkPrice(ctx: AppContext, price: Price): { chain: Chain; asset: Asset } {
  if (ctx.config.value === "off") throw fail("payments_not_configured");
  const found = assetOf(ctx, price);
  if (found === null) throw fail("invalid_price", { message: invalidPrice(ctx) });
  if (platformRecipient(ctx, found.chain) === null) throw fail("payments_not_configured");
  return found;
}

function invalidPrice(ctx: AppContext): string {
  const coins = chainsOf(ctx).all.flatMap((chain) =>
    chain.assets.map((of) => `${of.currency} on chain ${chain.chainId}`),
  );
  return coins.length === 0
    ? "This server does not take payments, because no chain is configured."
    : `This server does not take payments in that currency on that chain. It takes ${coins.join(", ")}.`;
}

/**
 * Returns what the offer requires now. Fails closed: a priced offer is given to nobody while it cannot be paid.
 * Errors: `payments_not_configured`.
 */
export async function requirementsOf(ctx: AppContext, offer: Offer): Promise<Requirements> {
  const found = assetOf(ctx, offer.price);
  const platform = found === null ? null : platformRecipient(ctx, found.chain);
  if (found === null || platform === null) throw fail("payments_not_configured");
  const recipient = (await sellersWallet(ctx, found.chain, offer.sellerId)) ?? platform;
  return { ...found, amount: BigInt(offer.price.amount), recipient };
}

async function sellersWallet(ctx: AppContext, chain: Chain, sellerId: number | null): Promise<string | null> {
  const address = sellerId === null ? null : await provenAddress(ctx, chain.kind, sellerId);
  return address === null ? null : chain.normalAddress(address);
}
