import { PENDING_MENTIONS_MAX } from "@parley/protocol/limits";
import { runOnOne } from "../../cluster/duties.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import {
  countPending,
  crowdedPiles,
  deletePassed,
  dropOldest,
  type ItemKind,
  purgeRemoved,
} from "../../messages/inbox/inbox-rows.ts";
import { countDropped } from "../agent-control.store.ts";
import { noteDropped } from "./agent-notices.ts";

/** How long an item can still be read after its removal (protocol §5). */
export const KEEP_REMOVED_MS = 24 * 60 * 60 * 1_000;
const SWEEP_MS = 60_000;

/** True if more than 1,000 items of one kind are pending under one of the names. */
export function isCrowded(counts: readonly { agentName: string; kind?: ItemKind; pending: number }[]): boolean {
  const byPile = new Map<string, number>();
  for (const { agentName, kind, pending } of counts) {
    const pile = `${kind} ${agentName}`;
    byPile.set(pile, (byPile.get(pile) ?? 0) + pending);
  }
  return [...byPile.values()].some((pending) => pending > PENDING_MENTIONS_MAX);
}

/**
 * Drops the oldest pending items above 1,000 per name and kind (protocol §5), of one agent or of all. Everybody can
 * mention an agent, but cannot so push out what was said to it in direct conversations.
 */
export async function trimInbox(ctx: AppContext, agentId?: number): Promise<void> {
  for (const pile of await crowdedPiles(ctx.db, PENDING_MENTIONS_MAX, agentId)) {
    const dropped = await transact(ctx, async (ctx) => {
      const count = await dropOldest(ctx.db, pile, PENDING_MENTIONS_MAX);
      await countDropped(ctx.db, pile.agentId, count);
      if (count > 0 && pile.kind !== "notice") noteDropped(ctx, pile.agentId, count);
      return count;
    });
    ctx.log.info({ agentId: pile.agentId, dropped }, "pending items of an inbox were dropped");
  }
}

/**
 * Returns the number of an agent's pending items, as `countPending` does, without those above the limit: they are
 * dropped first.
 */
export async function pendingWithinLimit(
  ctx: AppContext,
  agentId: number,
  kind: ItemKind | null,
  places: readonly number[] | null,
): Promise<number> {
  const count = await countPending(ctx.db, agentId, kind, places);
  if (count <= PENDING_MENTIONS_MAX) return count;
  await trimInbox(ctx, agentId);
  return countPending(ctx.db, agentId, kind, places);
}

/**
 * Keeps the table small: drops the excess, and purges items that were removed more than a day ago, and those a day old
 * for which agents asked. Runs off the send path.
 */
export async function sweepInbox(ctx: AppContext): Promise<void> {
  await trimInbox(ctx);
  const dayAgo = ctx.clock.now() - KEEP_REMOVED_MS;
  await purgeRemoved(ctx.db, dayAgo);
  await deletePassed(ctx.db, dayAgo);
}

/** Sweeps every minute until the server stops. The name of the duty is the one that the release before uses. */
export function startInboxSweep(ctx: AppContext): void {
  runOnOne(ctx, "sweep mentions", SWEEP_MS, "the sweep of the inboxes failed", () => sweepInbox(ctx));
}
