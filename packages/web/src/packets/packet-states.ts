import type { RedPacket, RedPacketClaim } from "@parley/protocol/red-packets";

/** What a packet is for who looks at it: `shut`: to be opened by him. */
export type PacketState = "shut" | "mine" | "over" | "unfunded";

export function stateOf({ my_claim, status, remaining_count }: RedPacket): PacketState {
  if (my_claim !== null) return "mine";
  if (status === "pending_funding") return "unfunded";
  return status === "active" && remaining_count > 0 ? "shut" : "over";
}

/** The rank of who had the best luck; null: nobody yet, or there was none to have. */
export function bestRank({ split_type, remaining_count }: RedPacket, claims: readonly RedPacketClaim[]): number | null {
  if (split_type !== "random" || remaining_count > 0 || claims.length < 2) return null;
  return claims.reduce((best, claim) => (BigInt(claim.amount) > BigInt(best.amount) ? claim : best)).rank;
}
