import type { AppContext } from "../../context.ts";
import type { PublishedEvent, SpanReader } from "../../event-log/event-spans.ts";
import { appendSpan } from "../../event-log/events.ts";
import type { ClaimJson } from "../packet-json.ts";
import { claimJson } from "../packet-json.ts";
import { NOBODY } from "../packet-record.ts";
import { findPacket, type PacketRow } from "../packets.store.ts";
import { claimsOf } from "./packet-claims.store.ts";

const SPAN = "span:red_packet:claimed";

/**
 * Appends one event per claim, with what was left after it, inside the caller's transaction. The log holds one row for
 * all of them, by packet and rank; their content is read from the claims. `packet` is as it was before them.
 */
export async function appendClaims(ctx: AppContext, packet: PacketRow, claims: readonly ClaimJson[]): Promise<void> {
  const about = { packet_id: packet.id, first_rank: claims[0]?.claim.rank ?? 0 };
  await appendSpan(ctx, packet.channel_id, { name: SPAN, about }, eventsOf(packet, packet.remaining_amount, claims));
}

/** Reads these log rows. */
export const claimReader: SpanReader = { name: SPAN, read: readClaims };

async function readClaims(ctx: AppContext, about: Record<string, unknown>): Promise<PublishedEvent[]> {
  const { packet_id, first_rank, count } = about as { packet_id: number; first_rank: number; count: number };
  const packet = await findPacket(ctx.db, packet_id);
  if (packet === undefined) throw new Error(`Packet ${packet_id} of a claim is missing.`);
  const claims = await claimsOf(ctx.db, packet_id);
  const earlier = claims.slice(0, first_rank - 1).reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  const told = claims.slice(first_rank - 1, first_rank - 1 + count);
  const left = String(BigInt(packet.total_amount) - earlier);
  return eventsOf(
    packet,
    left,
    told.map((claim) => ({ claim, json: claimJson(packet, claim, NOBODY) })),
  );
}

/** Returns one event per claim. `left` is the amount that was unclaimed before the first of them. */
function eventsOf(packet: PacketRow, left: string, claims: readonly ClaimJson[]): PublishedEvent[] {
  let amount = BigInt(left);
  return claims.map(({ claim, json }) => {
    amount -= BigInt(claim.amount);
    const rest = `"remaining_amount":"${amount}","remaining_count":${packet.count - claim.rank}`;
    return { event: "red_packet:claimed", fields: `"packet_id":${packet.id},"claim":${json},${rest}` };
  });
}
