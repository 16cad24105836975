import type { ErrorCode } from "@parley/protocol/errors";
import type { CloseReason, PacketStatus } from "@parley/protocol/red-packets";

/** How long a transfer is awaited after the packet was created (protocol §6). */
export const FUNDING_MS = 3_600_000;

/** The fields that decide whether a packet can be claimed from. */
export interface PacketState {
  status: PacketStatus;
  close_reason: CloseReason | null;
  expires_at: number;
}

/**
 * States in which value may still move out of a packet. An exhausted packet is open as long as one of its payouts is.
 */
export const OPEN_STATUSES: readonly PacketStatus[] = ["pending_funding", "active", "refunding"];

/**
 * States in which value may still move out of a packet if it has some left or its funding transfer was seen; a packet
 * never funded stays so for ever.
 */
export const ENDED_STATUSES: readonly PacketStatus[] = ["expired", "cancelled"];

/** Returns why nothing can be claimed from it at that time; null if something can. */
export function claimRefusal({ status, close_reason, expires_at }: PacketState, now: number): ErrorCode | null {
  if (status === "active") return expires_at <= now ? "packet_expired" : null;
  if (close_reason === "exhausted") return "packet_empty";
  if (close_reason === "expired") return "packet_expired";
  return "packet_not_active";
}
