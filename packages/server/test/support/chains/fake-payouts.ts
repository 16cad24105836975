import type { ErrorDetails } from "@parley/protocol/error-details";
import type { AppContext } from "../../../src/context.ts";
import { transact } from "../../../src/db/transact.ts";
import { ledgerCurrency, owedAccount, treasuryAccount } from "../../../src/ledger/account-names.ts";
import { postTransfer } from "../../../src/ledger/ledger.ts";
import { type PayoutRequest, type PayoutRequests, payoutRequests } from "../../../src/red-packets/claim/payout-port.ts";
import { payoutChanged } from "../../../src/red-packets/claim/payout-results.ts";

/** Payouts whose outcome a test decides. They update the ledger as `payouts` does. */
export class FakePayouts implements PayoutRequests {
  /** The payouts whose transaction was committed, in order. */
  readonly requested: PayoutRequest[] = [];
  /** The reason to accept no more payouts. */
  trouble: ErrorDetails["payouts_unavailable"]["reason"] | null = null;

  constructor(ctx: AppContext) {
    payoutRequests(ctx, this);
  }

  async request(ctx: AppContext, payout: PayoutRequest): Promise<void> {
    if (!ctx.db.isTransaction) throw new Error("A payout was requested outside a transaction.");
    ctx.afterCommit(() => this.requested.push(payout));
  }

  async problem(): Promise<ErrorDetails["payouts_unavailable"]["reason"] | null> {
    return this.trouble;
  }

  /** Marks it as paid by the chain. */
  pay(ctx: AppContext, payout: PayoutRequest): Promise<void> {
    return transact(ctx, async (ctx) => {
      const { key, chain, chainId, amount } = payout;
      const legs = [
        { account: owedAccount(chain, chainId), amount: -amount },
        { account: treasuryAccount(chain, chainId), amount },
      ];
      await postTransfer(ctx, { key: `paid:${key}`, kind: "payout", currency: currencyOf(payout), legs });
      await payoutChanged(ctx, { key, status: "settled", hash: `0xpaid-${key}` });
    });
  }

  /** Marks it as impossible to pay: the debt remains. */
  fail(ctx: AppContext, { key }: PayoutRequest): Promise<void> {
    return transact(ctx, (ctx) => payoutChanged(ctx, { key, status: "failed", hash: null }));
  }
}

const currencyOf = ({ chain, chainId, currency, tokenAddress }: PayoutRequest): string =>
  ledgerCurrency(chain, chainId, { currency, tokenAddress });
