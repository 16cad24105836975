import { LoadingCache } from "../../base/loading-cache.ts";
import { type AppContext, perServer } from "../../context.ts";
import type { PacketRow } from "../packets.store.ts";
import { claimersOf } from "./packet-claims.store.ts";

const KEPT = 1_000;

/** Claimers of the packets being claimed. */
const kept = perServer(() => new LoadingCache<number, Set<number>>(KEPT));

/**
 * Returns who has claimed from a locked packet. The cached set is complete when its size equals the number of shares
 * taken from the packet, whichever node wrote the claims: a claim is never withdrawn.
 */
export async function knownClaimers(ctx: AppContext, packet: PacketRow): Promise<ReadonlySet<number>> {
  const count = packet.count - packet.remaining_count;
  const known = kept(ctx).get(packet.id);
  if (known?.size === count) return known;
  const found = new Set(count === 0 ? [] : await claimersOf(ctx.db, packet.id));
  kept(ctx).set(packet.id, found);
  return found;
}

/** Adds new claimers to a cached set after the commit; forgets the set if they exhaust the packet. */
export function rememberClaimers(ctx: AppContext, after: PacketRow, claims: readonly { user_id: number }[]): void {
  ctx.afterCommit(() => {
    if (after.remaining_count === 0) return kept(ctx).forget(after.id);
    const known = kept(ctx).get(after.id);
    for (const { user_id } of claims) known?.add(user_id);
  });
}
