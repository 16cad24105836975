import type { PaymentDemand } from "@parley/protocol/payments";
import { reservePayment } from "../../budgets/payments.ts";
import type { Chain } from "../../chains/chain.ts";
import { chainsOf } from "../../chains/chains.ts";
import type { AppContext } from "../../context.ts";
import { AppError, fail } from "../../errors.ts";
import type { Identity } from "../../http/identity.ts";
import { assertScope } from "../../http/key-scopes.ts";
import { type ChallengeRow, findChallenge, GUEST_PRINCIPAL, openChallenges } from "../offers/challenges.store.ts";
import { type Asker, challengeRecord, issueChallenge, principalOf } from "../offers/challenges.ts";
import { type Offer, type Requirements, requirementsOf } from "../offers/offers.ts";
import { payByAuthorization } from "../settle/by-authorization.ts";
import { payByTransaction } from "./by-transaction.ts";
import type { Grant } from "./grant.ts";
import { invalid, type PaymentPayload, type TransactionProof } from "./headers.ts";

/** The offer is not paid for. A 402 includes the challenge. */
export class Unpaid extends Error {
  readonly refusal: AppError;
  readonly challenge: PaymentDemand | null;
  constructor(refusal: AppError, challenge: PaymentDemand | null) {
    super(refusal.message);
    this.name = "Unpaid";
    this.refusal = refusal;
    this.challenge = challenge;
  }
}

/**
 * Returns the grant if the caller has paid for the offer, now or within a day (protocol §7). Check the caller's rights
 * first: nobody should pay for what they would not get. The grant is stored before this returns.
 * @throws Unpaid
 * Errors: `insufficient_scope`, `payments_not_configured`, and inside of `Unpaid` those of
 * `payByTransaction` and `payByAuthorization`, `payment_required`, `invalid_payment_signature`, `budget_exhausted`.
 */
export async function requirePayment(
  ctx: AppContext,
  asker: Asker,
  offer: Offer,
  payload: PaymentPayload | null,
): Promise<Grant> {
  const { caller } = asker;
  assertScope(caller, "pay");
  const current = await requirementsOf(ctx, offer);
  if (payload === null) throw await unpaid(ctx, asker, offer, current, fail("payment_required"));
  let challenges: ChallengeRow[] = [];
  try {
    challenges = await answeredBy(ctx, caller, offer, payload);
    const [challenge] = challenges;
    const granted =
      "authorization" in payload
        ? await payByAuthorization(ctx, {
            caller,
            offer,
            chain: chainOf(ctx, challenge, current),
            challenge,
            signed: payload,
          })
        : await payByTransaction(ctx, {
            caller,
            offer,
            current,
            proof: payload,
            named: payload.paymentId === null ? null : (challenge ?? null),
            ...placeOf(ctx, payload, [...challenges.map((one) => chainOf(ctx, one, current)), current.chain]),
          });
    ctx.metrics.paymentPresented("granted");
    return granted;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    ctx.metrics.paymentPresented(error.code);
    // Without an id we cannot tell which guest a challenge belongs to, so none is revealed.
    const isUnnamed = "txHash" in payload && payload.paymentId === null;
    throw await unpaid(ctx, asker, offer, current, error, isUnnamed && caller.kind === "guest" ? [] : challenges);
  }
}

/** Returns the chain of a challenge, or of the current price. */
const chainOf = (ctx: AppContext, challenge: ChallengeRow | undefined, { chain }: Requirements): Chain =>
  challenge === undefined ? chain : (chainsOf(ctx).find(challenge.chain, challenge.chain_id) ?? chain);

/**
 * Finds the transaction's chain: the first of the challenges' chains whose hashes have this form. The price may have
 * moved to another chain since, so without a named challenge all chains are tried.
 */
function placeOf(ctx: AppContext, { txHash: text, paymentId }: TransactionProof, likely: readonly Chain[]) {
  const chains = paymentId === null ? [...likely, ...chainsOf(ctx).all] : likely.slice(0, 1);
  for (const chain of chains) {
    const txHash = chain.normalHash(text);
    if (txHash !== null) return { chain, txHash };
  }
  throw invalid("txHash is not a transaction hash of that chain.");
}

/**
 * Returns the challenges that a payload may answer, newest first: the one it names, or this caller's for this resource.
 */
async function answeredBy(
  ctx: AppContext,
  caller: Identity,
  offer: Offer,
  { paymentId }: Pick<PaymentPayload, "paymentId">,
): Promise<ChallengeRow[]> {
  const principal = principalOf(caller);
  if (paymentId === null) {
    return openChallenges(ctx.db, { resource: offer.resource, principal, until: Number.MAX_SAFE_INTEGER });
  }
  const named = await findChallenge(ctx.db, paymentId);
  const isTheirs = named?.principal === GUEST_PRINCIPAL || named?.principal === principal;
  if (named?.resource === offer.resource && isTheirs) return [named];
  throw fail("payment_required", {
    message: "This paymentId was not issued to you for this resource.",
    details: { problem: "unknown_payment_id" },
  });
}

/**
 * Builds the refusal. A 402 includes a challenge: the open one, so that nobody pays twice, or a new one if the offer is
 * still for sale.
 */
async function unpaid(
  ctx: AppContext,
  asker: Asker,
  offer: Offer,
  current: Requirements,
  refusal: AppError,
  known: readonly ChallengeRow[] = [],
): Promise<Unpaid> {
  if (refusal.status !== 402) return new Unpaid(refusal, null);
  const now = ctx.clock.now();
  const isPending = refusal.code === "payment_pending" || refusal.code === "tx_not_found";
  const open = known.find(({ used_by, expires_at }) => used_by === null && (isPending || expires_at > now));
  if (open === undefined && offer.isDelisted === true) return new Unpaid(refusal, null);
  const row = open ?? (await issueChallenge(ctx, asker, offer, current, { known, isPending }));
  const exhausted = await reservePayment(ctx, row);
  // A caller who has paid already gets the state of that payment, and no new challenge.
  if (exhausted !== null) return isPending ? new Unpaid(refusal, null) : new Unpaid(exhausted, null);
  const chain = chainsOf(ctx).find(row.chain, row.chain_id) ?? current.chain;
  return new Unpaid(refusal, challengeRecord(row, chain));
}
