import { createHash } from "node:crypto";
import {
  CreatePacketBody as Body,
  type CreatePacketBody,
  type CreatePacketResponse,
} from "@parley/protocol/red-packets";
import { membershipOf, writableChannel } from "../../channels/access/access.ts";
import { type Channel, type ChannelRef, isOpen, refOf } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { AppError, fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { inTurn } from "../../messages/append/slow-mode.ts";
import { type ClaimRow, claimsOfUser } from "../claim/packet-claims.store.ts";
import { payoutRequests } from "../claim/payout-port.ts";
import { AMOUNT_LIMIT, type SplitTerms } from "../claim/split.ts";
import { depositOf } from "../fund/fund.service.ts";
import { acceptFunding, type Funding, lookAtFunding } from "../fund/funding.ts";
import { cacheFacts } from "../locked-packet.ts";
import { packetRecord, viewerOf } from "../packet-record.ts";
import { findByClientKey, type PacketRow } from "../packets.store.ts";
import { leastShare, type PacketAsset, packetAsset } from "./packet-assets.ts";
import { makePacket, type NewPacket } from "./packet-making.ts";

/**
 * Creates a packet, shown by a message in the channel; in a public channel that joins. A packet of points can be
 * claimed at once, one on a chain when it is funded. The same key returns the same packet for ever.
 * Errors: those of `writableChannel`, `not_a_member`, `invalid_amount`, `unsupported_chain`, `share_too_small`,
 * `insufficient_balance`, `points_on_hold`, `slow_mode`, `payouts_unavailable`, `idempotency_conflict`,
 * `invalid_tx_hash`, `tx_already_used`, `funding_mismatch`, `chain_unavailable`.
 */
export async function createPacket(
  ctx: AppContext,
  caller: UserIdentity,
  body: CreatePacketBody,
  key: string | null,
): Promise<Omit<CreatePacketResponse, "success">> {
  const channel = await channelToPostIn(ctx, caller, refOf(body));
  const clientKey = key === null ? null : `${caller.key}:${key}`;
  const clientHash = key === null ? null : bodyFingerprint(body);
  const known = await madeWith(ctx, clientKey);
  if (known !== undefined) return repeated(ctx, caller, known, clientHash);
  const asset = packetAsset(ctx, body);
  const terms = splitTerms(body, await leastShare(ctx, asset, caller.key));
  await refuseUnpayable(ctx, body, asset, terms);
  try {
    const made = await make(ctx, { caller, channel, body, asset, terms, clientKey, clientHash });
    if (made !== null) {
      cacheFacts(ctx, made);
      return answerOf(ctx, caller, made, null);
    }
  } catch (error) {
    // A concurrent request with the same key may have made the packet, and have the transfer, while the chain was
    // queried; that is no error.
    if ((await madeWith(ctx, clientKey)) === undefined) throw error;
  }
  const first = await madeWith(ctx, clientKey);
  if (first === undefined) throw new Error("The idempotency key of a packet was taken, but its packet is missing.");
  return repeated(ctx, caller, first, clientHash);
}

/** Returns what is to be split, from a body that matches its schema. Errors: `invalid_amount`, `share_too_small`. */
export function splitTerms(
  { total_amount, count, split_type }: Pick<CreatePacketBody, "total_amount" | "count" | "split_type">,
  minShare: bigint,
): SplitTerms {
  const total = BigInt(total_amount);
  if (total >= AMOUNT_LIMIT || total < BigInt(count)) throw fail("invalid_amount");
  const least = minShare * BigInt(count);
  if (total < least)
    throw fail("share_too_small", { details: { min_share: String(minShare), min_total: String(least) } });
  return { type: split_type ?? "random", total, count, minShare };
}

/** Returns the SHA-256, in base64, of all fields of the schema, in its order: bodies with the same one are the same. */
function bodyFingerprint(body: CreatePacketBody): string {
  const fields = Object.keys(Body.properties).map((name) => body[name as keyof CreatePacketBody] ?? null);
  return createHash("sha256").update(JSON.stringify(fields)).digest("base64");
}

const madeWith = async (ctx: AppContext, clientKey: string | null): Promise<PacketRow | undefined> =>
  clientKey === null ? undefined : findByClientKey(ctx.db, clientKey);

/** Returns null if the key was used before. */
async function make(ctx: AppContext, packet: NewPacket): Promise<PacketRow | null> {
  const funding = await fundingOf(ctx, packet);
  return inTurnIfSlow(ctx, packet, () =>
    transact(ctx, async (ctx) => {
      const row = await makePacket(ctx, packet);
      return row === null || funding === null ? row : acceptFunding(ctx, row, funding);
    }),
  );
}

/** A packet is also a message, so slow mode applies. Errors: `slow_mode`. */
async function inTurnIfSlow(
  ctx: AppContext,
  { caller, channel }: NewPacket,
  make: () => Promise<PacketRow | null>,
): Promise<PacketRow | null> {
  if (channel.slow_mode_seconds === 0) return make();
  const post = async () => {
    const row = await make();
    return { row, deduplicated: row === null };
  };
  return (await inTurn(ctx, { caller, channel, clientKey: null }, post)).row;
}

/** Errors of a channel that joining would open to the caller. */
const JOINABLE = new Set<string>(["password_required", "payment_required", "payments_not_configured"]);

/**
 * Returns a channel whose members see what the caller makes. A public one without a price is joined by this; a caller
 * who could join another must join it first (protocol §6). Errors: those of `writableChannel`, `not_a_member`.
 */
async function channelToPostIn(ctx: AppContext, caller: UserIdentity, ref: ChannelRef): Promise<Channel> {
  try {
    const channel = await writableChannel(ctx, caller, ref);
    if (!isOpen(channel) && (await membershipOf(ctx, caller, channel)) === null) throw fail("not_a_member");
    return channel;
  } catch (error) {
    if (error instanceof AppError && JOINABLE.has(error.code)) throw fail("not_a_member");
    throw error;
  }
}

/**
 * Throws if the shares could not be paid out, so that nobody is asked for a deposit then. A user who names a transfer
 * may continue: their value is already there. Errors: `payouts_unavailable`, `chain_unavailable`.
 */
async function refuseUnpayable(
  ctx: AppContext,
  { tx_hash }: CreatePacketBody,
  { network }: PacketAsset,
  { total, count }: SplitTerms,
): Promise<void> {
  if (network === null || tx_hash != null) return;
  const { chain, asset } = network;
  const promised = { chain, asset, largest: total / BigInt(count), count };
  const reason = (await payoutRequests.find(ctx)?.problem(ctx, promised)) ?? null;
  if (reason !== null) throw fail("payouts_unavailable", { details: { reason }, retryAfter: 300 });
}

/**
 * Returns the state of the transfer named in the body, or null if there is none. A wrong transfer throws, and nothing
 * is created. Errors: those of `lookAtFunding`.
 */
async function fundingOf(ctx: AppContext, { caller, body, asset, terms }: NewPacket): Promise<Funding | null> {
  const { network } = asset;
  if (body.tx_hash == null || network === null) return null;
  const expected = { senderId: caller.userId, amount: terms.total, reference: null, createdAt: ctx.clock.now() };
  return lookAtFunding(ctx, network, expected, body.tx_hash, null);
}

function answerOf(
  ctx: AppContext,
  caller: UserIdentity,
  row: PacketRow,
  myClaim: ClaimRow | null,
): Omit<CreatePacketResponse, "success"> {
  const waits = row.status === "pending_funding";
  const deposit = depositOf(ctx, row);
  return {
    message: waits ? "The red packet is waiting for its funding." : "The red packet is created.",
    packet_id: row.id,
    red_packet: packetRecord(row, viewerOf(caller), myClaim),
    ...(deposit === null ? {} : { deposit }),
  };
}

/** Repeats the first response, with the packet as it is now. Errors: `idempotency_conflict`. */
async function repeated(
  ctx: AppContext,
  caller: UserIdentity,
  row: PacketRow,
  hash: string | null,
): Promise<Omit<CreatePacketResponse, "success">> {
  if (row.client_hash !== hash) throw fail("idempotency_conflict");
  const [mine = null] = await claimsOfUser(ctx.db, caller.userId, [row.id]);
  return { ...answerOf(ctx, caller, row, mine), deduplicated: true };
}
