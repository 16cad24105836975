import type { Chain, Observed, Transfer } from "../../chains/chain.ts";
import type { AppContext } from "../../context.ts";
import { type ChallengeRow, findByAmount } from "../offers/challenges.store.ts";
import { SKEW_MS } from "./verdict.ts";

/** At most this many transfers of one transaction are looked up by amount. */
const TRANSFERS_READ = 20;

/** Returns the unused demand that a transaction pays with its unique amount (protocol §7); null if there is none. */
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

/** Returns whether the block was made between the demand and its expiry, with some tolerance for clocks. */
const isInTime = ({ created_at, expires_at }: ChallengeRow, block: Observed["block"]): boolean =>
  block !== null && created_at - SKEW_MS <= block.time && block.time <= expires_at + SKEW_MS;
