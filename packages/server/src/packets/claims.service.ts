import type { ClaimPacketAnswer } from "@parley/protocol/red-packets";
import { membershipOf, readableChannel } from "../channels/access.ts";
import { refuseBanned } from "../channels/bans.ts";
import { type Channel, isOpen } from "../channels/channel-cache.ts";
import type { AppContext } from "../context.ts";
import { AppError, fail } from "../errors.ts";
import type { Identity, UserIdentity } from "../http/identity.ts";
import { claimQueue } from "./claim-queue.ts";
import { packetFacts } from "./packet-hold.ts";
import { claimRecord, packetRecord, viewerOf } from "./packet-record.ts";

/**
 * Claims the next share of a packet, once a user: again is answered with the same claim. Members may, muted ones and the sender too; in a
 * public channel claiming joins.
 * Errors: `packet_not_found`, `password_required`, `not_eligible`, `packet_empty`, `packet_not_active`, `packet_expired`,
 * `wallet_address_required`, `chain_unavailable`, `overloaded`.
 */
export async function claimPacket(
  ctx: AppContext,
  caller: UserIdentity,
  packetId: number,
): Promise<Omit<ClaimPacketAnswer, "success">> {
  const channel = await channelOfPacket(ctx, caller, packetId);
  const { userId, username } = caller;
  const joins = await joinsByClaiming(ctx, caller, channel);
  const draft = { packetId, channelId: channel.id, userId, username, joins };
  const { packet, claim, isNew } = await claimQueue(ctx).claim(draft);
  const viewer = viewerOf(caller);
  return {
    message: isNew ? "The share is yours." : "You have claimed this share before.",
    claim: claimRecord(packet, claim, viewer),
    red_packet: packetRecord(packet, viewer, claim),
  };
}

/** The channel of a packet the caller may see. Errors: `packet_not_found`, `password_required`, `banned`, `session_required`. */
export async function channelOfPacket(ctx: AppContext, caller: Identity, packetId: number): Promise<Channel> {
  const facts = await packetFacts(ctx, packetId);
  if (facts === null) throw fail("packet_not_found");
  try {
    return await readableChannel(ctx, caller, { id: facts.channelId });
  } catch (error) {
    if (error instanceof AppError && error.code === "channel_not_found") throw fail("packet_not_found");
    throw error;
  }
}

/** Is the caller no member yet, and may he become one by this? Errors: `not_eligible`, with why in its details. */
async function joinsByClaiming(ctx: AppContext, caller: UserIdentity, channel: Channel): Promise<boolean> {
  if ((await membershipOf(ctx, caller, channel)) !== null) return false;
  if (!isOpen(channel)) throw notEligible("not_a_member");
  try {
    await refuseBanned(ctx, caller, channel.id);
  } catch (error) {
    if (error instanceof AppError && error.code === "banned") throw notEligible("banned");
    throw error;
  }
  return true;
}

const notEligible = (reason: "not_a_member" | "banned") => fail("not_eligible", { details: { reason } });
