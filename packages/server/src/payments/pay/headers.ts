import {
  DEMAND_HEADER,
  PAYMENT_HEADER_MAX,
  PAYMENT_SECONDS,
  type PaymentDemand,
  PaymentProof,
  type PaymentResponse,
} from "@parley/protocol/payments";
import { ExactPayload, PaymentRequirements } from "@parley/protocol/x402";
import { fail } from "../../errors.ts";
import { matchesSchema } from "../../http/body/validate.ts";

/** The form of the headers: Parley's plain JSON, or x402 version 2 in base64. */
export type HeaderFormat = "plain" | "x402";

/** A transaction that shows that something was paid, as it was sent, not yet verified. */
export interface TransactionProof {
  readonly txHash: string;
  readonly paymentId: string | null;
  readonly payer: string | null;
  readonly signature: string | null;
  readonly refetchToken: string | null;
  readonly format: HeaderFormat;
}

/** An authorization signed by a wallet, which a facilitator settles on the chain. As it was sent, not yet verified. */
export interface SignedAuthorization extends ExactPayload {
  readonly paymentId: string;
  /** The entry of `accepts` that the wallet claims to have chosen. */
  readonly accepted: PaymentRequirements;
  /** The resource that the wallet claims to pay for; null if it names none. */
  readonly url: string | null;
  readonly format: "x402";
}

/** The payload that a caller sends to pay. */
export type PaymentPayload = TransactionProof | SignedAuthorization;

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * Reads `PAYMENT-SIGNATURE`: JSON, the same in base64, x402's payload in base64, or a bare hash (protocol §7).
 * Errors: `invalid_payment_signature`.
 */
export function parsePayload(text: string): PaymentPayload {
  const trimmed = text.trim();
  if (trimmed.length > PAYMENT_HEADER_MAX) throw invalid(`The header is longer than ${PAYMENT_HEADER_MAX} characters.`);
  if (trimmed.startsWith("{")) return payloadOf(jsonOf(trimmed));
  // A hash also consists of base64 letters, so text that does not decode to an object is a hash.
  const decoded = BASE64.test(trimmed) ? Buffer.from(trimmed, "base64").toString("utf8") : "";
  if (decoded.trimStart().startsWith("{")) return payloadOf(jsonOf(decoded));
  return payloadOf({ txHash: trimmed });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("The header is not valid JSON.");
  }
}

function payloadOf(value: unknown): PaymentPayload {
  const isX402 = isObject(value) && "x402Version" in value;
  const fields = isX402 ? schemePayload(value) : value;
  if (isX402 && isObject(fields) && "authorization" in fields) return signedAuthorization(value, fields);
  if (!matchesSchema(PaymentProof, fields)) {
    throw invalid(
      "The proof must contain txHash and can contain paymentId, payer, signature and refetchToken, all strings.",
    );
  }
  const { txHash, paymentId = null, payer = null, signature = null, refetchToken = null } = fields;
  if (signature !== null && paymentId === null)
    throw invalid("A signature covers the paymentId. Send the paymentId too.");
  return { txHash: txHash.trim(), paymentId, payer, signature, refetchToken, format: isX402 ? "x402" : "plain" };
}

/** The part of x402's payload that depends on its scheme (specification of version 2, PaymentPayload). */
function schemePayload(value: Record<string, unknown>): unknown {
  if (value.x402Version !== 2) throw invalid("Only version 2 of x402 is supported.");
  const accepted = isObject(value.accepted) ? value.accepted : {};
  const scheme = accepted.scheme ?? "exact";
  if (scheme !== "exact") throw invalid(`The scheme ${JSON.stringify(scheme)} is not supported.`);
  return value.payload;
}

function signedAuthorization({ accepted, resource }: Record<string, unknown>, payload: unknown): SignedAuthorization {
  if (!matchesSchema(ExactPayload, payload)) {
    throw invalid("The payload must contain authorization (EIP-3009) and signature. No other method is supported.");
  }
  if (!matchesSchema(PaymentRequirements, accepted)) {
    throw invalid("accepted must be the chosen entry, including its extra with the paymentId.");
  }
  const { authorization, signature } = payload;
  const url = isObject(resource) && typeof resource.url === "string" ? resource.url : null;
  return { authorization, signature, accepted, paymentId: accepted.extra.paymentId, url, format: "x402" };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An invalid payload, with the reason. */
export const invalid = (why: string) => fail("invalid_payment_signature", { message: `PAYMENT-SIGNATURE: ${why}` });

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
 * §7). `exact` are the requirements for wallets that only sign. They are first if there are any, because clients that
 * support both choose the first.
 */
export function requiredHeader(
  challenge: PaymentDemand,
  format: HeaderFormat,
  about: About,
  { error, exact }: { error: string; exact: PaymentRequirements | null },
): string {
  const plain = Object.fromEntries(DEMAND_HEADER.map((field) => [field, challenge[field]]));
  if (format === "plain") return JSON.stringify(plain);
  const { url, description, network } = about;
  // x402's `resource` takes the place of the path.
  return base64({
    ...plain,
    x402Version: 2,
    error,
    resource: { url, description, mimeType: "" },
    accepts: [...(exact === null ? [] : [exact]), proofRequirements(challenge, network)],
  });
}

/**
 * Returns the requirements for wallets that pay on the chain themselves and then send the transaction (x402, `exact`
 * with payment proof). They have neither `name` nor `version`, so that a wallet that only supports signatures stops with
 * an error instead of signing something useless.
 */
function proofRequirements(challenge: PaymentDemand, network: string): object {
  const { amount, chainId, tokenAddress, recipient, paymentId, resource, currency, decimals } = challenge;
  return {
    scheme: "exact",
    network,
    amount,
    asset: tokenAddress ?? "native",
    payTo: recipient,
    maxTimeoutSeconds: PAYMENT_SECONDS,
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
