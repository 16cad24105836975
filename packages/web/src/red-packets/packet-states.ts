import type { RedPacket, RedPacketClaim } from "@parley/protocol/red-packets";

/** The state of a packet for the viewer; `shut`: they can still open it. */
export type PacketState = "shut" | "mine" | "over" | "unfunded";

export function stateOf({ my_claim, status, remaining_count }: RedPacket): PacketState {
  if (my_claim !== null) return "mine";
  if (status === "pending_funding") return "unfunded";
  return status === "active" && remaining_count > 0 ? "shut" : "over";
}

/** Returns the rank with the largest random share; null while shares remain, or if luck played no part. */
export function bestRank({ split_type, remaining_count }: RedPacket, claims: readonly RedPacketClaim[]): number | null {
  if (split_type !== "random" || remaining_count > 0 || claims.length < 2) return null;
  return claims.reduce((best, claim) => (BigInt(claim.amount) > BigInt(best.amount) ? claim : best)).rank;
}
