import { type Selectable, sql } from "kysely";
import type { Db } from "../db/db.ts";
import { holdRows } from "../db/dialect.ts";
import type { ChannelsTable } from "../db/tables/channels.ts";
import type { Channel } from "./channel.ts";
import { type DirectColumns, directAgentOf, directOf } from "./direct/direct.store.ts";
import { INITIAL, type SettingName, settingsOf } from "./settings/channel-settings.ts";

type ChannelRow = Selectable<ChannelsTable> & DirectColumns & { owner_username: string | null };

/** Owner name of a channel that no user owns (protocol §3). */
export const SYSTEM_OWNER = "system";

/** Selects channels that are not deleted, with the columns `channelOf` needs. */
export const channelRows = (db: Db) =>
  db
    .selectFrom("channels")
    .leftJoin("users", "users.id", "channels.owner_id")
    .leftJoin("direct_channels as direct", "direct.channel_id", "channels.id")
    .leftJoin("direct_agents", "direct_agents.channel_id", "channels.id")
    .leftJoin("users as low", (join) =>
      join.on(({ eb, fn, ref }) => eb("low.id", "=", fn.coalesce("direct.low_user_id", ref("direct_agents.user_id")))),
    )
    .leftJoin("users as high", "high.id", "direct.high_user_id")
    .selectAll("channels")
    .select([
      "users.username as owner_username",
      "direct.low_user_id",
      "direct.high_user_id",
      "direct.low_closed_seq",
      "direct.high_closed_seq",
      "direct_agents.user_id as direct_user_id",
      "direct_agents.agent_id as direct_agent_id",
      "direct_agents.agent_name as direct_agent_name",
      "direct_agents.closed_seq",
      "low.username as low_username",
      "high.username as high_username",
    ])
    .where("channels.deleted_at", "is", null);

export function channelOf(row: ChannelRow): Channel {
  return Object.freeze({
    id: row.id,
    name: row.name,
    slug: row.slug,
    isPrivate: row.is_private === 1,
    hasPassword: row.is_private === 1 && row.password_hash !== null,
    ownerId: row.owner_id,
    ownerUsername: row.owner_username ?? SYSTEM_OWNER,
    ...settingsOf(row),
    heldUntil: row.held_until,
    direct: directOf(row),
    directAgent: directAgentOf(row),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  });
}

/** As `findChannelById`, and holds the channel's row until the transaction ends. */
export async function holdChannel(db: Db, id: number): Promise<Channel | null> {
  await holdRows(db, db.selectFrom("channels").select("id").where("id", "=", id)).execute();
  return findChannelById(db, id);
}

export async function findChannelById(db: Db, id: number): Promise<Channel | null> {
  const row = await channelRows(db).where("channels.id", "=", id).executeTakeFirst();
  return row === undefined ? null : channelOf(row);
}

export async function findChannelIdBySlug(db: Db, slug: string): Promise<number | null> {
  const row = await db
    .selectFrom("channels")
    .select("id")
    .where("slug", "=", slug)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Returns the slugs in use that equal `base` or start with `base-`. */
export async function takenSlugs(db: Db, base: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom("channels")
    .select("slug")
    .where((eb) => eb.or([eb("slug", "=", base), eb("slug", "like", `${base}-%`)]))
    .where("deleted_at", "is", null)
    .execute();
  return new Set(rows.map(({ slug }) => slug));
}

/** Returns the id of the channel's oldest message; null if it has none. */
export async function oldestMessageIdOf(db: Db, channelId: number): Promise<number | null> {
  const row = await db
    .selectFrom("messages")
    .select("id")
    .where("channel_id", "=", channelId)
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Returns the password hash; null if there is none. */
export async function findPasswordHash(db: Db, channelId: number): Promise<string | null> {
  const row = await db.selectFrom("channels").select("password_hash").where("id", "=", channelId).executeTakeFirst();
  return row?.password_hash ?? null;
}

/** The columns that are settings. */
export type ChannelPatch = Partial<
  Pick<Selectable<ChannelsTable>, SettingName | "name" | "slug" | "is_private" | "password_hash" | "owner_id">
>;

/** Omitted fields get their defaults. A null `owner_id` means `system` owns the channel. */
export type NewChannel = ChannelPatch & Pick<Selectable<ChannelsTable>, "name" | "slug" | "owner_id" | "created_at">;

/** Returns the row of a new channel: omitted settings get their defaults. */
export const newRow = (channel: NewChannel) => ({
  is_private: 0,
  password_hash: null,
  ...INITIAL,
  ...channel,
  last_seq: 0,
  last_message_at: 0,
  updated_at: channel.created_at,
  deleted_at: null,
});

/**
 * Returns the id, or null if the slug is taken. The statement itself checks this, because a unique violation would
 * abort the transaction on PostgreSQL.
 */
export async function insertChannel(db: Db, channel: NewChannel): Promise<number | null> {
  const row = await db
    .insertInto("channels")
    .values(newRow(channel))
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  return row?.id ?? null;
}

/**
 * Writes settings and locks the row until the transaction ends. Returns the channel's counter, or null if the channel
 * is gone. Throws a unique violation if the slug is taken.
 */
export async function updateChannelRow(
  db: Db,
  channelId: number,
  patch: ChannelPatch,
  now: number,
): Promise<{ lastSeq: number } | null> {
  const row = await db
    .updateTable("channels")
    .set({ ...patch, updated_at: now })
    .where("id", "=", channelId)
    .where("deleted_at", "is", null)
    .returning("last_seq")
    .executeTakeFirst();
  return row === undefined ? null : { lastSeq: row.last_seq };
}

/** Soft-deletes the channel; false if it was already deleted. */
export async function markChannelDeleted(db: Db, channelId: number, now: number): Promise<boolean> {
  const result = await db
    .updateTable("channels")
    .set({ deleted_at: now })
    .where("id", "=", channelId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Counts the channels the user owns. */
export async function countOwned(db: Db, userId: number): Promise<number> {
  const row = await db
    .selectFrom("channels")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("owner_id", "=", userId)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

/** Returns when the account's suspension ends, epoch ms (may lie in the past); null: not suspended. */
export async function findSuspension(db: Db, userId: number): Promise<number | null> {
  const row = await db.selectFrom("users").select("suspended_until").where("id", "=", userId).executeTakeFirst();
  return row?.suspended_until ?? null;
}

/** Locks the channel's row until the transaction ends; false if there is no such channel. */
export async function lockChannel(db: Db, channelId: number): Promise<boolean> {
  const result = await db
    .updateTable("channels")
    .set({ updated_at: sql`updated_at` })
    .where("id", "=", channelId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
