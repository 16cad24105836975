import type { PaymentProof } from "@parley/protocol/payments";
import { type PaymentWallet, prove } from "./payments.ts";

/** The fields read from an entry of x402's `accepts`. */
interface Requirements {
  readonly network: string;
  readonly asset: string;
  readonly amount: string;
  readonly payTo: string;
  readonly extra: Record<string, unknown>;
}

/** A Parley server's name for this method: pay on the chain, then present the transaction. */
const METHOD = "transaction-proof";

/**
 * A policy for `registerPolicy` of such a client: if a server also accepts signed transfers, through a facilitator, it
 * keeps only the entries that `PayThenProve` can pay.
 */
export const onlyProofs = <R extends Pick<Requirements, "extra">>(_x402Version: number, entries: R[]): R[] =>
  entries.filter(({ extra }) => extra.assetTransferMethod === METHOD);

/**
 * The scheme by which clients of x402 (version 2) pay a Parley server: `new x402Client().register("eip155:8453", new
 * PayThenProve(wallet))` of @x402/core, at the address that a 402 names as `payment.x402Url`, and
 * `.registerPolicy(onlyProofs)`. Their spending controls apply; list the token in `allowedAssets`. On a chain with slow
 * finality the wallet's `pay` must wait for it, because these clients ask once.
 */
export class PayThenProve {
  readonly scheme = "exact";
  readonly #wallet: PaymentWallet;

  constructor(wallet: PaymentWallet) {
    this.#wallet = wallet;
  }

  /** @throws Error for entries of other servers, which require a different signature */
  async createPaymentPayload(
    x402Version: number,
    { network, asset, amount, payTo, extra }: Requirements,
  ): Promise<{ x402Version: number; payload: PaymentProof }> {
    const { assetTransferMethod, paymentId, resource, currency, decimals, chainId } = extra;
    if (assetTransferMethod !== METHOD) throw new Error(`This wallet pays by ${METHOD} only.`);
    const payload = await prove(this.#wallet, {
      chain: network.startsWith("eip155:") ? "evm" : "solana",
      chainId: Number(chainId),
      tokenAddress: asset === "native" ? null : asset,
      amount,
      recipient: payTo,
      paymentId: String(paymentId),
      currency: String(currency),
      decimals: Number(decimals),
      resource: String(resource),
    });
    return { x402Version, payload };
  }
}
