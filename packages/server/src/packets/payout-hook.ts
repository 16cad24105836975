import type { Asset, Chain, ChainKind } from "../chains/chain.ts";
import { type AppContext, perServer } from "../context.ts";

/** A transfer on a chain that a packet owes. */
export interface PayoutRequest {
  /** Names what is paid: a key is paid once, for ever. `packet:<id>:claim:<user id>` or `packet:<id>:refund`. */
  readonly key: string;
  readonly reason: "claim" | "refund";
  readonly chain: ChainKind;
  readonly chainId: number;
  /** The symbol; beside it the token's contract or mint, null for the native coin. */
  readonly currency: string;
  readonly tokenAddress: string | null;
  /** In the spelling of `Chain.normalAddress`. */
  readonly to: string;
  readonly amount: bigint;
}

/** What makes transfers of them: the slice `payouts`. */
export interface PayoutRequests {
  /**
   * Writes the intent down in the caller's transaction, and nothing more. A key that is known already changes nothing. The caller has put the
   * amount into `owedAccount` in that transaction; settling takes it on from there to `treasuryAccount`, once.
   */
  request(ctx: AppContext, payout: PayoutRequest): Promise<void>;
  /**
   * Why no more should be promised on that chain now, in a word; null: so many shares, the largest so large, can be paid. It may ask the chain, so
   * not inside a transaction. Errors: `chain_unavailable`.
   */
  problem(
    ctx: AppContext,
    promised: { chain: Chain; asset: Asset; largest: bigint; count: number },
  ): Promise<string | null>;
}

/** Where `payouts` puts itself when the server starts. What becomes of a request, it tells to `payoutChanged` (payout-results.ts). */
class PayoutHook {
  #requests: PayoutRequests | null = null;

  use(requests: PayoutRequests): void {
    this.#requests = requests;
  }

  /** null: nothing here can pay on a chain, so packets on chains cannot be made. */
  get requests(): PayoutRequests | null {
    return this.#requests;
  }
}

export const payoutHook: (ctx: AppContext) => PayoutHook = perServer(() => new PayoutHook());
