import { PAYMENT_SECONDS, type PaymentDemand } from "@parley/protocol/payments";
import type { PaymentRequirements } from "@parley/protocol/x402";
import type { Authorization, Chain, SigningDomain } from "../../chains/chain.ts";
import { chainsOf } from "../../chains/chains.ts";
import { type AppContext, perServer } from "../../context.ts";
import { AppError, fail } from "../../errors.ts";
import { invalid, type SignedAuthorization } from "../pay/headers.ts";

/** Tolerance for a wallet's clock. */
const SKEW_SECONDS = 300;
/** Minimum remaining validity of an authorization to be settled; the facilitators of x402 want 6 s. */
const MARGIN_SECONDS = 10;

/** Signing domains by `<chain id> <token>`; null: the token supports no authorizations. Absent: not yet known. */
const domains = perServer(() => new Map<string, SigningDomain | null>());

/**
 * Asks the chain for the signing domain of each token not yet known. A chain that is unavailable is asked again at the
 * next call.
 */
export async function learnDomains(ctx: AppContext): Promise<void> {
  if (ctx.config.facilitatorUrl === null) return;
  for (const { authorizations, chainId, assets } of chainsOf(ctx).all) {
    for (const { tokenAddress, currency } of assets) {
      const key = `${chainId} ${tokenAddress}`;
      if (authorizations === undefined || tokenAddress === null || domains(ctx).has(key)) continue;
      try {
        const domain = await authorizations.domainOf(tokenAddress);
        domains(ctx).set(key, domain);
        if (domain === null)
          ctx.log.warn(
            { currency },
            "payments: this token does not support EIP-3009; wallets that only sign cannot pay with it",
          );
      } catch (error) {
        if (!(error instanceof AppError && error.code === "chain_unavailable")) throw error;
      }
    }
  }
}

/** Returns whether the token's signing domain is still unknown. */
export const isUnlearned = (ctx: AppContext, { chainId, tokenAddress }: PaymentDemand): boolean =>
  ctx.config.facilitatorUrl !== null && tokenAddress !== null && !domains(ctx).has(`${chainId} ${tokenAddress}`);

/**
 * Returns the requirements of x402's `accepts` with which wallets that only sign can pay for a challenge (`exact`,
 * EIP-3009). The authorization is settled before anything is given out, so its flow is `upfront`. Returns null if there
 * is no facilitator, or if the challenge's asset has no authorizations.
 */
export function exactRequirements(ctx: AppContext, challenge: PaymentDemand): PaymentRequirements | null {
  const { chain, chainId, tokenAddress, price, recipient, paymentId } = challenge;
  if (ctx.config.facilitatorUrl === null || chain !== "evm" || tokenAddress === null) return null;
  const domain = domains(ctx).get(`${chainId} ${tokenAddress}`);
  if (domain == null) return null;
  const extra = { ...domain, assetTransferMethod: "eip3009", paymentFlow: "upfront", paymentId };
  return {
    scheme: "exact",
    network: `eip155:${chainId}`,
    // A signature identifies the payer, so it needs no unique amount (protocol §7).
    amount: price,
    asset: tokenAddress,
    payTo: recipient,
    maxTimeoutSeconds: PAYMENT_SECONDS,
    extra,
  };
}

/**
 * Returns the authorization if it is exactly what the challenge requires: the offered entry, recipient, amount, chain
 * and resource. Does not check who signed it.
 * Errors: `invalid_payment_signature`, `wrong_recipient`, `wrong_currency`, `amount_too_low`.
 */
export function matchingAuthorization(
  { authorization, accepted, url }: SignedAuthorization,
  required: PaymentRequirements,
  resource: string,
  chain: Pick<Chain, "normalAddress">,
): Authorization {
  const [from, to] = [chain.normalAddress(authorization.from), chain.normalAddress(authorization.to)];
  if (from === null || to === null) throw invalid("The authorization contains an address with a wrong checksum.");
  if (url !== null && URL.parse(url)?.pathname !== resource)
    throw invalid("The authorization pays for another resource.");
  if (chain.normalAddress(accepted.asset) !== required.asset) throw fail("wrong_currency");
  if (to !== required.payTo) throw fail("wrong_recipient");
  const value = BigInt(authorization.value);
  if (value < BigInt(required.amount)) throw fail("amount_too_low");
  if (value > BigInt(required.amount)) throw invalid("With the scheme exact, the value must equal the price.");
  const same = ["scheme", "network", "amount", "maxTimeoutSeconds"] as const;
  const sameExtra = ["name", "version", "paymentId"] as const;
  const isOffered =
    same.every((field) => accepted[field] === required[field]) &&
    sameExtra.every((field) => accepted.extra[field] === required.extra[field]) &&
    chain.normalAddress(accepted.payTo) === required.payTo;
  if (!isOffered) throw invalid("accepted differs from the entry that was offered.");
  const [validAfter, validBefore] = [BigInt(authorization.validAfter), BigInt(authorization.validBefore)];
  return { from, to, value, validAfter, validBefore, nonce: authorization.nonce.toLowerCase() };
}

/** Throws unless the authorization may be settled now. Errors: `payment_required`, `invalid_payment_signature`. */
export function expectTimely({ validAfter, validBefore }: Authorization, now: number): void {
  const seconds = BigInt(Math.floor(now / 1_000));
  if (validBefore <= seconds + BigInt(MARGIN_SECONDS)) throw unusable("authorization_expired");
  if (validAfter >= seconds) throw unusable("authorization_not_yet_valid");
  // Without an upper limit it would have to be watched forever.
  if (validBefore > seconds + BigInt(PAYMENT_SECONDS + SKEW_SECONDS)) {
    throw invalid(`The authorization must be valid for ${PAYMENT_SECONDS} seconds, as was offered.`);
  }
}

/** The error for an authorization that moves nothing; the payer must sign another one. */
export const unusable = (problem: string, reason: string | null = null) =>
  fail("payment_required", {
    message: "This authorization cannot be settled. Nothing was paid.",
    details: reason === null ? { problem } : { problem, reason },
  });
