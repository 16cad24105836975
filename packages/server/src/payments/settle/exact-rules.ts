import type { AcceptedEntry } from "@parley/protocol/x402";
import type { Authorization, Chain } from "../../chains/chain.ts";
import { fail } from "../../errors.ts";
import { invalid, type SignedTransfer } from "../verify/payment-header.ts";
import { TIMEOUT_SECONDS } from "./exact-entry.ts";

/** Tolerance for a wallet's clock. */
const SKEW_SECONDS = 300;
/** Minimum remaining validity of a transfer to be sent; the facilitators of x402 want 6 s. */
const MARGIN_SECONDS = 10;

/**
 * Returns the signed transfer if it is exactly what was demanded: the offered entry, recipient, amount, chain and
 * resource. Does not check who signed it.
 * Errors: `invalid_payment_signature`, `wrong_recipient`, `wrong_currency`, `amount_too_low`.
 */
export function signedFor(
  { authorization, accepted, url }: SignedTransfer,
  offered: AcceptedEntry,
  resource: string,
  chain: Pick<Chain, "normalAddress">,
): Authorization {
  const [from, to] = [chain.normalAddress(authorization.from), chain.normalAddress(authorization.to)];
  if (from === null || to === null) throw invalid("The authorization contains an address with a wrong checksum.");
  if (url !== null && URL.parse(url)?.pathname !== resource)
    throw invalid("The authorization pays for another resource.");
  if (chain.normalAddress(accepted.asset) !== offered.asset) throw fail("wrong_currency");
  if (to !== offered.payTo) throw fail("wrong_recipient");
  const value = BigInt(authorization.value);
  if (value < BigInt(offered.amount)) throw fail("amount_too_low");
  if (value > BigInt(offered.amount)) throw invalid("With the scheme exact, the value must equal the price.");
  const same = ["scheme", "network", "amount", "maxTimeoutSeconds"] as const;
  const sameExtra = ["name", "version", "paymentId"] as const;
  const isOffered =
    same.every((field) => accepted[field] === offered[field]) &&
    sameExtra.every((field) => accepted.extra[field] === offered.extra[field]) &&
    chain.normalAddress(accepted.payTo) === offered.payTo;
  if (!isOffered) throw invalid("accepted differs from the entry that was offered.");
  const [validAfter, validBefore] = [BigInt(authorization.validAfter), BigInt(authorization.validBefore)];
  return { from, to, value, validAfter, validBefore, nonce: authorization.nonce.toLowerCase() };
}

/** Throws unless the transfer may be sent to the chain now. Errors: `payment_required`, `invalid_payment_signature`. */
export function expectTimely({ validAfter, validBefore }: Authorization, now: number): void {
  const seconds = BigInt(Math.floor(now / 1_000));
  if (validBefore <= seconds + BigInt(MARGIN_SECONDS)) throw unusable("authorization_expired");
  if (validAfter >= seconds) throw unusable("authorization_not_yet_valid");
  // Without an upper limit it would have to be watched forever.
  if (validBefore > seconds + BigInt(TIMEOUT_SECONDS + SKEW_SECONDS)) {
    throw invalid(`The authorization must be valid for ${TIMEOUT_SECONDS} seconds, as was offered.`);
  }
}

/** The error for an authorization that moves nothing; the payer must sign another one. */
export const unusable = (problem: string, reason: string | null = null) =>
  fail("payment_required", {
    message: "This authorization cannot be settled. Nothing was paid.",
    details: reason === null ? { problem } : { problem, reason },
  });
