import type { CloseReason } from "@parley/protocol/red-packets";
import { notify } from "../../accounts/notices.ts";
import { findChannel } from "../../channels/channel-cache.ts";
import type { AppContext } from "../../context.ts";
import { appendEvent } from "../../event-log/events.ts";
import { owedAccount, packetAccount, userAccount } from "../../ledger/account-names.ts";
import { postTransfer } from "../../ledger/ledger.ts";
import { payoutRequests, refundKey } from "../claim/payout-port.ts";
import { change } from "../locked-packet.ts";
import { NOBODY, packetRecord } from "../packet-record.ts";
import type { PacketRow } from "../packets.store.ts";

/** Delay before a refund that could not be requested is retried. */
const RETRY_MS = 60_000;

/**
 * Closes a locked packet that nobody can claim from any more, refunds what is left and notifies the channel, inside the
 * caller's transaction.
 */
export async function closePacket(
  ctx: AppContext,
  row: PacketRow,
  reason: Exclude<CloseReason, "exhausted">,
): Promise<PacketRow> {
  const now = ctx.clock.now();
  const nothingThere = row.funding_status === "settled" ? {} : { remaining_amount: "0" };
  // A named transfer may still arrive; it is refunded then.
  const due_at = row.funding_status === "pending" ? now : null;
  const closing = { status: reason, close_reason: reason, closed_at: now, due_at, ...nothingThere };
  const closed = await refundRest(ctx, await change(ctx, row, closing));
  await appendClosed(ctx, closed, reason);
  return closed;
}

/** Appends the outcome and the seed to the channel's log, in the caller's transaction. */
export async function appendClosed(ctx: AppContext, row: PacketRow, reason: CloseReason): Promise<void> {
  const data = { packet_id: row.id, reason, red_packet: packetRecord(row, NOBODY, null) };
  await appendEvent(ctx, row.channel_id, "red_packet:closed", { data });
}

/** Refunds what is left of a locked, closed packet to its funder: points at once, value on a chain by a payout. */
export async function refundRest(ctx: AppContext, row: PacketRow): Promise<PacketRow> {
  const left = BigInt(row.remaining_amount);
  if (left === 0n) return row;
  const refunded = await (row.chain === "ledger" ? refundPoints(ctx, row, left) : refundOnChain(ctx, row, left));
  // Senders know of packets that they cancelled.
  if (refunded.refund_amount !== null && row.close_reason !== "cancelled") {
    const detail = `${decimalOf(left, row.decimals)} ${row.currency}`;
    const channel = (await findChannel(ctx, { id: row.channel_id })) ?? undefined;
    await notify(ctx, row.sender_id, { code: "packet_refunded", channel, messageId: row.message_id, detail });
  }
  return refunded;
}

/** Converts an amount from the smallest unit: 1500, 3 → `1.5`. */
function decimalOf(amount: bigint, decimals: number): string {
  const digits = String(amount).padStart(decimals + 1, "0");
  const cut = digits.length - decimals;
  return `${digits.slice(0, cut)}.${digits.slice(cut)}`.replace(/\.?0*$/, "");
}

async function refundPoints(ctx: AppContext, row: PacketRow, left: bigint): Promise<PacketRow> {
  await moveLeft(ctx, row, left, userAccount(row.sender_id));
  const refund = { refund_amount: String(left), refund_status: "settled" as const };
  return change(ctx, row, { status: "refunded", remaining_amount: "0", due_at: null, ...refund });
}

async function refundOnChain(ctx: AppContext, row: PacketRow, left: bigint): Promise<PacketRow> {
  const requests = payoutRequests.find(ctx);
  const { chain, chain_id, funder } = row;
  if (chain === "ledger" || chain_id === null || funder === null)
    throw new Error(`The packet ${row.id} has a balance but no sender.`);
  // No payouts now; the packet stays closed as it is, and the sweeper retries.
  if (requests === null) return change(ctx, row, { due_at: ctx.clock.now() + RETRY_MS });
  await moveLeft(ctx, row, left, owedAccount(chain, chain_id));
  await requests.request(ctx, {
    key: refundKey(row.id),
    reason: "refund",
    chain,
    chainId: chain_id,
    currency: row.currency,
    tokenAddress: row.token_address,
    to: funder,
    amount: left,
  });
  const refund = { refund_amount: String(left), refund_status: "pending" as const };
  return change(ctx, row, { status: "refunding", remaining_amount: "0", due_at: null, ...refund });
}

async function moveLeft(ctx: AppContext, row: PacketRow, left: bigint, to: string): Promise<void> {
  const legs = [
    { account: packetAccount(row.id), amount: -left },
    { account: to, amount: left },
  ];
  await postTransfer(ctx, { key: refundKey(row.id), kind: "packet_refund", currency: row.ledger_currency, legs });
}
