import { type Asset, TransferRefused } from "../../chains/chain.ts";
import { limitOf } from "../../config/amounts.ts";
import type { PayoutHold } from "../../db/tables/payouts.ts";
import { owedAccount } from "../../ledger/account-names.ts";
import { balanceOf } from "../../ledger/ledger.ts";
import { capProblem, dayOf, firstFree, HELD_MS, REFUSALS_MAX, tryAgainMs } from "../limits.ts";
import { addToDay, insertAttempt, movePayout, type PayoutRow, readDay, takenNonces } from "../payouts.store.ts";
import { endPayout } from "./finalize-payout.ts";
import { assetOf, attemptOf, type Desk, expectGoing, gasLeft, Halted } from "./payout-run.ts";
import { send } from "./send.ts";

/**
 * Begins a queued payout: assigns a nonce, signs and sends, storing each step before the next. Stores the reason if the
 * payout has to wait.
 * @throws LeaseLost, Halted, chain_unavailable
 */
export async function begin(desk: Desk, payout: PayoutRow): Promise<void> {
  const asset = assetOf(desk, payout);
  if (asset === null) return hold(desk, payout, "no_asset");
  const cap = await capOf(desk, payout, asset);
  if (cap !== null) return hold(desk, payout, cap);
  const nonce = await freeNonce(desk);
  const numbered = await takeNonce(desk, payout, nonce);
  if (numbered === null) return hold(desk, payout, "not_in_ledger");
  return signNumbered(desk, numbered);
}

/** Signs and sends a payout that has its nonce but no signature yet. @throws LeaseLost, Halted, chain_unavailable */
export async function signNumbered(desk: Desk, payout: PayoutRow): Promise<void> {
  const { ctx, chain, payer } = desk;
  const asset = assetOf(desk, payout);
  if (asset === null || payout.payer !== payer.address)
    return release(desk, payout, asset === null ? "no_asset" : null);
  await expectGoing(desk, ctx);
  const gas = await gasLeft(desk, payout.id);
  if (gas === 0n) return release(desk, payout, "gas_budget");
  const order = { asset, to: payout.recipient, amount: BigInt(payout.amount), nonce: bigintOf(payout.nonce) };
  try {
    const signed = await payer.sign({ ...order, ...(gas === null ? {} : { feeMax: gas }) });
    const stored = await desk.lease.write(ctx, async (ctx) => {
      await expectGoing(desk, ctx);
      const now = ctx.clock.now();
      const change = { state: "signed", hold: null, hash: signed.hash, due_at: now, updated_at: now } as const;
      if (!(await movePayout(ctx.db, payout, change))) return null;
      await insertAttempt(ctx.db, attemptOf(payout, payer.address, signed, now));
      return { ...payout, ...change };
    });
    if (stored !== null) await send(desk, stored);
  } catch (error) {
    if (!(error instanceof TransferRefused)) throw error;
    const { chain: kind, chain_id, id } = payout;
    ctx.log.warn({ payout: id, chain: kind, chain_id, reason: error.reason }, "a payout cannot be signed now");
    if (error.reason === "would_fail") return refuse(desk, payout);
    const isBudget = gas !== null && error.reason === "fee_above_limit";
    await release(desk, payout, isBudget ? "gas_budget" : holdOf(error));
  }

  function holdOf({ reason }: TransferRefused): PayoutHold {
    return reason === "insufficient_funds" ? reason : chain.kind === "evm" ? "fee_too_high" : "stuck";
  }
}

const bigintOf = (nonce: number | null): bigint | null => (nonce === null ? null : BigInt(nonce));

/**
 * Returns the cap that the payout exceeds, or null. Each round counts once, on the day it first begins, because each
 * round signs a transfer that could be paid.
 */
async function capOf({ ctx }: Desk, payout: PayoutRow, asset: Asset): Promise<PayoutHold | null> {
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
async function freeNonce({ ctx, chain, payer }: Desk): Promise<bigint | null> {
  const next = await payer.nextNonce();
  return next === null ? null : firstFree(next, await takenNonces(ctx.db, chain, payer.address, next));
}

/**
 * Stores the nonce. Returns null if the ledger does not owe the amount, so nothing may be paid (guarantees P13: the
 * amount is read from the ledger again).
 */
function takeNonce(desk: Desk, payout: PayoutRow, nonce: bigint | null): Promise<PayoutRow | null> {
  return desk.lease.write(desk.ctx, async (ctx) => {
    await expectGoing(desk, ctx);
    const now = ctx.clock.now();
    const owed = await balanceOf(ctx, owedAccount(payout.chain, payout.chain_id), payout.ledger_currency);
    if (owed < BigInt(payout.amount)) return null;
    const day = payout.day ?? dayOf(now);
    const number = nonce === null ? null : Number(nonce);
    const change = { state: "numbered", payer: desk.payer.address, nonce: number, day, updated_at: now } as const;
    if (!(await movePayout(ctx.db, payout, change))) throw new Halted();
    if (payout.day === null) await addToDay(ctx.db, day, payout.ledger_currency, { amount: BigInt(payout.amount) });
    return { ...payout, ...change };
  });
}

/** Leaves the payout queued and stores the reason. */
async function hold(desk: Desk, payout: PayoutRow, why: PayoutHold): Promise<void> {
  if (payout.hold !== why) {
    desk.ctx.log.warn(
      { payout: payout.id, currency: payout.currency, amount: payout.amount, hold: why },
      "a payout is on hold",
    );
  }
  const now = desk.ctx.clock.now();
  await desk.lease.write(desk.ctx, (ctx) => movePayout(ctx.db, payout, { hold: why, due_at: now + HELD_MS }));
}

/**
 * Requeues the payout and frees its nonce. No stored signature uses that nonce, and a signature that was not stored was
 * not sent.
 */
async function release(
  desk: Desk,
  payout: PayoutRow,
  why: PayoutHold | null,
  { refusals = payout.refusals, afterMs = HELD_MS }: { refusals?: number; afterMs?: number } = {},
): Promise<void> {
  const now = desk.ctx.clock.now();
  const due_at = why === null ? now : now + afterMs;
  const change = { state: "queued", payer: null, nonce: null, hold: why, refusals, due_at, updated_at: now } as const;
  await desk.lease.write(desk.ctx, async (ctx) => {
    // A gap owes nothing to anyone: the next payout that needs the nonce takes it.
    if (payout.purpose === "gap") await endPayout(ctx, payout, { as: "failed" });
    else await movePayout(ctx.db, payout, change);
  });
}

async function refuse(desk: Desk, payout: PayoutRow): Promise<void> {
  const refusals = payout.refusals + 1;
  if (refusals < REFUSALS_MAX) {
    return release(desk, payout, "would_fail", { refusals, afterMs: tryAgainMs(refusals) });
  }
  await desk.lease.write(desk.ctx, (ctx) => endPayout(ctx, payout, { as: "failed" }));
}
