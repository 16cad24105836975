import { TransferRefused } from "../../chains/chain.ts";
import { BUMPS_MAX, HELD_MS, lookAgainMs, tryAgainMs } from "../limits.ts";
import { tell } from "../payout-listeners.ts";
import { type AttemptRow, insertAttempt, liveAttempts, movePayout, type PayoutRow } from "../payouts.store.ts";
import { attemptOf, type Desk, expectGoing, gasLeft, signedOf } from "./payout-run.ts";

/**
 * Sends the newest stored attempt of a payout. Idempotent: it sends the same bytes every time.
 * @throws LeaseLost, Halted, chain_unavailable
 */
export async function send(desk: Desk, payout: PayoutRow): Promise<void> {
  const { ctx, payer, lease } = desk;
  const [newest] = await liveAttempts(ctx.db, payout.id);
  if (newest === undefined)
    throw new Error(`The payout ${payout.id} is ${payout.state}, but has no transaction to send.`);
  await expectGoing(desk, ctx);
  try {
    await payer.broadcast(signedOf(newest));
  } catch (error) {
    if (!(error instanceof TransferRefused)) throw error;
    return refused(desk, payout, newest, error);
  }
  await lease.write(ctx, async (ctx) => {
    const now = ctx.clock.now();
    const change = { state: "sent", hash: newest.hash, due_at: now + lookAgainMs(0), updated_at: now } as const;
    const isNews = payout.state === "signed" || payout.hash !== newest.hash;
    if ((await movePayout(ctx.db, payout, change)) && isNews)
      await tell(ctx, payout, { status: "pending", hash: newest.hash });
  });
}

/**
 * Schedules the next check after a refusal. A refusal proves nothing else: only a final answer of the chain ends an
 * attempt.
 */
async function refused(desk: Desk, payout: PayoutRow, newest: AttemptRow, { reason }: TransferRefused): Promise<void> {
  const { ctx, lease } = desk;
  const now = ctx.clock.now();
  ctx.log.warn({ payout: payout.id, hash: newest.hash, reason }, "the chain's servers did not accept a payout");
  if (reason === "underpriced" && payout.nonce !== null) return bump(desk, payout);
  const isFunds = reason === "insufficient_funds";
  const isOver = reason === "nonce_used" || reason === "expired";
  const refusals = payout.refusals + (reason === "would_fail" ? 1 : 0);
  const after = isOver ? lookAgainMs(0) : isFunds ? HELD_MS : tryAgainMs(refusals);
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
export async function bump(desk: Desk, payout: PayoutRow): Promise<void> {
  const { ctx, payer, lease } = desk;
  const attempts = await liveAttempts(ctx.db, payout.id);
  const [newest] = attempts;
  if (newest === undefined) throw new Error(`The payout ${payout.id} has no transaction whose fee can be raised.`);
  if (attempts.length > BUMPS_MAX) return holdBack(desk, payout, "stuck");
  await expectGoing(desk, ctx);
  const gas = await gasLeft(desk, payout.id);
  try {
    const signed = await payer.bump(signedOf(newest), gas === null ? {} : { feeMax: gas });
    const stored = await lease.write(ctx, async (ctx) => {
      await expectGoing(desk, ctx);
      const now = ctx.clock.now();
      const change = { state: "signed", hold: null, due_at: now, updated_at: now } as const;
      if (!(await movePayout(ctx.db, payout, change))) return null;
      await insertAttempt(ctx.db, attemptOf(payout, payer.address, signed, now));
      return { ...payout, ...change };
    });
    ctx.log.info({ payout: payout.id, nonce: payout.nonce, bump: attempts.length }, "the fee of a payout was raised");
    if (stored !== null) await send(desk, stored);
  } catch (error) {
    if (!(error instanceof TransferRefused)) throw error;
    await holdBack(desk, payout, error.reason === "insufficient_funds" ? error.reason : "fee_too_high");
  }
}

/** Postpones the payout unchanged and stores the reason. */
export async function holdBack(desk: Desk, payout: PayoutRow, hold: NonNullable<PayoutRow["hold"]>): Promise<void> {
  const { ctx, lease } = desk;
  if (payout.hold !== hold) ctx.log.warn({ payout: payout.id, nonce: payout.nonce, hold }, "a payout is stuck");
  await lease.write(ctx, (ctx) => movePayout(ctx.db, payout, { hold, due_at: ctx.clock.now() + HELD_MS }));
}
