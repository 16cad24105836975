import type { AppContext } from "../context.ts";
import { appendEvent, tryLockChannel } from "../event-log/events.ts";
import { publishEvent } from "../realtime/publish.ts";
import { userTopic } from "../realtime/topics.ts";
import { type ClaimRow, claimsOfUsers } from "./claim/packet-claims.store.ts";
import { claimRecord, NOBODY, packetRecord, type Viewer } from "./packet-record.ts";
import type { PacketRow } from "./packets.store.ts";

/**
 * Publishes a change that a chain transfer made to a locked packet, inside the transaction: to its channel
 * (`red_packet:update`) if the public record changed, and to its sender (`red_packet:own`) if the sender's record did.
 */
export async function publishPacket(ctx: AppContext, before: PacketRow, after: PacketRow): Promise<void> {
  const differs = (viewer: Viewer): boolean =>
    JSON.stringify(packetRecord(before, viewer, null)) !== JSON.stringify(packetRecord(after, viewer, null));
  if (differs(NOBODY)) await appendUpdate(ctx, after, null);
  if (!differs(self(after.sender_id))) return;
  const [mine = null] = await claimsOfUsers(ctx.db, after.id, [after.sender_id]);
  publishOwn(ctx, after, after.sender_id, mine);
}

/** Publishes a change of a claim's payout in the same way: to the channel, and to its claimer. */
export async function publishShare(
  ctx: AppContext,
  packet: PacketRow,
  before: ClaimRow,
  after: ClaimRow,
): Promise<void> {
  const isOtherStatus = before.payout_status !== after.payout_status;
  if (isOtherStatus) await appendUpdate(ctx, packet, after);
  if (isOtherStatus || before.payout_tx_hash !== after.payout_tx_hash) publishOwn(ctx, packet, after.user_id, after);
}

async function appendUpdate(ctx: AppContext, row: PacketRow, claim: ClaimRow | null): Promise<void> {
  if (!(await tryLockChannel(ctx, row.channel_id))) return; // deleted: no listeners
  const data = {
    packet_id: row.id,
    red_packet: packetRecord(row, NOBODY, null),
    claim: claim === null ? null : claimRecord(row, claim, NOBODY),
  };
  await appendEvent(ctx, row.channel_id, "red_packet:update", { data });
}

function publishOwn(ctx: AppContext, row: PacketRow, userId: number, claim: ClaimRow | null): void {
  const red_packet = packetRecord(row, self(userId), claim);
  publishEvent(ctx, userTopic(userId), "red_packet:own", { channel_id: row.channel_id, packet_id: row.id, red_packet });
}

const self = (userId: number): Viewer => ({ userId, seesAddresses: false });
