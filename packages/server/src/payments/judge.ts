import type { Chain, Observed, Transfer } from "../chains/chain.ts";
import { type AppContext, perServer } from "../context.ts";
import { fail } from "../errors.ts";
import { bindingOf } from "./binding.ts";
import { type ChallengeRow, findChallenge } from "./challenges.store.ts";
import { principalOf } from "./challenges.ts";
import type { PaymentRow } from "./payments.store.ts";
import type { Presentation } from "./redeem.ts";
import { isSettlement } from "./settlements.store.ts";
import type { Terms } from "./terms.ts";
import { paymentVerdict, SKEW_MS, type Wanted } from "./verdict.ts";

/** Signed transfers of one transaction that are looked up. */
const AUTHORIZATIONS_READ = 100;
/** What two demands must have alike for one payment to answer either. */
const TERMS = ["chain", "chain_id", "token_address", "recipient", "amount"] as const;
/** Seconds after which a transaction that is not there, or not deep enough, is worth another look. */
const LOOK_SECONDS = 5;

/** When a chain was silent so short a time ago, it is not asked again for those who waited for the same answer. */
const SILENCE_MS = 1_000;
const silentUntil = perServer(() => new Map<Chain, { until: number; error: unknown }>());

/** A payment that may be granted. */
export interface Judged {
  /** The demands it can answer, the best first: more than one where none is named, and somebody else's payment may take one. */
  readonly challenges: readonly ChallengeRow[];
  readonly transfer: Transfer;
  readonly binding: NonNullable<PaymentRow["binding"]>;
  readonly blockHash: string | null;
}

/**
 * Looks a transaction up on its chain and holds it against what was demanded. Whoever was shown a price has ten minutes in which it holds;
 * a payment that was made later is held against today's.
 * Errors: the shortfalls of `paymentVerdict`; `tx_not_found` for one that is older than the demand; those of `bindingOf`;
 * `payment_required` when nothing was demanded; `payment_already_used` for what settles a signed payment; `chain_unavailable`.
 */
export async function judge(ctx: AppContext, presented: Presentation): Promise<Judged> {
  const { challenges, chain, txHash, terms } = presented;
  const observed = await look(ctx, chain, txHash);
  if (await isSettledHere(ctx, chain, observed))
    throw fail("payment_already_used", { details: { problem: "not_yours" } });
  const time = observed.block?.time ?? null;
  const named = await namedIn(ctx, presented, observed);
  const asked = named === null ? challenges : [named];
  // The newest that is older than the transaction, so that of two demands each finds its payment.
  const answered = asked.filter(({ created_at }) => time !== null && created_at - SKEW_MS <= time);
  const challenge = answered[0] ?? asked[0];
  if (challenge === undefined) {
    throw fail("payment_required", {
      message: "Nothing was demanded of you for this, or too long ago; this transaction has not been used.",
      details: { problem: "no_challenge" },
    });
  }
  const verdict = paymentVerdict(observed, wantedOf(challenge, terms, observed));
  if (verdict.kind === "refused") {
    const isPassing = verdict.code === "payment_pending" || verdict.code === "tx_not_found";
    throw fail(verdict.code, isPassing ? { retryAfter: LOOK_SECONDS } : {});
  }
  if (answered.length === 0) {
    const message = "The transaction is older than the demand; it was for something else.";
    throw fail("tx_not_found", { message, details: { problem: "too_old" } });
  }
  const { transfer } = verdict;
  const binding = await bindingOf(ctx, { ...presented, challenge, observed, transfer });
  const alike = answered.filter((one) => TERMS.every((term) => one[term] === challenge[term]));
  return { challenges: alike, transfer, binding, blockHash: observed.block?.hash ?? null };
}

/** Has it brought a transfer to the chain that was signed for a demand of this server? Then it is that one's payment, and no other's. */
function isSettledHere(ctx: AppContext, { chainId }: Chain, { authorizations = [] }: Observed): Promise<boolean> {
  const keys = authorizations.map(({ token, ...key }) => ({ token_address: token, ...key }));
  return isSettlement(ctx.db, chainId, keys.slice(0, AUTHORIZATIONS_READ));
}

/** Of the caller's demands for this, the one that the transaction itself names; null: it names none. */
async function namedIn(
  ctx: AppContext,
  { caller, offer, challenges }: Presentation,
  { references }: Observed,
): Promise<ChallengeRow | null> {
  for (const reference of references) {
    const known = challenges.find(({ payment_id }) => payment_id === reference);
    const found = known ?? (await findChallenge(ctx.db, reference));
    if (found?.resource === offer.resource && found.principal === principalOf(caller)) return found;
  }
  return null;
}

function wantedOf(challenge: ChallengeRow, terms: Terms, { block }: Observed): Wanted {
  const isLate = block !== null && block.time > challenge.expires_at + SKEW_MS;
  const asset = terms.chain.assets.find(({ tokenAddress }) => tokenAddress === challenge.token_address);
  const isElsewhere = challenge.chain !== terms.chain.kind || challenge.chain_id !== terms.chain.chainId;
  if (isLate || isElsewhere || asset === undefined) return terms;
  return { asset, recipient: challenge.recipient, amount: BigInt(challenge.amount) };
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
