import type { PacketChain } from "@parley/protocol/red-packets";
import type { Updateable } from "kysely";
import { LoadingCache } from "../base/loading-cache.ts";
import { readableChannel } from "../channels/access/access.ts";
import type { Channel } from "../channels/channel.ts";
import { type AppContext, perServer } from "../context.ts";
import type { PacketsTable } from "../db/tables/packets.ts";
import { fail } from "../errors.ts";
import { tryLockChannel } from "../event-log/events.ts";
import type { Identity } from "../http/identity.ts";
import { changePacket, findPacket, type Left, type PacketRow, takeShares } from "./packets.store.ts";

/** The immutable facts of a packet, which are cached: where it is. */
export interface PacketFacts {
  readonly channelId: number;
  readonly chain: PacketChain;
  readonly chainId: number | null;
}

const FACTS_KEPT = 10_000;
const facts = perServer(() => new LoadingCache<number, PacketFacts | null>(FACTS_KEPT));

/** Returns synchronously when the packet is cached. null: there is none. */
export function packetFacts(ctx: AppContext, packetId: number): PacketFacts | null | Promise<PacketFacts | null> {
  const found = facts(ctx).get(packetId);
  if (found !== undefined) return found;
  return facts(ctx).load(packetId, async () => factsOf(await findPacket(ctx.db, packetId)), isFound);
}

const factsOf = (row: PacketRow | undefined): PacketFacts | null =>
  row === undefined ? null : { channelId: row.channel_id, chain: row.chain, chainId: row.chain_id };

/** Caches the facts of a packet that was just created and committed. */
export function cacheFacts(ctx: AppContext, row: PacketRow): void {
  facts(ctx).set(row.id, { channelId: row.channel_id, chain: row.chain, chainId: row.chain_id });
}

const isFound = (value: unknown): boolean => value !== null;

/**
 * Returns the channel of a packet the caller may see. Errors: `packet_not_found`, `password_required`, `banned`,
 * `session_required`, `payment_required`, `payments_not_configured`.
 */
export async function channelOfPacket(ctx: AppContext, caller: Identity, packetId: number): Promise<Channel> {
  const facts = await packetFacts(ctx, packetId);
  if (facts === null) throw fail("packet_not_found");
  return readableChannel(ctx, caller, { id: facts.channelId }, "packet_not_found");
}

/**
 * Reads a packet and locks it until the transaction ends, by locking its channel's row: every change of a packet takes
 * this lock; appending its events needs it in any case. Call it inside `transact`, before the first read. If the channel
 * is deleted, nothing is locked, and value may still move (a retried payout, late funding); then `change` alone prevents
 * concurrent changes. Errors: `packet_not_found`.
 */
export async function lockPacket(ctx: AppContext, channelId: number, packetId: number): Promise<PacketRow> {
  await tryLockChannel(ctx, channelId);
  const row = await findPacket(ctx.db, packetId);
  if (row === undefined) throw fail("packet_not_found");
  return row;
}

/**
 * Changes a locked packet. Throws if its status, remaining count or funding status changed since it was read: that is a
 * bug, and the transaction must roll back.
 */
export async function change(ctx: AppContext, row: PacketRow, to: Updateable<PacketsTable>): Promise<PacketRow> {
  if (!(await changePacket(ctx.db, row, to))) throw changedByOther(row);
  return { ...row, ...to } as PacketRow;
}

/** Takes shares out of a locked packet; the last ones close it. */
export async function take(ctx: AppContext, row: PacketRow, count: number, sum: bigint): Promise<PacketRow> {
  const remaining_count = row.remaining_count - count;
  const isLast = remaining_count === 0;
  const left: Left = {
    remaining_count,
    remaining_amount: String(BigInt(row.remaining_amount) - sum),
    status: isLast ? "exhausted" : row.status,
    close_reason: isLast ? "exhausted" : row.close_reason,
    closed_at: isLast ? ctx.clock.now() : row.closed_at,
    due_at: isLast ? null : row.due_at,
  };
  if (!(await takeShares(ctx.db, row, left))) throw changedByOther(row);
  return { ...row, ...left };
}

const changedByOther = ({ id }: PacketRow) => new Error(`The packet ${id} was changed by another transaction.`);
