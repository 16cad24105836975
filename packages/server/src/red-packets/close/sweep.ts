import { KeyedMutex } from "../../base/concurrency-limiter.ts";
import { runOnOne } from "../../cluster/duties.ts";
import { type AppContext, perServer } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { AppError } from "../../errors.ts";
import { FUNDING_MS } from "../create/packet-making.ts";
import { expectedDeposit, networkOf } from "../fund/fund.service.ts";
import { acceptFunding, LOOK_MS, lookAtFunding } from "../fund/funding.ts";
import { change, lockPacket } from "../locked-packet.ts";
import { duePackets, findPacket, type PacketRow, postpone } from "../packets.store.ts";
import { publishPacket } from "../publish-packet.ts";
import { closePacket, refundRest } from "./closing.ts";

const PASS_MS = 1_000;

const passes = perServer(() => new KeyedMutex());

/** Packets per pass, each in its own transaction. */
const PASS_MAX = 20;
/**
 * How long after its creation, and how often, the named transfer of a closed packet is looked for; after that, only
 * when it is named again.
 */
const LATE_MS = 24 * 3_600_000;
const LATE_LOOK_MS = 60_000;
/** Delay before a packet whose step failed is retried. */
const RETRY_MS = 30_000;

/** Closes, refunds and funds packets when due, while the server runs. Safe on several nodes. */
export function startPacketSweep(ctx: AppContext): void {
  runOnOne(ctx, "sweep packets", PASS_MS, "the sweep of red packets failed", () => sweepPackets(ctx));
}

/**
 * Runs one pass. Passes on this node are serialized: two at once would query the chain twice and see each other's
 * half-finished packets.
 */
export function sweepPackets(ctx: AppContext): Promise<void> {
  return passes(ctx).run("sweep", () => sweepOnce(ctx));
}

/** Runs one step for each due packet, at most 20. Every step can be repeated; a failed one is retried later. */
async function sweepOnce(ctx: AppContext): Promise<void> {
  for (const id of await duePackets(ctx.db, ctx.clock.now(), PASS_MAX)) {
    try {
      const packet = await findPacket(ctx.db, id);
      if (packet !== undefined) await step(ctx, packet);
    } catch (error) {
      ctx.log.error({ err: error, packetId: id }, "processing a red packet failed");
      const now = ctx.clock.now();
      await postpone(ctx.db, id, now, now + RETRY_MS);
    }
  }
}

async function step(ctx: AppContext, packet: PacketRow): Promise<void> {
  if (packet.funding_status === "pending" && packet.tx_hash !== null) await lookAgain(ctx, packet, packet.tx_hash);
  await transact(ctx, async (ctx) => {
    const locked = await lockPacket(ctx, packet.channel_id, packet.id);
    const now = ctx.clock.now();
    if (locked.due_at === null || locked.due_at > now) return;
    if (locked.status === "active") await closePacket(ctx, locked, "expired");
    else if (locked.status === "pending_funding") await waitOrFail(ctx, locked, now);
    else if (locked.funding_status === "settled") await publishPacket(ctx, locked, await refundRest(ctx, locked));
    else await change(ctx, locked, { due_at: now < locked.created_at + LATE_MS ? now + LATE_LOOK_MS : null });
  });
}

/** A transfer has an hour from the packet's creation to be found; a found one is awaited until it is final. */
async function waitOrFail(ctx: AppContext, locked: PacketRow, now: number): Promise<void> {
  const end = locked.created_at + FUNDING_MS;
  if (now >= end && locked.funder === null) await closePacket(ctx, locked, "failed");
  else await change(ctx, locked, { due_at: locked.funding_status === "pending" ? now + LOOK_MS : end });
}

/**
 * Looks a named transfer up again and accepts it. One that turned out to be wrong is stored and reported as failed; its
 * packet keeps waiting for another.
 */
async function lookAgain(ctx: AppContext, packet: PacketRow, txHash: string): Promise<void> {
  const network = networkOf(ctx, packet);
  if (network === null) return;
  try {
    const funding = await lookAtFunding(ctx, network, expectedDeposit(packet), txHash, packet.id);
    await ifAwaited(ctx, packet, (ctx, locked) => acceptFunding(ctx, locked, funding));
  } catch (error) {
    const problem = problemOf(error);
    if (problem === null) throw error;
    const failed = { funding_status: "failed", funding_problem: problem, funder: null } as const;
    await ifAwaited(ctx, packet, async (ctx, locked) => publishPacket(ctx, locked, await change(ctx, locked, failed)));
  }
}

function problemOf(error: unknown): string | null {
  if (!(error instanceof AppError)) return null;
  if (error.code === "funding_mismatch") return (error.details as { problem: string }).problem;
  return error.code === "tx_already_used" ? error.code : null;
}

/** Acts on the packet if it still waits for that transaction. */
async function ifAwaited(
  ctx: AppContext,
  { id, channel_id, tx_hash }: PacketRow,
  act: (ctx: AppContext, locked: PacketRow) => Promise<unknown>,
): Promise<void> {
  await transact(ctx, async (ctx) => {
    const locked = await lockPacket(ctx, channel_id, id);
    if (locked.tx_hash === tx_hash && locked.funding_status === "pending") await act(ctx, locked);
  });
}
