import type { PaymentDemand } from "@parley/protocol/payments";
import { reserveDemand } from "../../budgets/demands.ts";
import type { Chain } from "../../chains/chain.ts";
import { chainsOf } from "../../chains/chains.ts";
import type { AppContext } from "../../context.ts";
import { AppError, fail } from "../../errors.ts";
import type { Identity } from "../../http/identity.ts";
import { assertScope } from "../../http/key-scopes.ts";
import { redeemSigned } from "../settle/redeem-authorization.ts";
import { invalid, type Proof, type SignedTransfer } from "../verify/payment-header.ts";
import type { Grant } from "../verify/presentation.ts";
import { redeem } from "../verify/redeem.ts";
import { type ChallengeRow, findChallenge, GUEST_PRINCIPAL, openChallenges } from "./challenges.store.ts";
import { type Asker, challenge, demandOf, principalOf } from "./challenges.ts";
import { type Offer, type Quote, quoteFor } from "./offers.ts";

/** The offer is not paid for. A 402 includes the demand. */
export class Unpaid extends Error {
  readonly refusal: AppError;
  readonly demand: PaymentDemand | null;
  constructor(refusal: AppError, demand: PaymentDemand | null) {
    super(refusal.message);
    this.name = "Unpaid";
    this.refusal = refusal;
    this.demand = demand;
  }
}

/**
 * Returns the grant if the caller has paid for the offer, now or within a day (protocol §7). Check the caller's rights
 * first: nobody should pay for what they would not get. The grant is stored before this returns.
 * @throws Unpaid
 * Errors: `insufficient_scope`, `payments_not_configured`, and inside of `Unpaid` those of `redeem` and `redeemSigned`, `payment_required`,
 * `invalid_payment_signature`, `budget_exhausted`.
 */
export async function requirePayment(
  ctx: AppContext,
  asker: Asker,
  offer: Offer,
  proof: Proof | SignedTransfer | null,
): Promise<Grant> {
  const { caller } = asker;
  assertScope(caller, "pay");
  const quote = await quoteFor(ctx, offer);
  if (proof === null) throw await unpaid(ctx, asker, offer, quote, fail("payment_required"));
  let challenges: ChallengeRow[] = [];
  try {
    challenges = await answeredBy(ctx, caller, offer, proof);
    const [challenge] = challenges;
    const granted =
      "authorization" in proof
        ? await redeemSigned(ctx, { caller, offer, chain: chainOf(ctx, challenge, quote), challenge, signed: proof })
        : await redeem(ctx, {
            caller,
            offer,
            quote,
            proof,
            named: proof.paymentId === null ? null : (challenge ?? null),
            ...placeOf(ctx, proof, [...challenges.map((one) => chainOf(ctx, one, quote)), quote.chain]),
          });
    ctx.metrics.paymentPresented("granted");
    return granted;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    ctx.metrics.paymentPresented(error.code);
    // Without an id we cannot tell which guest a demand belongs to, so none is revealed.
    const isUnnamed = "txHash" in proof && proof.paymentId === null;
    throw await unpaid(ctx, asker, offer, quote, error, isUnnamed && caller.kind === "guest" ? [] : challenges);
  }
}

/** Returns the chain of a demand, or of the current price. */
const chainOf = (ctx: AppContext, demand: ChallengeRow | undefined, { chain }: Quote): Chain =>
  demand === undefined ? chain : (chainsOf(ctx).find(demand.chain, demand.chain_id) ?? chain);

/**
 * Finds the transaction's chain: the first of the demands' chains whose hashes have this form. The price may have moved
 * to another chain since, so without a named demand all chains are tried.
 */
function placeOf(ctx: AppContext, { txHash: text, paymentId }: Proof, demanded: readonly Chain[]) {
  const chains = paymentId === null ? [...demanded, ...chainsOf(ctx).all] : demanded.slice(0, 1);
  for (const chain of chains) {
    const txHash = chain.normalHash(text);
    if (txHash !== null) return { chain, txHash };
  }
  throw invalid("txHash is not a transaction hash of that chain.");
}

/**
 * Returns the demands that a proof may answer, newest first: the one it names, or those made of this caller for this
 * resource.
 */
async function answeredBy(
  ctx: AppContext,
  caller: Identity,
  offer: Offer,
  proof: Pick<Proof, "paymentId">,
): Promise<ChallengeRow[]> {
  const principal = principalOf(caller);
  if (proof.paymentId === null) {
    return openChallenges(ctx.db, { resource: offer.resource, principal, until: Number.MAX_SAFE_INTEGER });
  }
  const named = await findChallenge(ctx.db, proof.paymentId);
  const isTheirs = named?.principal === GUEST_PRINCIPAL || named?.principal === principal;
  if (named?.resource === offer.resource && isTheirs) return [named];
  throw fail("payment_required", {
    message: "This paymentId was not issued to you for this resource.",
    details: { problem: "unknown_payment_id" },
  });
}

/**
 * Builds the refusal. A 402 includes a demand: the open one, so that nobody pays twice, or a new one if the offer is
 * still for sale.
 */
async function unpaid(
  ctx: AppContext,
  asker: Asker,
  offer: Offer,
  quote: Quote,
  refusal: AppError,
  known: readonly ChallengeRow[] = [],
): Promise<Unpaid> {
  if (refusal.status !== 402) return new Unpaid(refusal, null);
  const now = ctx.clock.now();
  const isPending = refusal.code === "payment_pending" || refusal.code === "tx_not_found";
  const open = known.find(({ used_by, expires_at }) => used_by === null && (isPending || expires_at > now));
  if (open === undefined && offer.isDelisted === true) return new Unpaid(refusal, null);
  const row = open ?? (await challenge(ctx, asker, offer, quote, { known, isPending }));
  const exhausted = await reserveDemand(ctx, row);
  // A caller who has paid already gets the state of that payment, and no new demand.
  if (exhausted !== null) return isPending ? new Unpaid(refusal, null) : new Unpaid(exhausted, null);
  const chain = chainsOf(ctx).find(row.chain, row.chain_id) ?? quote.chain;
  return new Unpaid(refusal, demandOf(row, chain));
}
