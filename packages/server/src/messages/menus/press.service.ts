import type { PressBody } from "@parley/protocol/card-calls";
import type { Interaction } from "@parley/protocol/cards";
import { isoTime } from "../../base/iso-time.ts";
import { enterToReact, readableChannel } from "../../channels/access/access.ts";
import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { lockChannel } from "../../event-log/events.ts";
import type { Identity, UserIdentity } from "../../http/identity.ts";
import { isInScope } from "../../http/key-scopes.ts";
import { assertMayAnswer } from "../cards/assert-may-answer.ts";
import { findMessage } from "../messages.store.ts";
import { addPressItem } from "./items.ts";
import { menuRecord, openMenuOf, pressedButton } from "./markup.ts";
import { findMenu, type MenuRow } from "./menus.store.ts";

/**
 * Returns the menu of a message whom this caller may read; null: the message never had one. Errors: `session_required`,
 * `channel_not_in_scope`, those of `readableChannel`.
 */
export async function readableMenu(
  ctx: AppContext,
  caller: Identity,
  messageId: number,
): Promise<{ menu: MenuRow; channel: Channel; record: Interaction } | null> {
  if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
  const menu = await findMenu(ctx.db, messageId);
  if (menu === undefined) return null;
  if (caller.kind === "agent" && !isInScope(caller, menu.channel_id)) throw fail("channel_not_in_scope");
  const channel = await readableChannel(ctx, caller, { id: menu.channel_id }, "interaction_not_found");
  return { menu, channel, record: await recordOf(ctx, messageId) };
}

/** Returns the record of a menu as its message shows it now. */
async function recordOf(ctx: AppContext, messageId: number): Promise<Interaction> {
  const row = await findMessage(ctx.db, messageId);
  const isOpen = row !== undefined && openMenuOf(row) !== null;
  return menuRecord(messageId, isOpen ? null : isoTime(row?.edited_at ?? ctx.clock.now()));
}

/**
 * Presses a button of a menu (protocol §15.6): the bot gets an item of its inbox for each press. A user who presses in a
 * public channel joins it. Errors: those of `readableMenu` and `enterToReact`, `interaction_not_found`,
 * `interaction_closed`, `unknown_action`, `not_allowed_to_answer`.
 */
export async function pressMenu(
  ctx: AppContext,
  caller: UserIdentity,
  found: { menu: MenuRow; channel: Channel; record: Interaction },
  body: PressBody,
): Promise<Interaction> {
  const { menu, channel, record } = found;
  const asks = { row: { ...menu, who: JSON.stringify(record.who), kind: "open" as const }, channel };
  // First, because a user who is refused must not have joined.
  await assertMayAnswer(ctx, caller, { ...asks, isEntering: true });
  await enterToReact(ctx, caller, channel);
  return transact(ctx, async (ctx) => {
    await lockChannel(ctx, channel.id);
    const message = await findMessage(ctx.db, menu.message_id);
    const rows = message === undefined ? null : openMenuOf(message);
    const ended = menuRecord(menu.message_id, isoTime(ctx.clock.now()));
    if (rows === null) throw fail("interaction_closed", { details: { interaction: ended } });
    const button = pressedButton(rows, body);
    if (button === null) throw fail("unknown_action", { message: "The menu does not have this button any more." });
    await assertMayAnswer(ctx, caller, { ...asks, isEntering: false });
    const at = ctx.clock.now();
    addPressItem(ctx, { menu, channelSlug: channel.slug, caller, button, at });
    const { actionId: action_id, choice: value } = button;
    const result = { action_id, value: value === "" ? null : value, username: caller.username, at: isoTime(at) };
    return { ...menuRecord(menu.message_id, null), result };
  });
}
