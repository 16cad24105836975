import { PACKET_SECONDS_DEFAULT } from "@parley/protocol/limits";
import type { CreatePacketBody } from "@parley/protocol/red-packets";
import { optionalText } from "../../base/visible-text.ts";
import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { lockChannel } from "../../event-log/events.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { packetAccount, userAccount } from "../../ledger/account-names.ts";
import { postTransfer } from "../../ledger/ledger.ts";
import { postPacketMessage } from "../../messages/append/feature-messages.ts";
import { findHold } from "../../points/initial-grant.ts";
import { commitmentOf, SEED_BYTES, type SplitTerms } from "../claim/split.ts";
import { change } from "../locked-packet.ts";
import { insertPacket, type PacketRow } from "../packets.store.ts";
import type { PacketAsset } from "./packet-assets.ts";

/** How long a transfer is awaited after the packet was created (protocol §6). */
export const FUNDING_MS = 3_600_000;

/** A packet that may be created. */
export interface NewPacket {
  readonly caller: UserIdentity;
  readonly channel: Channel;
  readonly body: CreatePacketBody;
  readonly asset: PacketAsset;
  readonly terms: SplitTerms;
  readonly clientKey: string | null;
  readonly clientHash: string | null;
}

/**
 * Stores a packet and the message that shows it, in the caller's transaction; for points also moves the value. Returns
 * null if the key was used before.
 * Errors: `channel_not_found`, `insufficient_balance`, `points_on_hold`.
 */
export async function makePacket(ctx: AppContext, packet: NewPacket): Promise<PacketRow | null> {
  const { caller, channel, asset } = packet;
  await lockChannel(ctx, channel.id);
  const row = newRow(ctx, packet);
  const id = await insertPacket(ctx.db, row);
  if (id === null) return null;
  const made: PacketRow = { ...row, id, sender_username: caller.username };
  const messageId = await postPacketMessage(ctx, { caller, channel, packetId: id, greeting: row.greeting });
  if (asset.network === null) await escrow(ctx, made);
  return change(ctx, made, { message_id: messageId });
}

function newRow(ctx: AppContext, { caller, channel, body, asset, terms, clientKey, clientHash }: NewPacket) {
  const { network } = asset;
  const now = ctx.clock.now();
  const seed = ctx.clock.random(SEED_BYTES);
  const expiresIn = body.expires_in ?? PACKET_SECONDS_DEFAULT;
  const expiresAt = now + expiresIn * 1_000 + (network === null ? 0 : FUNDING_MS);
  const isPoints = network === null;
  return {
    channel_id: channel.id,
    message_id: null,
    sender_id: caller.userId,
    client_key: clientKey,
    client_hash: clientHash,
    split_type: terms.type,
    chain: network?.chain.kind ?? ("ledger" as const),
    chain_id: network?.chain.chainId ?? null,
    currency: asset.currency,
    token_address: network?.asset.tokenAddress ?? null,
    decimals: asset.decimals,
    ledger_currency: asset.ledgerCurrency,
    total_amount: String(terms.total),
    remaining_amount: String(terms.total),
    count: terms.count,
    remaining_count: terms.count,
    min_share: String(terms.minShare),
    greeting: optionalText(body.greeting) ?? "",
    status: isPoints ? ("active" as const) : ("pending_funding" as const),
    close_reason: null,
    seed: Buffer.from(seed).toString("hex"),
    commitment: commitmentOf(terms, seed),
    expires_in: expiresIn,
    reference: network?.chain.reference(ctx.clock.random(32)) ?? null,
    tx_hash: null,
    funding_status: isPoints ? ("settled" as const) : ("waiting" as const),
    funding_problem: null,
    funder: null,
    refund_amount: null,
    refund_status: null,
    refund_tx_hash: null,
    due_at: isPoints ? expiresAt : now + FUNDING_MS,
    created_at: now,
    expires_at: expiresAt,
    closed_at: null,
  };
}

/** Moves the sender's points into the packet. */
async function escrow(ctx: AppContext, { id, sender_id, total_amount, ledger_currency }: PacketRow): Promise<void> {
  const amount = BigInt(total_amount);
  const hold = await findHold(ctx, sender_id);
  const legs = [
    { account: userAccount(sender_id), amount: -amount, onHold: hold?.amount ?? 0n },
    { account: packetAccount(id), amount },
  ];
  await postTransfer(ctx, { key: fundKey(id), kind: "packet_fund", currency: ledger_currency, legs });
}

/** Returns the key of the transfer that funds a packet. */
export const fundKey = (packetId: number): string => `packet:${packetId}:fund`;
