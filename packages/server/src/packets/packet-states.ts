import type { ErrorCode } from "@parley/protocol/errors";
import type { CloseReason, PacketStatus } from "@parley/protocol/red-packets";

/** How long a transfer is waited for, from the making of the packet (protocol §6). */
export const FUNDING_MS = 3_600_000;

/** What a packet must say to be judged. */
export interface PacketState {
  status: PacketStatus;
  close_reason: CloseReason | null;
  expires_at: number;
}

/** Value of somebody's may still move out of a packet in these; one that is exhausted is open as long as a payout is. */
export const OPEN_STATUSES: readonly PacketStatus[] = ["pending_funding", "active", "refunding"];

/** Out of one in these it may while it has some, or the transfer that brings it was seen; what was never funded stays so for ever. */
export const ENDED_STATUSES: readonly PacketStatus[] = ["expired", "cancelled"];

/** Why nothing can be claimed from it at that time; null when it can. */
export function claimRefusal({ status, close_reason, expires_at }: PacketState, now: number): ErrorCode | null {
  if (status === "active") return expires_at <= now ? "packet_expired" : null;
  if (close_reason === "exhausted") return "packet_empty";
  if (close_reason === "expired") return "packet_expired";
  return "packet_not_active";
}
