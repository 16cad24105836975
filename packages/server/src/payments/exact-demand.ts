import type { Chain, Observed, Transfer } from "../chains/chain.ts";
import type { AppContext } from "../context.ts";
import { type ChallengeRow, findByAmount } from "./challenges.store.ts";
import { SKEW_MS } from "./verdict.ts";

/** Transfers of one transaction whose amounts are looked up. */
const TRANSFERS_READ = 20;

/** Returns the demand that a transaction pays with the very amount it alone has (protocol §7); null: it pays none so. */
export async function exactDemand(
  ctx: AppContext,
  chain: Chain,
  { block }: Pick<Observed, "block">,
  transfers: readonly Transfer[],
): Promise<ChallengeRow | null> {
  for (const { asset, recipient, amount } of transfers.slice(0, TRANSFERS_READ)) {
    const found = await findByAmount(ctx.db, {
      chain: chain.kind,
      chain_id: chain.chainId,
      recipient,
      token_address: asset.tokenAddress,
      amount: amount.toString(),
    });
    if (found !== undefined && found.used_by === null && isInTime(found, block)) return found;
  }
  return null;
}

/** Was it made after the demand and before that lapsed? Clocks may differ a little. */
const isInTime = ({ created_at, expires_at }: ChallengeRow, block: Observed["block"]): boolean =>
  block !== null && created_at - SKEW_MS <= block.time && block.time <= expires_at + SKEW_MS;
