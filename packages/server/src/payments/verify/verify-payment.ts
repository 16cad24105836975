import { askChain, type ChainAsker } from "../../chains/ask-chain.ts";
import type { Chain, Observed, Transfer } from "../../chains/chain.ts";
import { isWrittenIn } from "../../chains/written-in.ts";
import { type AppContext, perServer } from "../../context.ts";
import { fail } from "../../errors.ts";
import { slowly } from "../../http/acts/slow.ts";
import type { Identity } from "../../http/identity.ts";
import {
  type ChallengeRow,
  findChallenge,
  GUEST_PRINCIPAL,
  openChallenges,
  revealGuests,
} from "../offers/challenges.store.ts";
import { principalOf } from "../offers/challenges.ts";
import { isSettlement } from "../settle/settlements.store.ts";
import { exactDemand } from "./exact-demand.ts";
import { findPayerProof, type PayerClaim, type PayerProof } from "./payer-proof.ts";
import type { Presentation } from "./presentation.ts";
import { paymentVerdict, SKEW_MS, type Verdict, type Wanted } from "./verdict.ts";

/** Fields two demands must share for one payment to answer either. */
const SHARED_FIELDS = ["chain", "chain_id", "token_address", "recipient", "price"] as const;
/** Seconds after which a missing or shallow transaction is worth another look. */
const LOOK_SECONDS = 5;

/** A chain that failed this recently is not queried again for callers waiting for the same answer. */
const SILENCE_MS = 1_000;
const silentUntil = perServer(() => new Map<Chain, { until: number; error: unknown }>());

/** A payment that may be granted. */
export interface VerifiedPayment {
  /**
   * The demands it can use up, the best first; several if none is named, since another payment may take one. None for a
   * guest's bare hash without an exact amount: which guest's demand it answers is unknown.
   */
  readonly challenges: readonly ChallengeRow[];
  readonly transfer: Transfer;
  readonly binding: PayerProof;
  readonly blockHash: string | null;
}

/**
 * Reads a transaction from its chain and checks it against the demand. A demanded price holds for ten minutes; a later
 * payment is checked against the current price. `before` is the caller's revoked grant for this transaction.
 * Errors: the shortfalls of `paymentVerdict`; `tx_not_found` for one that is older than the demand; those of
 * `findPayerProof`; `payment_required` when nothing was demanded; `payment_already_used` for what settles a signed payment;
 * `chain_unavailable`.
 */
export async function verifyPayment(
  ctx: AppContext,
  presented: Presentation,
  before: PayerClaim["before"] = null,
): Promise<VerifiedPayment> {
  const { caller, chain, txHash } = presented;
  const observed = await observeTransaction(ctx, chain, txHash, askerOf(caller, txHash));
  if (await isSettledHere(ctx, chain, observed))
    throw fail("payment_already_used", { details: { problem: "not_yours" } });
  const carried = await carriedBy(ctx, presented, observed);
  const named = carried ?? (await withRevealed(ctx, presented, observed));
  const exact = named === null ? await ownExact(ctx, presented, observed) : null;
  const asked = named === null ? await openFor(ctx, presented, observed) : [named];
  // A transaction that carries a demand's id was made after it, whatever the clocks say.
  const answered = carried === null ? asked.filter((one) => isOlder(one, observed)) : [carried];
  const likely = exact !== null ? [exact] : answered.length > 0 ? answered : asked.slice(0, 1);
  const best = bestOf(likely, (one) => paymentVerdict(observed, wantedOf(one, presented, observed)));
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
  if (answered.length === 0) {
    const message = "The transaction is older than the payment request, so it paid for something else.";
    throw fail("tx_not_found", { message, details: { problem: "too_old" } });
  }
  const { transfer } = verdict;
  const binding = await findPayerProof(ctx, { ...presented, challenge, observed, transfer, before });
  const isAnybodys = named === null && principalOf(caller) === GUEST_PRINCIPAL;
  const alike = isAnybodys
    ? []
    : answered.filter((one) => SHARED_FIELDS.every((field) => one[field] === challenge[field]));
  const challenges = exact === null ? alike : binding === "amount" ? [exact] : [exact, ...alike];
  return { challenges, transfer, binding, blockHash: observed.block?.hash ?? null };
}

/** Returns the named demand. If it is a guest's and the transaction reveals its id, marks it as public. */
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

/** Returns the caller's demand for this resource whose exact amount the transaction pays; null if there is none. */
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
 * Returns the caller's open demands for this resource, newest first. Only those older than the transaction count, so
 * that each of several demands finds its payment; if there are none, returns the younger ones, so that the refusal can
 * say so.
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
 * Returns the caller's demand for this resource that the transaction carries, or null. Marks every id it carries as
 * public.
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
 * Returns the demand that a transaction answers: the newest that it pays or may yet pay, else the newest. A changed
 * price does not void an earlier demand that still holds.
 */
function bestOf(demands: readonly ChallengeRow[], verdictOf: (demand: ChallengeRow) => Verdict) {
  const verdicts = demands.map((challenge) => ({ challenge, verdict: verdictOf(challenge) }));
  const pays = ({ verdict }: { verdict: Verdict }) => verdict.kind === "paid";
  const mayPay = ({ verdict }: { verdict: Verdict }) =>
    verdict.kind === "refused" && verdict.code === "payment_pending";
  return verdicts.find(pays) ?? verdicts.find(mayPay) ?? verdicts[0];
}

function wantedOf(
  challenge: ChallengeRow,
  { chain, quote }: Pick<Presentation, "chain" | "quote">,
  { block }: Observed,
): Wanted {
  const isLate = block !== null && block.time > challenge.expires_at + SKEW_MS;
  const asset = chain.assets.find(({ tokenAddress }) => tokenAddress === challenge.token_address);
  const isElsewhere = challenge.chain !== chain.kind || challenge.chain_id !== chain.chainId;
  if (isLate || isElsewhere || asset === undefined) return quote;
  const [price, exact] = [BigInt(challenge.price), BigInt(challenge.amount)];
  return { asset, recipient: challenge.recipient, amount: price, ...(exact === price ? {} : { exact }) };
}

/** Guests do not wait for each other's transactions. */
const askerOf = (caller: Identity, txHash: string): ChainAsker =>
  caller.kind === "guest" ? { owner: `g ${txHash}`, isGuest: true } : { owner: caller.key };

/**
 * Returns what the chain knows of a transaction; a chain that just failed is not queried again at once. `asker`: who
 * waits for a turn; null for a payment that was sent already, which must not wait.
 * Errors: `chain_unavailable`.
 */
export async function observeTransaction(
  ctx: AppContext,
  chain: Chain,
  txHash: string,
  asker: ChainAsker | null,
): Promise<Observed> {
  const silence = silentUntil(ctx).get(chain);
  if (silence !== undefined && ctx.clock.monotonic() < silence.until) throw silence.error;
  const observe = async () => {
    try {
      return await slowly(ctx, "chain", () => chain.observe(txHash));
    } catch (error) {
      silentUntil(ctx).set(chain, { until: ctx.clock.monotonic() + SILENCE_MS, error });
      throw error;
    }
  };
  return asker === null ? observe() : askChain(ctx, chain, asker, observe);
}

/** At most this many signed transfers of one transaction are looked up. */
const AUTHORIZATIONS_READ = 100;

/** True if the transaction settles an authorization signed for a demand of this server; it can pay only that demand. */
export function isSettledHere(
  ctx: AppContext,
  { chainId }: Chain,
  { authorizations = [] }: Observed,
): Promise<boolean> {
  const keys = authorizations.map(({ token, ...key }) => ({ token_address: token, ...key }));
  return isSettlement(ctx.db, chainId, keys.slice(0, AUTHORIZATIONS_READ));
}
