import { ledgerCurrency } from "../../ledger/account-names.ts";
import { firstGap } from "../limits.ts";
import { duePayouts, insertPayout, type PayoutRow, takenNonces } from "../payouts.store.ts";
import { assertNotHalted, nativeOf, type PayoutRun } from "./payout-run.ts";

/** A payout younger than this is not considered blocked by a gap. */
const PATIENCE_MS = 30_000;

/**
 * Fills a nonce missing below those under way, which would block all of them forever (a reorganisation may have removed
 * the transaction that used it, for example). A queued payout takes the nonce if there is one; otherwise the treasury
 * sends a zero transfer to itself.
 * @throws LeaseLost, Halted, chain_unavailable
 */
export async function fillNonceGap(run: PayoutRun, first: PayoutRow): Promise<void> {
  const { ctx, chain, payer, lease } = run;
  const now = ctx.clock.now();
  if (first.nonce === null || first.state === "included" || now - first.created_at < PATIENCE_MS) return;
  if ((await duePayouts(ctx.db, chain, ["queued"], { now, limit: 1 })).length > 0) return;
  const next = await payer.nextNonce();
  if (next === null || next >= BigInt(first.nonce)) return;
  const gap = firstGap(next, await takenNonces(ctx.db, chain, payer.address, next));
  if (gap === null) return;
  ctx.log.warn({ chain: chain.kind, chain_id: chain.chainId, nonce: String(gap) }, "a nonce is missing; filling it");
  const native = nativeOf(chain);
  await lease.write(ctx, async (ctx) => {
    await assertNotHalted(run, ctx);
    await insertPayout(ctx.db, {
      key: `gap:${chain.kind}:${chain.chainId}:${payer.address}:${gap}:${now}`,
      purpose: "gap",
      chain: chain.kind,
      chain_id: chain.chainId,
      currency: native.currency,
      token_address: null,
      ledger_currency: ledgerCurrency(chain.kind, chain.chainId, native),
      recipient: payer.address,
      amount: "0",
      state: "numbered",
      payer: payer.address,
      nonce: Number(gap),
      due_at: now,
      created_at: now,
      updated_at: now,
      // The remaining columns start empty.
      hold: null,
      round: 0,
      refusals: 0,
      hash: null,
      fee_paid: null,
      day: null,
      ended_at: null,
    });
  });
}
