import type { Outcome } from "../../chains/chain.ts";
import type { AppContext } from "../../context.ts";
import { pollAgainMs, REFUSALS_MAX } from "../limits.ts";
import { notifyPayoutListeners } from "../payout-listeners.ts";
import { type AttemptRow, endAttempts, liveAttempts, movePayout, type PayoutRow } from "../payouts.store.ts";
import { finalizePayout } from "./finalize-payout.ts";
import { gasCurrency, outcomeOf, type PayoutRun } from "./payout-run.ts";
import { holdBack, replaceByFee, send } from "./send.ts";

/** Delay before a payout that seems lapsed is checked a second time: a lagging node must not make us pay twice. */
const LAPSE_MS = 20_000;
/** Delay before a transfer that no node knows any more is sent again. */
const RESEND_MS = 5_000;
const MINUTE_MS = 60_000;

/**
 * Checks the outcome of a signed payout and acts on it. `isFirst`: it has the lowest nonce of those under way, so only
 * its own fee can hold it up. `isHalted`: send and sign nothing.
 * @throws LeaseLost, Halted, chain_unavailable
 */
export async function trackPayout(
  run: PayoutRun,
  payout: PayoutRow,
  { isFirst, isHalted }: { isFirst: boolean; isHalted: boolean },
): Promise<void> {
  const attempts = await liveAttempts(run.ctx.db, payout.id);
  const verdict = payoutVerdict(await observeAttempts(run, attempts));
  switch (verdict.status) {
    case "settled":
    case "reverted": {
      const { attempt, outcome } = verdict.by;
      const as = verdict.status === "settled" ? "settled" : "failed";
      const by = {
        attemptId: attempt.id,
        hash: attempt.hash,
        feePaid: outcome.feePaid,
        gasCurrency: gasCurrency(run),
      };
      if (as === "failed") run.ctx.log.error({ payout: payout.id, hash: attempt.hash }, "a payout failed on the chain");
      return run.lease.write(run.ctx, (ctx) => finalizePayout(ctx, payout, { as, by }));
    }
    case "included":
    case "reverting":
      return run.lease.write(run.ctx, (ctx) => noteIncluded(ctx, payout, verdict.by.attempt));
    case "lapsed":
      return lapse(run, payout);
    case "waiting":
      return wait(run, payout, { newest: attempts[0], isKnown: verdict.isKnown, isFirst, isHalted });
  }
}

async function observeAttempts(run: PayoutRun, attempts: readonly AttemptRow[]): Promise<ObservedAttempt[]> {
  const all: ObservedAttempt[] = [];
  for (const attempt of attempts) {
    const outcome = await outcomeOf(run, attempt);
    all.push({ attempt, outcome });
    if (isDecisive(outcome)) break;
  }
  return all;
}

/** A signed transfer and its outcome. */
interface ObservedAttempt {
  attempt: AttemptRow;
  outcome: Outcome;
}

/**
 * The state of a payout, derived from the outcomes of all its attempts.
 * - `settled`, `included`: by that attempt. `reverting`: it failed, in a block that may still be removed.
 * - `reverted`, `lapsed`: it can never move anything any more, so it may be signed again.
 * - `waiting`: it can still be included. `isKnown`: a node has it.
 */
type Verdict =
  | { status: "settled" | "included" | "reverting" | "reverted"; by: ObservedAttempt }
  | { status: "lapsed" }
  | { status: "waiting"; isKnown: boolean };

/**
 * Returns whether this outcome decides regardless of the others. At most one of the attempts that share a nonce is in a
 * block.
 */
const isDecisive = ({ state }: Outcome): boolean => state === "confirming" || state === "final" || state === "failed";

/**
 * A payout is lapsed only when no attempt can be included any more. The protection against paying twice depends on
 * this.
 */
function payoutVerdict(seen: readonly ObservedAttempt[]): Verdict {
  const by = seen.find(({ outcome }) => isDecisive(outcome));
  if (by === undefined) {
    if (seen.every(({ outcome }) => outcome.state === "expired" && outcome.isFinal)) return { status: "lapsed" };
    return { status: "waiting", isKnown: seen.some(({ outcome }) => outcome.state === "pending") };
  }
  if (by.outcome.state === "failed") return { status: by.outcome.isFinal ? "reverted" : "reverting", by };
  return { status: by.outcome.state === "final" ? "settled" : "included", by };
}

async function noteIncluded(ctx: AppContext, payout: PayoutRow, { hash }: AttemptRow): Promise<void> {
  const now = ctx.clock.now();
  const isChanged = payout.state !== "included" || payout.hash !== hash;
  const since = isChanged ? now : payout.updated_at;
  const due_at = now + pollAgainMs(now - since);
  if (!(await movePayout(ctx.db, payout, { state: "included", hold: null, hash, due_at, updated_at: since }))) return;
  if (isChanged) await notifyPayoutListeners(ctx, payout, { status: "pending", hash });
}

/** Begins a payout again once two checks have found that none of its attempts can reach the chain any more. */
async function lapse(run: PayoutRun, payout: PayoutRow): Promise<void> {
  const { ctx, lease } = run;
  const now = ctx.clock.now();
  if (payout.hold !== "lapsing") {
    await lease.write(ctx, (ctx) => movePayout(ctx.db, payout, { hold: "lapsing", due_at: now + LAPSE_MS }));
    return;
  }
  ctx.log.warn({ payout: payout.id, nonce: payout.nonce, round: payout.round }, "a payout expired and is sent again");
  await lease.write(ctx, async (ctx) => {
    if (payout.purpose === "gap") return finalizePayout(ctx, payout, { as: "failed" });
    if (payout.refusals >= REFUSALS_MAX) return finalizePayout(ctx, payout, { as: "failed", hold: "would_fail" });
    const round = payout.round + 1;
    // It counts against the daily cap again: the cap must hold even if the servers lie and the lapsed transfer is paid
    // after all.
    const fresh = { state: "queued", payer: null, nonce: null, hash: null, hold: null, day: null, round } as const;
    if (!(await movePayout(ctx.db, payout, { ...fresh, due_at: now, updated_at: now }))) return;
    await endAttempts(ctx.db, payout.id, null);
    await notifyPayoutListeners(ctx, payout, { status: "pending", hash: null });
  });
}

/** Sends again what no node has, raises the fee of what has waited too long, or keeps waiting. */
async function wait(
  run: PayoutRun,
  payout: PayoutRow,
  {
    newest,
    isKnown,
    isFirst,
    isHalted,
  }: { newest: AttemptRow | undefined; isKnown: boolean; isFirst: boolean; isHalted: boolean },
): Promise<void> {
  const { ctx, lease } = run;
  const now = ctx.clock.now();
  if (newest === undefined)
    throw new Error(`The payout ${payout.id} is ${payout.state}, but no transaction was signed for it.`);
  if (newest.payer !== run.payer.address) return holdBack(run, payout, "other_wallet");
  const age = now - newest.created_at;
  const isLost = payout.state === "signed" || (!isKnown && now - payout.updated_at >= RESEND_MS);
  if (!isHalted && isLost) return send(run, payout);
  const isStuck = isFirst && payout.nonce !== null && age >= ctx.config.payoutBumpMinutes * MINUTE_MS;
  if (!isHalted && isStuck) return replaceByFee(run, payout);
  const hold = payout.hold === "lapsing" ? null : payout.hold;
  // Either its block was removed from the chain, or it is still waiting.
  const change = payout.state === "included" ? ({ state: "sent", updated_at: now } as const) : {};
  await lease.write(ctx, (ctx) => movePayout(ctx.db, payout, { ...change, hold, due_at: now + pollAgainMs(age) }));
}
