import { UNREAD_MENTIONS_MAX } from "@parley/protocol/limits";
import type {
  NotificationSettings,
  Sidebar,
  SidebarResponse,
  UpdateNotificationSettingsBody,
  UpdateSidebarBody,
} from "@parley/protocol/preferences";
import { isoTimeOrNull } from "../../base/iso-time.ts";
import { optionalText } from "../../base/visible-text.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { userTopic } from "../../realtime/topics.ts";
import * as store from "./preferences.store.ts";
import { preferencesChange } from "./push-preferences.ts";

type Own = Parameters<typeof store.updateOwn>[3];

const DEFAULTS: store.PreferencesRow = {
  notify_default: "mentions",
  sorting: "name",
  push_previews: 0,
  quiet_from: null,
  quiet_to: null,
  zone: null,
  muted_until: null,
  digest: "away",
  mail_previews: 0,
};

/** Returns what a user prefers for all of their channels, with the defaults. */
export async function ownPreferences(ctx: AppContext, userId: number): Promise<store.PreferencesRow> {
  return (await store.findPreferences(ctx.db, userId)) ?? DEFAULTS;
}

/** Returns which messages notify the caller (protocol §3). */
export async function notificationSettings(ctx: AppContext, { userId }: UserIdentity): Promise<NotificationSettings> {
  const preferences = await ownPreferences(ctx, userId);
  return settingsOf(preferences, await store.notifyingRows(ctx.db, userId));
}

/**
 * Changes what the body names, and tells all sockets of the caller. Errors: `channel_not_found`, also for channels that
 * the caller is no member of, and `invalid_request` for an unknown time zone, and for quiet hours without an end.
 */
export function updateNotificationSettings(
  ctx: AppContext,
  caller: UserIdentity,
  body: UpdateNotificationSettingsBody,
): Promise<NotificationSettings> {
  return transact(ctx, async (ctx) => {
    const { userId } = caller;
    const change = preferencesChange(await ownPreferences(ctx, userId), body);
    if (Object.keys(change).length > 0) await store.savePreferences(ctx.db, { user_id: userId, ...change });
    const rows = await updateRows(ctx, userId, body.channels, ({ level, muted }) => ({
      ...(level === undefined ? {} : { notify_level: level }),
      ...(muted === undefined ? {} : { is_muted: Number(muted) }),
    }));
    const changed = settingsOf(await ownPreferences(ctx, userId), rows);
    publishEvent(ctx, userTopic(userId), "notifications:settings", changed);
    return changed;
  });
}

/** Ends a user's digests, and tells their sockets. Call it inside `transact`. */
export async function endDigests(ctx: AppContext, userId: number): Promise<void> {
  await store.savePreferences(ctx.db, { user_id: userId, digest: "off" });
  publishEvent(ctx, userTopic(userId), "notifications:settings", settingsOf(await ownPreferences(ctx, userId), []));
}

/** Returns how the caller arranges their channels, which were active last, and where they are mentioned (protocol §3). */
export async function sidebarOf(
  ctx: AppContext,
  { userId, username }: UserIdentity,
): Promise<Omit<SidebarResponse, "success">> {
  const { sorting } = await ownPreferences(ctx, userId);
  const wanted = { named: mentionPattern(username), limit: UNREAD_MENTIONS_MAX };
  const mentions: Record<string, number[]> = {};
  for (const { channel_id, seq } of await store.unreadMentions(ctx.db, userId, wanted)) {
    mentions[channel_id] = [...(mentions[channel_id] ?? []), seq];
  }
  return {
    sorting,
    channels: byChannel(await store.placedRows(ctx.db, userId), placementOf),
    activity: await store.channelsByActivity(ctx.db, userId),
    mentions,
  };
}

/** Changes what the body names, and tells all sockets of the caller. Errors: as `updateNotificationSettings`. */
export function updateSidebar(ctx: AppContext, caller: UserIdentity, body: UpdateSidebarBody): Promise<Sidebar> {
  return transact(ctx, async (ctx) => {
    const { userId } = caller;
    if (body.sorting !== undefined) await store.savePreferences(ctx.db, { user_id: userId, sorting: body.sorting });
    const rows = await updateRows(ctx, userId, body.channels, ({ favourite, section }) => ({
      ...(favourite === undefined ? {} : { is_favourite: Number(favourite) }),
      ...(section === undefined ? {} : { section: optionalText(section?.trim()) }),
    }));
    const { sorting } = await ownPreferences(ctx, userId);
    const changed = { sorting, channels: byChannel(rows, placementOf) };
    publishEvent(ctx, userTopic(userId), "sidebar:update", changed);
    return changed;
  });
}

async function updateRows<T>(
  ctx: AppContext,
  userId: number,
  channels: Readonly<Record<string, T>> | undefined,
  changeOf: (wanted: T) => Own,
): Promise<store.OwnRow[]> {
  const rows: store.OwnRow[] = [];
  // The same order in all transactions prevents deadlocks.
  const wanted = Object.entries(channels ?? {}).sort(([a], [b]) => Number(a) - Number(b));
  for (const [id, value] of wanted) {
    const row = await store.updateOwn(ctx.db, userId, Number(id), changeOf(value));
    if (row === undefined) throw fail("channel_not_found");
    rows.push(row);
  }
  return rows;
}

const settingsOf = (preferences: store.PreferencesRow, rows: readonly store.OwnRow[]): NotificationSettings => ({
  default: preferences.notify_default,
  channels: byChannel(rows, notificationsOf),
  push: {
    previews: preferences.push_previews === 1,
    quiet_from: preferences.quiet_from,
    quiet_to: preferences.quiet_to,
    zone: preferences.zone,
  },
  mail: { digest: preferences.digest, previews: preferences.mail_previews === 1 },
  muted_until: isoTimeOrNull(preferences.muted_until),
});

const notificationsOf = (row: store.OwnRow) => ({ level: row.notify_level, muted: row.is_muted === 1 });
const placementOf = (row: store.OwnRow) => ({ favourite: row.is_favourite === 1, section: row.section });

const byChannel = <T>(rows: readonly store.OwnRow[], of: (row: store.OwnRow) => T): Record<string, T> =>
  Object.fromEntries(rows.map((row) => [row.channel_id, of(row)]));

/** Matches the JSON of a message's mentions if one is of this user; see `Mention`. */
const mentionPattern = (username: string): string =>
  `%{"type":"user","name":${JSON.stringify(username).replace(/[\\%_]/g, "\\$&")},%`;
