import type { PaymentDemand } from "@parley/protocol/payments";
import type { AcceptedEntry } from "@parley/protocol/x402";
import type { SigningDomain } from "../../chains/chain.ts";
import { chainsOf } from "../../chains/chains.ts";
import { type AppContext, perServer } from "../../context.ts";
import { AppError } from "../../errors.ts";

/** Validity of a wallet's signature in seconds; the same as that of a demand. */
export const TIMEOUT_SECONDS = 600;

/** Signing domains by `<chain id> <token>`; null: the token supports no signed transfers. Absent: not yet known. */
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
 * Returns the entry of x402's `accepts` with which wallets that only sign can pay a demand (`exact`, EIP-3009). The
 * transfer is settled before anything is given out, so its flow is `upfront`. Returns null if there is no facilitator,
 * or if the demand's asset has no signed transfers.
 */
export function exactEntry(ctx: AppContext, demand: PaymentDemand): AcceptedEntry | null {
  const { chain, chainId, tokenAddress, price, recipient, paymentId } = demand;
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
    maxTimeoutSeconds: TIMEOUT_SECONDS,
    extra,
  };
}
