import { isoTime } from "../../base/iso-time.ts";
import { runOnOne } from "../../cluster/duties.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { appendEvent, tryLockChannel } from "../../event-log/events.ts";
import { channelOf } from "../cards/channel-of.store.ts";
import { findMessage, updateMessage } from "../messages.store.ts";
import { ANSWERED_WITHIN_MS } from "./answer.service.ts";
import { endedMarkup, menuRecord, openMenuOf } from "./markup.ts";
import { endMenu, forgetPresses, type MenuRow, surplusMenus } from "./menus.store.ts";

/** Menus of one name that can be pressed at a time. */
export const LIVE_MENUS_MAX = 1_000;
const AT_ONCE = 20;
const FORGET_EVERY_MS = 10 * 60 * 1_000;

/** Ends the oldest menus of a bot that has too many, each under the lock of its channel. */
export async function endSurplusMenus(
  ctx: AppContext,
  agentId: number,
  agentName: string,
  keep = LIVE_MENUS_MAX,
): Promise<void> {
  for (const menu of await surplusMenus(ctx.db, { agentId, agentName }, keep, AT_ONCE))
    await transact(ctx, (ctx) => endOne(ctx, menu));
}

async function endOne(ctx: AppContext, { message_id, channel_id }: MenuRow): Promise<void> {
  const isLive = await tryLockChannel(ctx, channel_id);
  await endMenu(ctx.db, message_id);
  const row = isLive ? await findMessage(ctx.db, message_id) : undefined;
  if (row === undefined || row.card === null || openMenuOf(row) === null) return;
  const at = isoTime(ctx.clock.now());
  const card = endedMarkup(row.card, at);
  await updateMessage(ctx.db, message_id, { card });
  const { slug: channelSlug } = await channelOf(ctx.db, channel_id);
  await appendEvent(ctx, channel_id, "interaction:update", {
    data: { message_id, interaction: menuRecord(message_id, at) },
    message: { row: { ...row, card }, channelSlug },
  });
}

/** Starts forgetting presses that nobody can answer and no item reports, on one node. */
export function startMenus(ctx: AppContext): void {
  runOnOne(ctx, "forget presses of menus", FORGET_EVERY_MS, "forgetting the presses of menus failed", () =>
    forgetPresses(ctx.db, ctx.clock.now() - ANSWERED_WITHIN_MS),
  );
}
