import type {
  ListPacketsQuery,
  ListPacketsResponse,
  ReadPacketResponse,
  RedPacket,
} from "@parley/protocol/red-packets";
import { readableChannel } from "../channels/access/access.ts";
import { refOf } from "../channels/channel.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import type { Identity, UserIdentity } from "../http/identity.ts";
import { pageBefore } from "../http/pages.ts";
import { claimsOf, claimsOfUser } from "./claim/packet-claims.store.ts";
import { closePacket } from "./close/closing.ts";
import { depositOf } from "./fund/fund.service.ts";
import { channelOfPacket, lockPacket } from "./locked-packet.ts";
import { claimRecord, packetRecord, viewerOf } from "./packet-record.ts";
import { findPacket, packetsOf } from "./packets.store.ts";

/**
 * Returns a packet with all its claims; its sender also gets the deposit while it is awaited. Errors:
 * `session_required`, `packet_not_found`, `password_required`, `banned`.
 */
export async function readPacket(
  ctx: AppContext,
  caller: Identity,
  packetId: number,
): Promise<Omit<ReadPacketResponse, "success">> {
  await channelOfPacket(ctx, caller, packetId);
  const row = await findPacket(ctx.db, packetId);
  if (row === undefined) throw fail("packet_not_found");
  const claims = await claimsOf(ctx.db, packetId);
  const viewer = viewerOf(caller);
  const mine = claims.find(({ user_id }) => user_id === viewer.userId) ?? null;
  const isWaiting = row.status === "pending_funding" && row.sender_id === viewer.userId;
  const deposit = isWaiting ? depositOf(ctx, row) : null;
  return {
    red_packet: packetRecord(row, viewer, mine),
    claims: claims.map((claim) => claimRecord(row, claim, viewer)),
    ...(deposit === null ? {} : { deposit }),
  };
}

/** Returns the packets of a channel, newest first. Errors: those of `readableChannel`. */
export async function listPackets(
  ctx: AppContext,
  caller: Identity,
  query: ListPacketsQuery,
): Promise<Omit<ListPacketsResponse, "success">> {
  const { status, before } = query;
  const channel = await readableChannel(ctx, caller, refOf(query));
  const { shown, ...rest } = await pageBefore(query.limit, (limit) =>
    packetsOf(ctx.db, channel.id, { before, status, limit }),
  );
  const viewer = viewerOf(caller);
  const ids = shown.map(({ id }) => id);
  const mine = viewer.userId === null ? [] : await claimsOfUser(ctx.db, viewer.userId, ids);
  const claimOf = new Map(mine.map((claim) => [claim.packet_id, claim]));
  return {
    channel_id: channel.id,
    red_packets: shown.map((row) => packetRecord(row, viewer, claimOf.get(row.id) ?? null)),
    ...rest,
  };
}

/**
 * Lets the sender cancel a packet that nobody has claimed from. Idempotent.
 * Errors: `packet_not_found`, `password_required`, `banned`, `forbidden`, `packet_claimed`, `packet_not_active`,
 * `packet_expired`.
 */
export async function cancelPacket(ctx: AppContext, caller: UserIdentity, packetId: number): Promise<RedPacket> {
  const channel = await channelOfPacket(ctx, caller, packetId);
  const row = await transact(ctx, async (ctx) => {
    const packet = await lockPacket(ctx, channel.id, packetId);
    if (packet.sender_id !== caller.userId) throw fail("forbidden");
    if (packet.close_reason === "cancelled") return packet;
    if (packet.remaining_count < packet.count) throw fail("packet_claimed");
    if (packet.close_reason === "expired") throw fail("packet_expired");
    if (packet.close_reason !== null) throw fail("packet_not_active");
    return closePacket(ctx, packet, "cancelled");
  });
  return packetRecord(row, viewerOf(caller), null);
}
