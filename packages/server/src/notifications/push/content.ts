import { PUSH_PAYLOAD_BYTES } from "@parley/protocol/limits";
import type { PushPayload } from "@parley/protocol/notifications";
import { ownPreferences } from "../../channels/preferences/preferences.ts";
import { isQuiet } from "../../channels/preferences/push-preferences.ts";
import type { AppContext } from "../../context.ts";
import { shownNotifications } from "../list/list.store.ts";
import { beginningOf, notificationRecord, writerOf } from "../list/notification-json.ts";
import { unreadWithinLimits } from "../list/notifications.service.ts";
import * as store from "./content.store.ts";
import type { DueRow } from "./queue.store.ts";
import { PUSHED } from "./queue.ts";

/**
 * Returns what to push now, decided again from the database: the newest unread notification of what is folded, or, at the
 * level `all`, the newest unread message. null: nothing, because it was read, deleted, or is not to disturb.
 */
export async function contentOf(ctx: AppContext, due: DueRow): Promise<PushPayload | null> {
  const now = ctx.clock.now();
  const preferences = await ownPreferences(ctx, due.user_id);
  if (isQuiet(preferences, now)) return null;
  const found = (await notification(ctx, due)) ?? (due.is_any === 1 ? await message(ctx, due) : null);
  if (found === null) return null;
  const channel = found.channel_id === null ? undefined : await store.channelName(ctx.db, found.channel_id);
  if (channel === undefined && found.kind !== "notice") return null;
  const unread = (await unreadWithinLimits(ctx, [due.user_id])).counts.get(due.user_id) ?? 0;
  return withinLimit({
    v: 1,
    ...(preferences.push_previews === 1 ? found : withoutText(found)),
    channel_slug: channel?.slug ?? null,
    channel_name: channel?.name ?? null,
    url: addressOf(channel?.slug, found.message_id),
    unread,
    tag: due.channel_id === 0 ? `notice-${found.notification_id}` : `channel-${due.channel_id}`,
  });
}

/** Neither the message's words nor the user's own are for a screen that others see. */
const withoutText = ({ reminder, notice, ...found }: Found): Found => ({
  ...found,
  ...(reminder === undefined ? {} : { reminder: { ...reminder, note: null } }),
  // The detail of this one is the note of the reminder; those of others are codes, times and amounts.
  ...(notice === undefined ? {} : { notice: notice.code === "reminder_ended" ? { ...notice, detail: null } : notice }),
  text: null,
});

/** Returns where a press leads. */
function addressOf(slug: string | undefined, messageId: number | null): string {
  if (slug === undefined) return "/";
  return `/#/c/${encodeURIComponent(slug)}${messageId === null ? "" : `/${messageId}`}`;
}

type Found = Pick<
  PushPayload,
  "kind" | "notification_id" | "channel_id" | "message_id" | "notice" | "reminder" | "from" | "text"
>;

async function notification(ctx: AppContext, due: DueRow): Promise<Found | null> {
  const id = await store.newestUnread(ctx.db, due, PUSHED);
  if (id === undefined) return null;
  const [row] = await shownNotifications(ctx.db, [id], ctx.clock.now());
  if (row === undefined) return null;
  const { read_at: _, created_at: __, ...found } = notificationRecord(row);
  return found;
}

async function message(ctx: AppContext, { channel_id, message_id, user_id }: DueRow): Promise<Found | null> {
  const row = await store.unreadMessage(ctx.db, message_id, user_id);
  if (row === undefined) return null;
  const from = writerOf(row);
  return { kind: "message", notification_id: null, channel_id, message_id: row.id, from, text: beginningOf(row) };
}

/** Names and the text are short, so a payload is below the limit; if one day it is not, it goes without its text. */
function withinLimit(payload: PushPayload): PushPayload {
  const bytes = Buffer.byteLength(JSON.stringify(payload));
  return bytes <= PUSH_PAYLOAD_BYTES ? payload : { ...payload, text: null };
}
