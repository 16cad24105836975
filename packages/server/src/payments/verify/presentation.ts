import type { Chain } from "../../chains/chain.ts";
import type { Identity } from "../../http/identity.ts";
import type { ChallengeRow } from "../offers/challenges.store.ts";
import type { Offer, Terms } from "../offers/offers.ts";
import type { PaymentRow } from "../payments.store.ts";
import type { Proof } from "./payment-header.ts";

/** A transaction that is presented as payment for something. */
export interface Presentation {
  readonly caller: Identity;
  readonly offer: Offer;
  readonly terms: Terms;
  readonly proof: Proof;
  /** Where the transaction is said to be. */
  readonly chain: Chain;
  /** In the chain's own spelling. */
  readonly txHash: string;
  /** The demand that it is said to answer; null: it names none. */
  readonly named: ChallengeRow | null;
}

/** What was granted, now or before. */
export type Grant = Pick<PaymentRow, "id" | "tx_hash" | "payer"> & {
  readonly granted_at: number;
  /** Only in the first answer: fetches the same again. */
  readonly refetchToken?: string;
};
