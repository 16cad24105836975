import { HIDDEN_AT } from "../base/hidden-at.ts";
import { isoTimeOrNull } from "../base/iso-time.ts";
import type { Db } from "../db/db.ts";
import { type PageAfter, pagedList, wholeList, withTimes } from "../user-export.ts";
import { ownPreferences } from "./preferences/preferences.ts";

interface ExportedMembership {
  channel_id: number;
  slug: string;
  name: string;
  role: string;
  muted_until: number | null;
  joined_at: number;
  last_read_seq: number;
  unread_from_seq: number | null;
  notify_level: string | null;
  is_muted: number;
  is_favourite: number;
  section: string | null;
  low_user_id: number | null;
  low_username: string | null;
  high_username: string | null;
  direct_with_agent: string | null;
  purged_messages: number;
  purged_before: number | null;
}

function membershipsAfter(
  db: Db,
  { userId, last, limit }: PageAfter<ExportedMembership>,
): Promise<ExportedMembership[]> {
  return db
    .selectFrom("channel_members as m")
    .innerJoin("channels as c", "c.id", "m.channel_id")
    .leftJoin("direct_channels as d", "d.channel_id", "c.id")
    .leftJoin("direct_agents as da", "da.channel_id", "c.id")
    .leftJoin("users as low", "low.id", "d.low_user_id")
    .leftJoin("users as high", "high.id", "d.high_user_id")
    .select([
      "m.channel_id",
      "c.slug",
      "c.name",
      "m.role",
      "m.muted_until",
      "m.joined_at",
      "m.last_read_seq",
      "m.unread_from_seq",
    ])
    .select(["m.notify_level", "m.is_muted", "m.is_favourite", "m.section"])
    .select(["d.low_user_id", "low.username as low_username", "high.username as high_username"])
    .select("da.agent_name as direct_with_agent")
    .select(["c.purged_messages", "c.purged_before"])
    .where("m.user_id", "=", userId)
    .where((eb) => eb.or([eb("c.deleted_at", "is", null), eb("c.deleted_at", "<>", HIDDEN_AT)]))
    .where("m.channel_id", ">", last?.channel_id ?? 0)
    .orderBy("m.channel_id")
    .limit(limit)
    .execute();
}

function membershipRecord(row: ExportedMembership, userId: number): object {
  const {
    slug,
    low_user_id,
    low_username,
    high_username,
    is_muted,
    is_favourite,
    purged_messages,
    purged_before,
    ...rest
  } = row;
  const other = low_user_id === userId ? high_username : low_username;
  return {
    ...withTimes(rest),
    is_muted: is_muted === 1,
    is_favourite: is_favourite === 1,
    channel_slug: slug,
    direct_with: low_user_id === null ? null : other,
    // Of the whole channel; the user's own messages are among them.
    retention: {
      removed_messages: purged_messages,
      removed_before: isoTimeOrNull(purged_before),
    },
  };
}

function bansOf(db: Db, userId: number) {
  return db
    .selectFrom("channel_bans")
    .select(["channel_id", "reason", "until", "created_at"])
    .where("user_id", "=", userId)
    .orderBy("channel_id")
    .execute();
}

export const exportMemberships = pagedList(membershipsAfter, (row, { userId }) => membershipRecord(row, userId));

export const exportBans = wholeList(async (ctx, { userId }) => (await bansOf(ctx.db, userId)).map(withTimes));

export const exportPreferences = wholeList(async (ctx, { userId }) => [withTimes(await ownPreferences(ctx, userId))]);
