import { PAYMENT_SECONDS, type PaymentDemand, paymentMessage } from "@parley/protocol/payments";
import type { Chain } from "../chains/chain.ts";
import type { AppContext } from "../context.ts";
import type { Identity } from "../http/identity.ts";
import { type ChallengeRow, insertChallenge, knownChallenges } from "./challenges.store.ts";
import type { Offer, Terms } from "./terms.ts";

const REFERENCE_BYTES = 32;

/** Who asks and presents, over all his sessions or keys: `u<user id>`, `a<agent id>`, or `g`, whom nothing tells from other guests. */
export function principalOf(caller: Identity): string {
  return caller.kind === "guest" ? GUEST_PRINCIPAL : caller.key;
}

export const GUEST_PRINCIPAL = "g";

/** Demands payment for something from somebody, and writes that down. Its id is a reference that a transfer on that chain can carry. */
export async function challenge(ctx: AppContext, caller: Identity, offer: Offer, terms: Terms): Promise<ChallengeRow> {
  const { chain, asset, amount, recipient } = terms;
  const now = ctx.clock.now();
  const row: ChallengeRow = {
    payment_id: chain.reference(ctx.clock.random(REFERENCE_BYTES)),
    resource: offer.resource,
    principal: principalOf(caller),
    chain: chain.kind,
    chain_id: chain.chainId,
    currency: asset.currency,
    token_address: asset.tokenAddress,
    recipient,
    amount: amount.toString(),
    created_at: now,
    expires_at: now + PAYMENT_SECONDS * 1_000,
    used_by: null,
  };
  await insertChallenge(ctx.db, row);
  return row;
}

/** Does a transfer with these references pay for something, or want to? */
export const isDemanded = async (ctx: AppContext, references: readonly string[]): Promise<boolean> =>
  (await knownChallenges(ctx.db, references)).length > 0;

/** A demand as it is told; null: its chain or asset is configured no longer. */
export function demandOf(row: ChallengeRow, chain: Chain): PaymentDemand | null {
  const asset = chain.assets.find(({ tokenAddress }) => tokenAddress === row.token_address);
  if (asset === undefined) return null;
  return {
    amount: row.amount,
    currency: row.currency,
    chainId: row.chain_id,
    recipient: row.recipient,
    paymentId: row.payment_id,
    resource: row.resource,
    expiresAt: new Date(row.expires_at).toISOString(),
    chain: row.chain,
    tokenAddress: row.token_address,
    decimals: asset.decimals,
    messageToSign: paymentMessage(row.payment_id, row.resource),
  };
}
