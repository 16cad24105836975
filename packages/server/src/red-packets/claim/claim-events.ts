import type { AppContext } from "../../context.ts";
import type { PublishedEvent, Span, SpanReader } from "../../event-log/event-spans.ts";
import { appendSpan } from "../../event-log/events.ts";
import type { ClaimJson } from "../packet-json.ts";
import { claimJson } from "../packet-json.ts";
import { NOBODY } from "../packet-record.ts";
import { findPacket, type PacketRow } from "../packets.store.ts";
import { type ClaimRow, claimsOf } from "./packet-claims.store.ts";

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

async function readClaims(ctx: AppContext, spans: readonly Span[]): Promise<PublishedEvent[][]> {
  const known = new Map<number, PacketWithClaims>();
  const told: PublishedEvent[][] = [];
  for (const { about } of spans) {
    const { packet_id, first_rank, count } = about as { packet_id: number; first_rank: number; count: number };
    const found = known.get(packet_id) ?? (await packetWithClaims(ctx, packet_id));
    known.set(packet_id, found);
    told.push(claimedIn(found, first_rank, count));
  }
  return told;
}

/** A packet with all of its claims, by rank. */
interface PacketWithClaims {
  packet: PacketRow;
  claims: readonly ClaimRow[];
}

async function packetWithClaims(ctx: AppContext, packetId: number): Promise<PacketWithClaims> {
  const packet = await findPacket(ctx.db, packetId);
  if (packet === undefined) throw new Error(`Packet ${packetId} of a claim is missing.`);
  return { packet, claims: await claimsOf(ctx.db, packetId) };
}

function claimedIn({ packet, claims }: PacketWithClaims, firstRank: number, count: number): PublishedEvent[] {
  const earlier = claims.slice(0, firstRank - 1).reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  const told = claims.slice(firstRank - 1, firstRank - 1 + count);
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
