import { runOnOne } from "../../cluster/duties.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { tryLockChannel } from "../../event-log/events.ts";
import { findMessage } from "../messages.store.ts";
import { type Change, changeInteraction } from "./changes.ts";
import { channelOf } from "./channel-of.store.ts";
import { dueInteractions, forgetEnded, lockInteraction, withdraw } from "./interactions.store.ts";

const EVERY_MS = 1_000;
const AT_ONCE = 100;
/** How long an interaction can be read after its end if its message is gone. */
const KEEP_MS = 30 * 24 * 60 * 60 * 1_000;
const FORGET_EVERY_MS = 60 * 60 * 1_000;
const FORGET_AT_ONCE = 500;

/** The actor of the audit log for what nobody did. No user can have this name. */
const THE_SERVER = { username: "the server" };

/** Ends the interactions of a channel that is deleted, under the lock of its row, which every press takes, too. */
export const withdrawCards = (ctx: AppContext, channelId: number): Promise<void> =>
  withdraw(ctx.db, { channelId }, "channel_deleted");

/** Starts ending interactions that expired or whose channel, message or agent is gone, on one node. */
export function startCards(ctx: AppContext): void {
  let nextForgetting = 0;
  runOnOne(ctx, "expire cards", EVERY_MS, "ending the cards that expired failed", async () => {
    await endDueInteractions(ctx);
    const now = ctx.clock.monotonic();
    if (now < nextForgetting) return;
    nextForgetting = now + FORGET_EVERY_MS;
    while ((await forgetEnded(ctx.db, ctx.clock.now() - KEEP_MS, FORGET_AT_ONCE)) === FORGET_AT_ONCE);
  });
}

/**
 * Ends every open interaction that is due, each in a transaction of its own. Two nodes may do this at once: the second
 * finds it ended, under the lock.
 */
export async function endDueInteractions(ctx: AppContext): Promise<void> {
  for (;;) {
    const due = await dueInteractions(ctx.db, ctx.clock.now(), AT_ONCE);
    for (const { message_id, channel_id } of due)
      await transact(ctx, (ctx) => endIfDue(ctx, { id: message_id, channelId: channel_id }));
    if (due.length < AT_ONCE) return;
  }
}

async function endIfDue(ctx: AppContext, { id, channelId }: { id: number; channelId: number }): Promise<void> {
  const isLive = await tryLockChannel(ctx, channelId);
  const row = await lockInteraction(ctx.db, id);
  if (row === undefined || row.status !== "open" || row.due_at > ctx.clock.now()) return;
  const found = await findMessage(ctx.db, id);
  const isShown = found !== undefined && found.deleted_at === null && found.card !== null;
  // A node of the release before deletes messages without knowing of cards.
  const reason = row.cancel_reason ?? (isLive ? (isShown ? undefined : "message_deleted") : "channel_deleted");
  const end: Change["end"] = { status: reason === undefined ? "expired" : "cancelled", pressId: null };
  const { slug: channelSlug } = await channelOf(ctx.db, channelId);
  const message = isLive && isShown ? found : null;
  await changeInteraction(ctx, row, { end, press: null, by: THE_SERVER, reason }, { channelSlug, message });
}
