import { chainsOf } from "../chains/chains.ts";
import type { AppContext } from "../context.ts";
import { ledgerCurrency } from "../ledger/account-names.ts";
import type { PayoutRequest } from "../red-packets/claim/payout-port.ts";
import { findByKey, insertPayout } from "./payouts.store.ts";
import { wake } from "./send/worker.ts";

/**
 * Records that a transfer is owed, inside the caller's transaction, which has put the amount into `owedAccount`.
 * Idempotent by key. Throws an Error (a bug) if the key exists with other content.
 */
export async function requestPayout(ctx: AppContext, payout: PayoutRequest): Promise<void> {
  const { key, reason, chain, chainId, currency, tokenAddress, to, amount } = payout;
  if (!ctx.db.isTransaction) throw new Error(`The payout ${key} is requested outside a transaction.`);
  if (amount <= 0n || to === "") throw new Error(`The payout ${key} pays ${amount} to "${to}".`);
  const now = ctx.clock.now();
  const id = await insertPayout(ctx.db, {
    key,
    purpose: reason,
    chain,
    chain_id: chainId,
    currency,
    token_address: tokenAddress,
    ledger_currency: ledgerCurrency(chain, chainId, { currency, tokenAddress }),
    recipient: to,
    amount: String(amount),
    state: "queued",
    hold: null,
    payer: null,
    nonce: null,
    round: 0,
    refusals: 0,
    hash: null,
    fee_paid: null,
    day: null,
    due_at: now,
    created_at: now,
    updated_at: now,
    ended_at: null,
  });
  if (id === null) return expectSame(ctx, payout);
  // A server without this chain does not process its payouts.
  if (chainsOf(ctx).find(chain, chainId) !== null) ctx.afterCommit(() => wake(ctx.root));
}

async function expectSame(ctx: AppContext, { key, to, amount, tokenAddress }: PayoutRequest): Promise<void> {
  const found = await findByKey(ctx.db, key);
  const same = found?.recipient === to && found.amount === String(amount) && found.token_address === tokenAddress;
  if (!same) throw new Error(`The payout ${key} was already requested with different content.`);
}
