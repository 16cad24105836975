import { LoadingCache } from "../channels/loading-cache.ts";
import { type AppContext, perServer } from "../context.ts";
import { claimersOf } from "./packet-claims.store.ts";
import type { PacketRow } from "./packets.store.ts";

const KEPT = 1_000;

/** Who has claimed from packets that are being claimed. */
const kept = perServer(() => new LoadingCache<number, Set<number>>(KEPT));

/**
 * Who has claimed from a packet that is held. Those in memory are all of them when they are as many as the packet says, whichever node wrote
 * them: a claim is never taken back.
 */
export async function knownClaimers(ctx: AppContext, packet: PacketRow): Promise<ReadonlySet<number>> {
  const count = packet.count - packet.remaining_count;
  const known = kept(ctx).get(packet.id);
  if (known?.size === count) return known;
  const found = new Set(count === 0 ? [] : await claimersOf(ctx.db, packet.id));
  kept(ctx).set(packet.id, found);
  return found;
}

/** Remembers new ones when they are committed, unless the packet is exhausted by them. */
export function rememberClaimers(ctx: AppContext, after: PacketRow, claims: readonly { user_id: number }[]): void {
  ctx.afterCommit(() => {
    if (after.remaining_count === 0) return kept(ctx).forget(after.id);
    const known = kept(ctx).get(after.id);
    for (const { user_id } of claims) known?.add(user_id);
  });
}
