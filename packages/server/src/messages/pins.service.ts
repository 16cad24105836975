import { PINS_PER_CHANNEL } from "@parley/protocol/limits";
import { audit } from "../audit/audit.ts";
import { isoTimeOrNull } from "../base/iso-time.ts";
import { readableChannel, roleIn } from "../channels/access/access.ts";
import { assertMayTalk } from "../channels/access/may-talk.ts";
import type { Channel } from "../channels/channel.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import { appendEvent, lockChannel } from "../event-log/events.ts";
import { type MessageRow, recordJson } from "../event-log/message-json.ts";
import { decide } from "../http/acts/act.ts";
import type { Identity, UserIdentity } from "../http/identity.ts";
import { hasLevel, MODERATOR } from "../http/site-levels.ts";
import { readableMessage } from "./messages.service.ts";
import { countPins, findMessage, pinnedMessages, updateMessage } from "./messages.store.ts";
import { actorOf, differingOf, withOwnFields } from "./own-fields.ts";

/** The response of pin and unpin (protocol §4). */
export interface PinState {
  message: string;
  message_id: number;
  channel_id: number;
  is_pinned: boolean;
  pinned_at: string | null;
  pinned_by: string | null;
}

/**
 * Pins a message; idempotent. Errors: `message_not_found`, `forbidden`, `message_deleted`, `pin_limit_reached`, those
 * of `assertNotBlocked`.
 */
export function pinMessage(ctx: AppContext, caller: UserIdentity, messageId: number): Promise<PinState> {
  return setPinned(ctx, caller, messageId, true);
}

/** Unpins a message; idempotent. Errors: `message_not_found`, `forbidden`, `message_deleted`. */
export function unpinMessage(ctx: AppContext, caller: UserIdentity, messageId: number): Promise<PinState> {
  return setPinned(ctx, caller, messageId, false);
}

async function setPinned(ctx: AppContext, caller: UserIdentity, messageId: number, pinned: boolean): Promise<PinState> {
  const { channel } = await readableMessage(ctx, caller, messageId);
  const byLevel = await decide(ctx, caller, (ctx, caller) => checkMayPin(ctx, caller, channel), channel.id);
  if (pinned && channel.direct !== null) await assertMayTalk(ctx, caller, channel);
  return transact(ctx, async (ctx) => {
    await lockChannel(ctx, channel.id);
    const before = await findMessage(ctx.db, messageId);
    if (before === undefined) throw fail("message_not_found");
    if (before.deleted_at !== null) throw fail("message_deleted");
    if ((before.pinned_at !== null) === pinned) return stateOf(before);
    if (pinned && (await countPins(ctx.db, channel.id)) >= PINS_PER_CHANNEL) throw fail("pin_limit_reached");
    const change = { pinned_at: pinned ? ctx.clock.now() : null, pinned_by: pinned ? caller.username : null };
    await updateMessage(ctx.db, messageId, change);
    const row = { ...before, ...change };
    const { message: _, channel_id: __, ...data } = stateOf(row);
    await appendEvent(ctx, channel.id, pinned ? "message:pin" : "message:unpin", {
      data,
      message: { row, channelSlug: channel.slug },
    });
    if (byLevel) await audit(ctx, caller, pinned ? "message_pin" : "message_unpin", `message:${messageId}`);
    return stateOf(row);
  });
}

/** Returns true if the caller may pin only by their site level. Errors: `forbidden`. */
async function checkMayPin(ctx: AppContext, caller: UserIdentity, channel: Channel): Promise<boolean> {
  const role = await roleIn(ctx, caller, channel);
  if (role === "owner" || role === "admin") return false;
  if (role === "member" && channel.pin_policy === "members") return false;
  if (hasLevel(caller, MODERATOR)) return true;
  throw fail("forbidden");
}

function stateOf(row: MessageRow): PinState {
  const isPinned = row.pinned_at !== null;
  return {
    message: isPinned ? "The message is pinned." : "The message is not pinned.",
    message_id: row.id,
    channel_id: row.channel_id,
    is_pinned: isPinned,
    pinned_at: isoTimeOrNull(row.pinned_at),
    pinned_by: row.pinned_by,
  };
}

/** Returns the channel's pins as a JSON list, newest pin first. */
export async function listPins(
  ctx: AppContext,
  caller: Identity,
  channelId: number,
): Promise<{ channel: Channel; messagesJson: string }> {
  const channel = await readableChannel(ctx, caller, { id: channelId });
  const rows = await pinnedMessages(ctx.db, channel.id);
  const json = `[${rows.map((row) => recordJson(row, channel.slug)).join(",")}]`;
  const messagesJson = await withOwnFields(ctx, actorOf(caller), { json, ...differingOf(rows) });
  return { channel, messagesJson };
}
