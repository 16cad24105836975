import { PAYMENT_HEADER_MAX, PaymentProof } from "@parley/protocol/payments";
import { AcceptedEntry, ExactPayload } from "@parley/protocol/x402";
import { fail } from "../../errors.ts";
import { matchesSchema } from "../../http/body/validate.ts";

/** The form in which a caller sends a proof: Parley's plain JSON, or x402 version 2 in base64. */
export type HeaderFormat = "plain" | "x402";

/** A proof of payment as it was sent, not yet verified. */
export interface Proof {
  readonly txHash: string;
  readonly paymentId: string | null;
  readonly payer: string | null;
  readonly signature: string | null;
  readonly refetchToken: string | null;
  readonly format: HeaderFormat;
}

/** A transfer signed by a wallet, which a facilitator submits to the chain. As it was sent, not yet verified. */
export interface SignedTransfer extends ExactPayload {
  readonly paymentId: string;
  /** The entry of `accepts` that the wallet claims to have chosen. */
  readonly accepted: AcceptedEntry;
  /** The resource that the wallet claims to pay for; null if it names none. */
  readonly url: string | null;
  readonly format: "x402";
}

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * Reads `PAYMENT-SIGNATURE`: JSON, the same in base64, x402's payload in base64, or a bare hash (protocol §7).
 * Errors: `invalid_payment_signature`.
 */
export function parseProof(text: string): Proof | SignedTransfer {
  const trimmed = text.trim();
  if (trimmed.length > PAYMENT_HEADER_MAX) throw invalid(`The header is longer than ${PAYMENT_HEADER_MAX} characters.`);
  if (trimmed.startsWith("{")) return proofOf(jsonOf(trimmed));
  // A hash also consists of base64 letters, so text that does not decode to an object is a hash.
  const decoded = BASE64.test(trimmed) ? Buffer.from(trimmed, "base64").toString("utf8") : "";
  if (decoded.trimStart().startsWith("{")) return proofOf(jsonOf(decoded));
  return proofOf({ txHash: trimmed });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("The header is not valid JSON.");
  }
}

function proofOf(value: unknown): Proof | SignedTransfer {
  const isX402 = isObject(value) && "x402Version" in value;
  const fields = isX402 ? payloadOf(value) : value;
  if (isX402 && isObject(fields) && "authorization" in fields) return signedTransfer(value, fields);
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
function payloadOf(value: Record<string, unknown>): unknown {
  if (value.x402Version !== 2) throw invalid("Only version 2 of x402 is supported.");
  const accepted = isObject(value.accepted) ? value.accepted : {};
  const scheme = accepted.scheme ?? "exact";
  if (scheme !== "exact") throw invalid(`The scheme ${JSON.stringify(scheme)} is not supported.`);
  return value.payload;
}

function signedTransfer({ accepted, resource }: Record<string, unknown>, payload: unknown): SignedTransfer {
  if (!matchesSchema(ExactPayload, payload)) {
    throw invalid("The payload must contain authorization (EIP-3009) and signature. No other method is supported.");
  }
  if (!matchesSchema(AcceptedEntry, accepted)) {
    throw invalid("accepted must be the chosen entry, including its extra with the paymentId.");
  }
  const { authorization, signature } = payload;
  const url = isObject(resource) && typeof resource.url === "string" ? resource.url : null;
  return { authorization, signature, accepted, paymentId: accepted.extra.paymentId, url, format: "x402" };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An invalid proof, with the reason. */
export const invalid = (why: string) => fail("invalid_payment_signature", { message: `PAYMENT-SIGNATURE: ${why}` });
