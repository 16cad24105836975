import type { Chain, Observed, Transfer } from "../chains/chain.ts";
import { isWrittenIn } from "../chains/written-in.ts";
import { type AppContext, perServer } from "../context.ts";
import { fail } from "../errors.ts";
import { type Binding, bindingOf, type Claim } from "./binding.ts";
import { type ChallengeRow, findChallenge, GUEST_PRINCIPAL, openChallenges, revealGuests } from "./challenges.store.ts";
import { principalOf } from "./challenges.ts";
import { isSettledHere } from "./earmarks.ts";
import { exactDemand } from "./exact-demand.ts";
import type { Presentation } from "./redeem.ts";
import { paymentVerdict, SKEW_MS, type Verdict, type Wanted } from "./verdict.ts";

/** What two demands must have alike for one payment to answer either. */
const TERMS = ["chain", "chain_id", "token_address", "recipient", "price"] as const;
/** Seconds after which a transaction that is not there, or not deep enough, is worth another look. */
const LOOK_SECONDS = 5;

/** When a chain was silent so short a time ago, it is not asked again for those who waited for the same answer. */
const SILENCE_MS = 1_000;
const silentUntil = perServer(() => new Map<Chain, { until: number; error: unknown }>());

/** A payment that may be granted. */
export interface Judged {
  /**
   * The demands it can use up, the best first: more than one where none is named, and somebody else's payment may take one. None for a
   * guest's bare hash without a demand's exact amount: nobody knows which of all the guests' demands it answers.
   */
  readonly challenges: readonly ChallengeRow[];
  readonly transfer: Transfer;
  readonly binding: Binding;
  readonly blockHash: string | null;
}

/**
 * Looks a transaction up on its chain and holds it against what was demanded. Whoever was shown a price has ten minutes in which it holds;
 * a payment that was made later is held against today's. `before` is the caller's grant for this transaction that was revoked.
 * Errors: the shortfalls of `paymentVerdict`; `tx_not_found` for one that is older than the demand; those of `bindingOf`;
 * `payment_required` when nothing was demanded; `payment_already_used` for what settles a signed payment; `chain_unavailable`.
 */
export async function judge(ctx: AppContext, presented: Presentation, before: Claim["before"] = null): Promise<Judged> {
  const { caller, chain, txHash } = presented;
  const observed = await look(ctx, chain, txHash);
  if (await isSettledHere(ctx, chain, observed))
    throw fail("payment_already_used", { details: { problem: "not_yours" } });
  const carried = await carriedBy(ctx, presented, observed);
  const named = carried ?? (await withRevealed(ctx, presented, observed));
  const exact = named === null ? await ownExact(ctx, presented, observed) : null;
  const asked = named === null ? await openFor(ctx, presented, observed) : [named];
  // What carries a demand's id was made after it, whatever the clocks say.
  const answered = carried === null ? asked.filter((one) => isOlder(one, observed)) : [carried];
  const likely = exact !== null ? [exact] : answered.length > 0 ? answered : asked.slice(0, 1);
  const best = bestOf(likely, (one) => paymentVerdict(observed, wantedOf(one, presented, observed)));
  if (best === undefined) {
    throw fail("payment_required", {
      message: "Nothing was demanded of you for this, or too long ago; this transaction has not been used.",
      details: { problem: "no_challenge" },
    });
  }
  const { challenge, verdict } = best;
  if (verdict.kind === "refused") {
    const isPassing = verdict.code === "payment_pending" || verdict.code === "tx_not_found";
    throw fail(verdict.code, isPassing ? { retryAfter: LOOK_SECONDS } : {});
  }
  if (answered.length === 0) {
    const message = "The transaction is older than the demand; it was for something else.";
    throw fail("tx_not_found", { message, details: { problem: "too_old" } });
  }
  const { transfer } = verdict;
  const binding = await bindingOf(ctx, { ...presented, challenge, observed, transfer, before });
  const isAnybodys = named === null && principalOf(caller) === GUEST_PRINCIPAL;
  const alike = isAnybodys ? [] : answered.filter((one) => TERMS.every((term) => one[term] === challenge[term]));
  const challenges = exact === null ? alike : binding === "amount" ? [exact] : [exact, ...alike];
  return { challenges, transfer, binding, blockHash: observed.block?.hash ?? null };
}

/** The demand that a proof names. A guest's whose id the transaction shows to everybody is noted as public. */
async function withRevealed(
  ctx: AppContext,
  { named, chain }: Presentation,
  observed: Observed,
): Promise<ChallengeRow | null> {
  const isSecret = named?.principal === GUEST_PRINCIPAL && named.revealed_at === null;
  if (!isSecret || !(await isWrittenIn(observed, chain.kind, named.payment_id))) return named;
  const now = ctx.clock.now();
  await revealGuests(ctx.db, [named.payment_id], now);
  return { ...named, revealed_at: now };
}

/** The caller's demand for this whose exact amount the transaction pays; null: it pays none of theirs so. */
async function ownExact(
  ctx: AppContext,
  { caller, offer, chain }: Presentation,
  observed: Observed,
): Promise<ChallengeRow | null> {
  const found = await exactDemand(ctx, chain, observed, observed.transfers);
  return found?.principal === principalOf(caller) && found.resource === offer.resource ? found : null;
}

const isOlder = ({ created_at }: ChallengeRow, { block }: Observed): boolean =>
  block !== null && created_at - SKEW_MS <= block.time;

/**
 * The caller's demands for this that are open, the newest first; of those that are older than the transaction, so that of two demands each
 * finds its payment, and however many were made since. Where there is none: those that are too young, to say so.
 */
async function openFor(
  ctx: AppContext,
  { caller, offer }: Pick<Presentation, "caller" | "offer">,
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
 * Of the caller's demands for this, the one that the transaction itself names; null: it names none. Whatever it names is public from now
 * on.
 */
async function carriedBy(
  ctx: AppContext,
  { caller, offer, named }: Presentation,
  { references }: Observed,
): Promise<ChallengeRow | null> {
  if (references.length > 0) await revealGuests(ctx.db, references, ctx.clock.now());
  for (const reference of references) {
    const found = named?.payment_id === reference ? named : await findChallenge(ctx.db, reference);
    if (found?.resource === offer.resource && found.principal === principalOf(caller)) return found;
  }
  return null;
}

/**
 * The demand that a transaction answers: the newest that it pays, or may yet pay, else the newest. A price that has changed meanwhile
 * does not undo an earlier demand that still holds.
 */
function bestOf(demands: readonly ChallengeRow[], verdictOf: (demand: ChallengeRow) => Verdict) {
  const judged = demands.map((challenge) => ({ challenge, verdict: verdictOf(challenge) }));
  const pays = ({ verdict }: { verdict: Verdict }) => verdict.kind === "paid";
  const mayPay = ({ verdict }: { verdict: Verdict }) =>
    verdict.kind === "refused" && verdict.code === "payment_pending";
  return judged.find(pays) ?? judged.find(mayPay) ?? judged[0];
}

function wantedOf(
  challenge: ChallengeRow,
  { chain, terms }: Pick<Presentation, "chain" | "terms">,
  { block }: Observed,
): Wanted {
  const isLate = block !== null && block.time > challenge.expires_at + SKEW_MS;
  const asset = chain.assets.find(({ tokenAddress }) => tokenAddress === challenge.token_address);
  const isElsewhere = challenge.chain !== chain.kind || challenge.chain_id !== chain.chainId;
  if (isLate || isElsewhere || asset === undefined) return terms;
  const [price, exact] = [BigInt(challenge.price), BigInt(challenge.amount)];
  return { asset, recipient: challenge.recipient, amount: price, ...(exact === price ? {} : { exact }) };
}

/**
 * What is known of a transaction; a chain that was silent a moment ago is not asked again at once.
 * Errors: `chain_unavailable`.
 */
export async function look(ctx: AppContext, chain: Chain, txHash: string): Promise<Observed> {
  const silence = silentUntil(ctx).get(chain);
  if (silence !== undefined && ctx.clock.monotonic() < silence.until) throw silence.error;
  try {
    return await chain.observe(txHash);
  } catch (error) {
    silentUntil(ctx).set(chain, { until: ctx.clock.monotonic() + SILENCE_MS, error });
    throw error;
  }
}
