import { PROOF_ERRORS } from "@parley/protocol/command-errors";
import type { ErrorCode } from "@parley/protocol/errors";

/** Codes of a route that takes payments (protocol §7). */
export const PAYMENT_ERRORS = [
  ...PROOF_ERRORS,
  "payment_required",
  "payments_not_configured",
  "overloaded",
  // The session ended while the payment was checked, even where guests may pay.
  "session_required",
] as const satisfies readonly ErrorCode[];

/** The headers such a route reads. */
export const PAYMENT_HEADERS = [
  {
    name: "PAYMENT-SIGNATURE",
    required: false,
    description:
      "The proof: JSON {txHash, paymentId?, payer?, signature?, refetchToken?}, the same in base64, an x402 payload in base64 (such a proof or a signed transfer), or a bare hash.",
  },
  {
    name: "X402-Version",
    required: false,
    description: "2: PAYMENT-REQUIRED and PAYMENT-RESPONSE have the x402 form, in base64, as with ?x402=true.",
  },
] as const;
