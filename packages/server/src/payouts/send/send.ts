import { TransferRefused } from "../../chains/chain.ts";
import { FEE_REPLACEMENTS_MAX, HELD_MS, pollAgainMs, retryAfterMs } from "../limits.ts";
import { notifyPayoutListeners } from "../payout-listeners.ts";
import { type AttemptRow, insertAttempt, liveAttempts, movePayout, type PayoutRow } from "../payouts.store.ts";
import { assertNotHalted, attemptOf, gasLeft, type PayoutRun, signedOf } from "./payout-run.ts";

/**
 * Sends the newest stored attempt of a payout. Idempotent: it sends the same bytes every time.
 * @throws LeaseLost, Halted, chain_unavailable
 */
export async function send(run: PayoutRun, payout: PayoutRow): Promise<void> {
  const { ctx, payer, lease } = run;
  const [newest] = await liveAttempts(ctx.db, payout.id);
  if (newest === undefined)
    throw new Error(`The payout ${payout.id} is ${payout.state}, but has no transaction to send.`);
  await assertNotHalted(run, ctx);
  try {
    await payer.broadcast(signedOf(newest));
  } catch (error) {
    if (!(error instanceof TransferRefused)) throw error;
    return refused(run, payout, newest, error);
  }
  await lease.write(ctx, async (ctx) => {
    const now = ctx.clock.now();
    const change = { state: "sent", hash: newest.hash, due_at: now + pollAgainMs(0), updated_at: now } as const;
    const isChanged = payout.state === "signed" || payout.hash !== newest.hash;
    if ((await movePayout(ctx.db, payout, change)) && isChanged)
      await notifyPayoutListeners(ctx, payout, { status: "pending", hash: newest.hash });
  });
}

/**
 * Schedules the next check after a refusal. A refusal proves nothing else: only a final answer of the chain ends an
 * attempt.
 */
async function refused(
  run: PayoutRun,
  payout: PayoutRow,
  newest: AttemptRow,
  { reason }: TransferRefused,
): Promise<void> {
  const { ctx, lease } = run;
  const now = ctx.clock.now();
  ctx.log.warn({ payout: payout.id, hash: newest.hash, reason }, "the chain's servers did not accept a payout");
  if (reason === "underpriced" && payout.nonce !== null) return replaceByFee(run, payout);
  const isFunds = reason === "insufficient_funds";
  const isOver = reason === "nonce_used" || reason === "expired";
  const refusals = payout.refusals + (reason === "would_fail" ? 1 : 0);
  const after = isOver ? pollAgainMs(0) : isFunds ? HELD_MS : retryAfterMs(refusals);
  const hold = isFunds
    ? ("insufficient_funds" as const)
    : reason === "would_fail"
      ? ("would_fail" as const)
      : payout.hold;
  await lease.write(ctx, (ctx) => movePayout(ctx.db, payout, { refusals, hold, due_at: now + after }));
}

/**
 * Signs the same transfer with a higher fee on the same nonce, stores it and sends it; at most three times per nonce
 * and within the gas budget.
 * @throws LeaseLost, Halted, chain_unavailable
 */
export async function replaceByFee(run: PayoutRun, payout: PayoutRow): Promise<void> {
  const { ctx, payer, lease } = run;
  const attempts = await liveAttempts(ctx.db, payout.id);
  const [newest] = attempts;
  if (newest === undefined) throw new Error(`The payout ${payout.id} has no transaction whose fee can be raised.`);
  if (attempts.length > FEE_REPLACEMENTS_MAX) return holdBack(run, payout, "stuck");
  await assertNotHalted(run, ctx);
  const gas = await gasLeft(run, payout.id);
  try {
    const signed = await payer.replaceByFee(signedOf(newest), gas === null ? {} : { feeMax: gas });
    const stored = await lease.write(ctx, async (ctx) => {
      await assertNotHalted(run, ctx);
      const now = ctx.clock.now();
      const change = { state: "signed", hold: null, due_at: now, updated_at: now } as const;
      if (!(await movePayout(ctx.db, payout, change))) return null;
      await insertAttempt(ctx.db, attemptOf(payout, payer.address, signed, now));
      return { ...payout, ...change };
    });
    ctx.log.info({ payout: payout.id, nonce: payout.nonce, bump: attempts.length }, "the fee of a payout was raised");
    if (stored !== null) await send(run, stored);
  } catch (error) {
    if (!(error instanceof TransferRefused)) throw error;
    await holdBack(run, payout, error.reason === "insufficient_funds" ? error.reason : "fee_too_high");
  }
}

/** Postpones the payout unchanged and stores the reason. */
export async function holdBack(run: PayoutRun, payout: PayoutRow, hold: NonNullable<PayoutRow["hold"]>): Promise<void> {
  const { ctx, lease } = run;
  if (payout.hold !== hold) ctx.log.warn({ payout: payout.id, nonce: payout.nonce, hold }, "a payout is stuck");
  await lease.write(ctx, (ctx) => movePayout(ctx.db, payout, { hold, due_at: ctx.clock.now() + HELD_MS }));
}
