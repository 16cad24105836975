import type { Chain } from "../../chains/chain.ts";
import type { Identity } from "../../http/identity.ts";
import type { ChallengeRow } from "../offers/challenges.store.ts";
import type { Offer, Quote } from "../offers/offers.ts";
import type { PaymentRow } from "../payments.store.ts";
import type { Proof } from "./payment-header.ts";

/** A transaction that is presented as a payment for something. */
export interface Presentation {
  readonly caller: Identity;
  readonly offer: Offer;
  readonly quote: Quote;
  readonly proof: Proof;
  /** The chain on which the transaction is claimed to be. */
  readonly chain: Chain;
  /** In the chain's own spelling. */
  readonly txHash: string;
  /** The demand that it claims to answer; null if it names none. */
  readonly named: ChallengeRow | null;
}

/** A grant, new or existing. */
export type Grant = Pick<PaymentRow, "id" | "tx_hash" | "payer"> & {
  readonly granted_at: number;
  /** A token to fetch the same content again; only in the first response. */
  readonly refetchToken?: string;
};
