import type { ReadPacketResponse } from "@parley/protocol/red-packets";
import { commitmentOf, SPLIT_ALGORITHM, sharesOf } from "./claim/split.ts";

/** The public part of a packet: the body of GET /api/red-packets/:packet_id. */
export type PublicPacket = Pick<ReadPacketResponse, "red_packet" | "claims">;

/**
 * Recomputes a closed packet's split from its public record alone and returns what differs from the promise: nothing if
 * the seed matches the commitment, every claim got the share of its rank, and claims, refund and rest add up to the
 * total (docs/guide/red-packets.md).
 */
export function splitProblems({ red_packet: packet, claims }: PublicPacket): string[] {
  const { algorithm, commitment, min_share, seed } = packet.fairness;
  if (algorithm !== SPLIT_ALGORITHM) return [`the algorithm ${algorithm} is unknown to this version`];
  if (seed === null) return ["the packet is not closed yet, so it does not show its seed"];
  const total = BigInt(packet.total_amount);
  const terms = { type: packet.split_type, total, count: packet.count, minShare: BigInt(min_share) };
  const bytes = Buffer.from(seed, "hex");
  if (commitmentOf(terms, bytes) !== commitment) return ["the seed and terms do not match the commitment"];
  const shares = sharesOf(terms, bytes);
  const wrong = claims.flatMap(({ rank, username, amount }) => {
    const share = shares[rank - 1];
    return share === BigInt(amount) ? [] : [`claim ${rank} by ${username} has ${amount}, but its share is ${share}`];
  });
  if (new Set(claims.map(({ rank }) => rank)).size < claims.length) wrong.push("two claims have the same rank");
  const claimed = claims.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  const given = claimed + BigInt(packet.refund?.amount ?? 0) + BigInt(packet.remaining_amount);
  // A packet that was never funded had nothing to give.
  if (given !== total && packet.funding.status === "settled") wrong.push(`only ${given} of ${total} are accounted for`);
  return wrong;
}
