import type { Chain, Observed, Transfer } from "../../chains/chain.ts";
import { isWrittenIn } from "../../chains/written-in.ts";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { Identity } from "../../http/identity.ts";
import { isForSettlement } from "../../onchain/transaction-purpose.ts";
import {
  type ChallengeRow,
  findChallenge,
  GUEST_PRINCIPAL,
  openChallenges,
  revealGuests,
} from "../offers/challenges.store.ts";
import { challengeByAmount, principalOf, SKEW_MS } from "../offers/challenges.ts";
import type { Offer, Requirements } from "../offers/offers.ts";
import { type Binding, type EarlierGrant, findBinding } from "./binding.ts";
import type { TransactionProof } from "./headers.ts";
import { observeTransaction, paymentVerdict, type Verdict } from "./observe.ts";

/** A transaction that a caller shows as payment for an offer. */
export interface TransactionPayment {
  readonly caller: Identity;
  readonly offer: Offer;
  /** The requirements of the offer as it is now. */
  readonly current: Requirements;
  readonly proof: TransactionProof;
  /** The chain on which the transaction is claimed to be. */
  readonly chain: Chain;
  /** In the chain's own spelling. */
  readonly txHash: string;
  /** The challenge that the proof names; null if it names none. */
  readonly named: ChallengeRow | null;
}

/** A payment that may be granted. */
export interface VerifiedPayment {
  /**
   * The challenges it can use up, the best first; several if none is named, since another payment may take one. None for
   * a guest's bare hash without an exact amount: which guest's challenge it answers is unknown.
   */
  readonly challenges: readonly ChallengeRow[];
  readonly transfer: Transfer;
  readonly binding: Binding;
  readonly blockHash: string | null;
}

/** Fields two challenges must share for one payment to answer either. */
const SHARED_FIELDS = ["chain", "chain_id", "token_address", "recipient", "price"] as const;
/** Seconds after which a missing or shallow transaction is worth another look. */
const LOOK_SECONDS = 5;

/**
 * Reads a transaction from its chain and checks it against the challenge that it answers. A challenge's price holds for
 * ten minutes; a later payment is checked against the current price. `before` is the caller's revoked grant for this
 * transaction.
 * Errors: the shortfalls of `paymentVerdict`; `tx_not_found` for one that is older than the challenge; those of
 * `findBinding`; `payment_required` without a challenge; `payment_already_used` for the transaction of a settlement;
 * `chain_unavailable`.
 */
export async function verifyPayment(
  ctx: AppContext,
  payment: TransactionPayment,
  before: EarlierGrant | null = null,
): Promise<VerifiedPayment> {
  const { caller, chain, txHash } = payment;
  // Guests do not wait for each other's transactions.
  const asker = caller.kind === "guest" ? { owner: `g ${txHash}`, isGuest: true } : { owner: caller.key };
  const observed = await observeTransaction(ctx, chain, txHash, asker);
  if (await isForSettlement(ctx, chain, observed))
    throw fail("payment_already_used", { details: { problem: "not_yours" } });
  const answer = await answeredBy(ctx, payment, observed);
  const best = bestOf(answer.likely, (one) => paymentVerdict(observed, requiredBy(one, payment, observed)));
  if (best === undefined) {
    throw fail("payment_required", {
      message: "You did not request a price for this, or it was too long ago. The transaction has not been used.",
      details: { problem: "no_challenge" },
    });
  }
  const { challenge, verdict } = best;
  if (verdict.kind === "refused") {
    const isPassing = verdict.code === "payment_pending" || verdict.code === "tx_not_found";
    throw fail(verdict.code, isPassing ? { retryAfter: LOOK_SECONDS } : {});
  }
  if (answer.older.length === 0) {
    const message = "The transaction is older than the challenge, so it paid for something else.";
    throw fail("tx_not_found", { message, details: { problem: "too_old" } });
  }
  const { transfer } = verdict;
  const binding = await findBinding(ctx, { ...payment, challenge, observed, transfer, before });
  const challenges = usableFor(payment, answer, challenge, binding);
  return { challenges, transfer, binding, blockHash: observed.block?.hash ?? null };
}

/** The caller's challenges for the offer that a transaction may answer. */
interface Answered {
  /** The one that the transaction carries or the proof names; null: neither. */
  readonly named: ChallengeRow | null;
  /** The one whose exact amount it pays, if none is named. */
  readonly exact: ChallengeRow | null;
  /** Those that were made before the transaction. */
  readonly older: readonly ChallengeRow[];
  /** Those to judge it by. */
  readonly likely: readonly ChallengeRow[];
}

async function answeredBy(ctx: AppContext, payment: TransactionPayment, observed: Observed): Promise<Answered> {
  const carried = await carriedBy(ctx, payment, observed);
  const named = carried ?? (await withRevealed(ctx, payment, observed));
  const exact = named === null ? await ownExact(ctx, payment, observed) : null;
  const asked = named === null ? await openFor(ctx, payment, observed) : [named];
  // A transaction that carries a challenge's id was made after it, whatever the clocks say.
  const older = carried === null ? asked.filter((one) => isOlder(one, observed)) : [carried];
  const likely = exact !== null ? [exact] : older.length > 0 ? older : asked.slice(0, 1);
  return { named, exact, older, likely };
}

/** Returns the challenges that the payment can use up, the best first. */
function usableFor(
  { caller }: TransactionPayment,
  { named, exact, older }: Answered,
  challenge: ChallengeRow,
  binding: Binding,
): readonly ChallengeRow[] {
  const isAnybodys = named === null && principalOf(caller) === GUEST_PRINCIPAL;
  const alike = isAnybodys
    ? []
    : older.filter((one) => SHARED_FIELDS.every((field) => one[field] === challenge[field]));
  if (exact === null) return alike;
  return binding === "amount" ? [exact] : [exact, ...alike];
}

/**
 * Returns the caller's challenge for this resource that the transaction carries, or null. Marks every id it carries as
 * public.
 */
async function carriedBy(
  ctx: AppContext,
  { caller, offer, named }: TransactionPayment,
  { references }: Observed,
): Promise<ChallengeRow | null> {
  if (references.length > 0) await revealGuests(ctx.db, references, ctx.clock.now());
  for (const reference of references) {
    const found = named?.payment_id === reference ? named : await findChallenge(ctx.db, reference);
    if (found?.resource === offer.resource && found.principal === principalOf(caller)) return found;
  }
  return null;
}

/** Returns the named challenge. If it is a guest's and the transaction reveals its id, marks it as public. */
async function withRevealed(
  ctx: AppContext,
  { named, chain }: TransactionPayment,
  observed: Observed,
): Promise<ChallengeRow | null> {
  const isSecret = named?.principal === GUEST_PRINCIPAL && named.revealed_at === null;
  if (!isSecret || !(await isWrittenIn(observed, chain.kind, named.payment_id))) return named;
  const now = ctx.clock.now();
  await revealGuests(ctx.db, [named.payment_id], now);
  return { ...named, revealed_at: now };
}

/** Returns the caller's challenge for this resource whose exact amount the transaction pays; null if there is none. */
async function ownExact(
  ctx: AppContext,
  { caller, offer, chain }: TransactionPayment,
  observed: Observed,
): Promise<ChallengeRow | null> {
  const found = await challengeByAmount(ctx, chain, observed, observed.transfers);
  return found?.principal === principalOf(caller) && found.resource === offer.resource ? found : null;
}

const isOlder = ({ created_at }: ChallengeRow, { block }: Observed): boolean =>
  block !== null && created_at - SKEW_MS <= block.time;

/**
 * Returns the caller's open challenges for this resource, newest first. Only those older than the transaction count, so
 * that each of several challenges finds its payment; if there are none, returns the younger ones, so that the refusal
 * can say so.
 */
async function openFor(
  ctx: AppContext,
  { caller, offer }: Pick<TransactionPayment, "caller" | "offer">,
  { block }: Pick<Observed, "block">,
): Promise<readonly ChallengeRow[]> {
  const older = await openChallenges(ctx.db, {
    resource: offer.resource,
    principal: principalOf(caller),
    until: block === null ? Number.MAX_SAFE_INTEGER : block.time + SKEW_MS,
  });
  return older.length > 0 || block === null ? older : openFor(ctx, { caller, offer }, { block: null });
}

/**
 * Returns the challenge that a transaction answers: the newest that it pays or may yet pay, else the newest. A changed
 * price does not void an earlier challenge that still holds.
 */
function bestOf(challenges: readonly ChallengeRow[], verdictOf: (challenge: ChallengeRow) => Verdict) {
  const verdicts = challenges.map((challenge) => ({ challenge, verdict: verdictOf(challenge) }));
  const pays = ({ verdict }: { verdict: Verdict }) => verdict.kind === "paid";
  const mayPay = ({ verdict }: { verdict: Verdict }) =>
    verdict.kind === "refused" && verdict.code === "payment_pending";
  return verdicts.find(pays) ?? verdicts.find(mayPay) ?? verdicts[0];
}

/** Returns what a challenge requires; the current requirements if it has lapsed or is on another chain. */
function requiredBy(
  challenge: ChallengeRow,
  { chain, current }: Pick<TransactionPayment, "chain" | "current">,
  { block }: Observed,
): Requirements {
  const isLate = block !== null && block.time > challenge.expires_at + SKEW_MS;
  const asset = chain.assets.find(({ tokenAddress }) => tokenAddress === challenge.token_address);
  const isElsewhere = challenge.chain !== chain.kind || challenge.chain_id !== chain.chainId;
  if (isLate || isElsewhere || asset === undefined) return current;
  const [price, exact] = [BigInt(challenge.price), BigInt(challenge.amount)];
  const required = { chain, asset, recipient: challenge.recipient, amount: price };
  return exact === price ? required : { ...required, exact };
}
