import { LoadingCache } from "../../base/loading-cache.ts";
import { type AppContext, perServer } from "../../context.ts";
import type { PacketRow } from "../packets.store.ts";
import { type SplitTerms, sharesOf } from "./split.ts";

const KEPT = 1_000;

/** Shares of the packets being claimed, cached by commitment, which determines them. */
const kept = perServer(() => new LoadingCache<string, readonly bigint[]>(KEPT));

export const termsOf = (row: Pick<PacketRow, "split_type" | "total_amount" | "count" | "min_share">): SplitTerms => ({
  type: row.split_type,
  total: BigInt(row.total_amount),
  count: row.count,
  minShare: BigInt(row.min_share),
});

/** Returns the shares of a packet by rank. Secret until it is closed. */
export function packetShares(ctx: AppContext, row: PacketRow): readonly bigint[] {
  const known = kept(ctx).get(row.commitment);
  if (known !== undefined) return known;
  const shares = sharesOf(termsOf(row), Buffer.from(row.seed, "hex"));
  kept(ctx).set(row.commitment, shares);
  return shares;
}
