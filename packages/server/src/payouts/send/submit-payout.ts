import { type Asset, TransferRefused } from "../../chains/chain.ts";
import { limitOf } from "../../config/amounts.ts";
import type { PayoutHold } from "../../db/tables/payouts.ts";
import { owedAccount } from "../../ledger/account-names.ts";
import { balanceOf } from "../../ledger/ledger.ts";
import { capProblem, dayOf, firstFree, HELD_MS, REFUSALS_MAX, retryAfterMs } from "../limits.ts";
import { addToDay, insertAttempt, movePayout, type PayoutRow, readDay, takenNonces } from "../payouts.store.ts";
import { finalizePayout } from "./finalize-payout.ts";
import { assertNotHalted, assetOf, attemptOf, gasLeft, Halted, type PayoutRun } from "./payout-run.ts";
import { send } from "./send.ts";

/**
 * Submits a queued payout: assigns a nonce, signs and sends, storing each step before the next. Stores the reason if the
 * payout has to wait.
 * @throws LeaseLost, Halted, chain_unavailable
 */
export async function submitPayout(run: PayoutRun, payout: PayoutRow): Promise<void> {
  const asset = assetOf(run, payout);
  if (asset === null) return hold(run, payout, "no_asset");
  const cap = await capOf(run, payout, asset);
  if (cap !== null) return hold(run, payout, cap);
  const nonce = await freeNonce(run);
  const numbered = await takeNonce(run, payout, nonce);
  if (numbered === null) return hold(run, payout, "not_in_ledger");
  return signNumbered(run, numbered);
}

/** Signs and sends a payout that has its nonce but no signature yet. @throws LeaseLost, Halted, chain_unavailable */
export async function signNumbered(run: PayoutRun, payout: PayoutRow): Promise<void> {
  const { ctx, chain, payer } = run;
  const asset = assetOf(run, payout);
  if (asset === null || payout.payer !== payer.address) return release(run, payout, asset === null ? "no_asset" : null);
  await assertNotHalted(run, ctx);
  const gas = await gasLeft(run, payout.id);
  if (gas === 0n) return release(run, payout, "gas_budget");
  const order = { asset, to: payout.recipient, amount: BigInt(payout.amount), nonce: bigintOf(payout.nonce) };
  try {
    const signed = await payer.sign({ ...order, ...(gas === null ? {} : { feeMax: gas }) });
    const stored = await run.lease.write(ctx, async (ctx) => {
      await assertNotHalted(run, ctx);
      const now = ctx.clock.now();
      const change = { state: "signed", hold: null, hash: signed.hash, due_at: now, updated_at: now } as const;
      if (!(await movePayout(ctx.db, payout, change))) return null;
      await insertAttempt(ctx.db, attemptOf(payout, payer.address, signed, now));
      return { ...payout, ...change };
    });
    if (stored !== null) await send(run, stored);
  } catch (error) {
    if (!(error instanceof TransferRefused)) throw error;
    const { chain: kind, chain_id, id } = payout;
    ctx.log.warn({ payout: id, chain: kind, chain_id, reason: error.reason }, "a payout cannot be signed now");
    if (error.reason === "would_fail") return refuse(run, payout);
    const isBudget = gas !== null && error.reason === "fee_above_limit";
    await release(run, payout, isBudget ? "gas_budget" : holdOf(error));
  }

  function holdOf({ reason }: TransferRefused): PayoutHold {
    return reason === "insufficient_funds" ? reason : chain.kind === "evm" ? "fee_too_high" : "stuck";
  }
}

const bigintOf = (nonce: number | null): bigint | null => (nonce === null ? null : BigInt(nonce));

/**
 * Returns the cap that the payout exceeds, or null. Each round counts against the cap of the day on which it starts,
 * because each signs a transfer that could be paid.
 */
async function capOf({ ctx }: PayoutRun, payout: PayoutRow, asset: Asset): Promise<PayoutHold | null> {
  if (payout.day !== null) return null;
  const today = await readDay(ctx.db, dayOf(ctx.clock.now()), payout.ledger_currency);
  return capProblem(BigInt(payout.amount), {
    perTransfer: limitOf(ctx.config.payoutTransferMax, asset),
    perDay: limitOf(ctx.config.payoutDailyMax, asset),
    today: today.amount,
  });
}

/**
 * Returns the lowest nonce that is unused on the chain and in our signatures, so that gaps are filled first. null: the
 * chain has no nonces.
 */
async function freeNonce({ ctx, chain, payer }: PayoutRun): Promise<bigint | null> {
  const next = await payer.nextNonce();
  return next === null ? null : firstFree(next, await takenNonces(ctx.db, chain, payer.address, next));
}

/**
 * Stores the nonce. Returns null if the ledger does not owe the amount, so nothing may be paid (guarantees P13: the
 * amount is read from the ledger again).
 */
function takeNonce(run: PayoutRun, payout: PayoutRow, nonce: bigint | null): Promise<PayoutRow | null> {
  return run.lease.write(run.ctx, async (ctx) => {
    await assertNotHalted(run, ctx);
    const now = ctx.clock.now();
    const owed = await balanceOf(ctx, owedAccount(payout.chain, payout.chain_id), payout.ledger_currency);
    if (owed < BigInt(payout.amount)) return null;
    const day = payout.day ?? dayOf(now);
    const number = nonce === null ? null : Number(nonce);
    const change = { state: "numbered", payer: run.payer.address, nonce: number, day, updated_at: now } as const;
    if (!(await movePayout(ctx.db, payout, change))) throw new Halted();
    if (payout.day === null) await addToDay(ctx.db, day, payout.ledger_currency, { amount: BigInt(payout.amount) });
    return { ...payout, ...change };
  });
}

/** Leaves the payout queued and stores the reason. */
async function hold(run: PayoutRun, payout: PayoutRow, why: PayoutHold): Promise<void> {
  if (payout.hold !== why) {
    run.ctx.log.warn(
      { payout: payout.id, currency: payout.currency, amount: payout.amount, hold: why },
      "a payout is on hold",
    );
  }
  const now = run.ctx.clock.now();
  await run.lease.write(run.ctx, (ctx) => movePayout(ctx.db, payout, { hold: why, due_at: now + HELD_MS }));
}

/**
 * Requeues the payout and frees its nonce. No stored signature uses that nonce, and a signature that was not stored was
 * not sent.
 */
async function release(
  run: PayoutRun,
  payout: PayoutRow,
  why: PayoutHold | null,
  { refusals = payout.refusals, afterMs = HELD_MS }: { refusals?: number; afterMs?: number } = {},
): Promise<void> {
  const now = run.ctx.clock.now();
  const due_at = why === null ? now : now + afterMs;
  const change = { state: "queued", payer: null, nonce: null, hold: why, refusals, due_at, updated_at: now } as const;
  await run.lease.write(run.ctx, async (ctx) => {
    // A gap filler pays nobody, so it may fail; the next payout reuses its nonce.
    if (payout.purpose === "gap") await finalizePayout(ctx, payout, { as: "failed" });
    else await movePayout(ctx.db, payout, change);
  });
}

async function refuse(run: PayoutRun, payout: PayoutRow): Promise<void> {
  const refusals = payout.refusals + 1;
  if (refusals < REFUSALS_MAX) {
    return release(run, payout, "would_fail", { refusals, afterMs: retryAfterMs(refusals) });
  }
  await run.lease.write(run.ctx, (ctx) => finalizePayout(ctx, payout, { as: "failed" }));
}
