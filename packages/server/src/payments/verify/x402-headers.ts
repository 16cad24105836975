import { DEMAND_HEADER, type PaymentDemand, type PaymentResponse } from "@parley/protocol/payments";
import type { AcceptedEntry } from "@parley/protocol/x402";
import { TIMEOUT_SECONDS } from "../settle/exact-entry.ts";
import type { HeaderFormat } from "./payment-header.ts";

/** The fields that x402 requires about a resource and its chain. */
export interface About {
  /** Full URL of the resource. */
  readonly url: string;
  readonly description: string;
  /** The chain's name in CAIP-2. */
  readonly network: string;
}

/**
 * Returns the value of `PAYMENT-REQUIRED`: plain JSON, or x402's form in base64 with the plain fields added (protocol
 * §7). `exact` is the entry for wallets that only sign. It is first if there is one, because clients that support both
 * choose the first.
 */
export function demandHeader(
  demand: PaymentDemand,
  format: HeaderFormat,
  about: About,
  { error, exact }: { error: string; exact: AcceptedEntry | null },
): string {
  const plain = Object.fromEntries(DEMAND_HEADER.map((field) => [field, demand[field]]));
  if (format === "plain") return JSON.stringify(plain);
  const { url, description, network } = about;
  // x402's `resource` takes the place of the path.
  return base64({
    ...plain,
    x402Version: 2,
    error,
    resource: { url, description, mimeType: "" },
    accepts: [...(exact === null ? [] : [exact]), proofEntry(demand, network)],
  });
}

/**
 * Returns the entry for wallets that pay on the chain themselves and then present the transaction (x402, `exact` with
 * payment proof). It has neither `name` nor `version`, so that a wallet that only supports signatures stops with an
 * error instead of signing something useless.
 */
function proofEntry(demand: PaymentDemand, network: string): object {
  const { amount, chainId, tokenAddress, recipient, paymentId, resource, currency, decimals } = demand;
  return {
    scheme: "exact",
    network,
    amount,
    asset: tokenAddress ?? "native",
    payTo: recipient,
    maxTimeoutSeconds: TIMEOUT_SECONDS,
    extra: {
      assetTransferMethod: "transaction-proof",
      paymentFlow: "upfront",
      paymentId,
      chainId,
      currency,
      decimals,
      // Part of the text that is signed, together with paymentId.
      resource,
    },
  };
}

/** Returns the value of `PAYMENT-RESPONSE`. `payer` and `reason` are x402's; null if unknown or absent. */
export function responseHeader(
  { txHash, verified, refetchToken }: PaymentResponse,
  format: HeaderFormat,
  more: { network: string; payer: string | null; reason: string | null },
): string {
  const plain = { txHash, verified, ...(refetchToken === undefined ? {} : { refetchToken }) };
  if (format === "plain") return JSON.stringify(plain);
  const { network, payer, reason } = more;
  return base64({
    success: verified,
    transaction: txHash,
    network,
    ...(payer === null ? {} : { payer }),
    ...(reason === null ? {} : { errorReason: reason }),
    ...plain,
  });
}

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64");
