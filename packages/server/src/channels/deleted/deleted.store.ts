import type { AdminChannelsQuery } from "@parley/protocol/administration";
import { type Selectable, sql } from "kysely";
import { HIDDEN_AT } from "../../base/hidden-at.ts";
import type { Db } from "../../db/db.ts";
import type { ChannelsTable } from "../../db/tables/channels.ts";
import { PURGED } from "../settings/channel-settings.ts";

/**
 * Locks a channel's row, deleted or not, until the transaction ends and returns it; null if it never existed, or is of an
 * import that is not open.
 */
export async function lockAnyChannel(db: Db, id: number): Promise<Selectable<ChannelsTable> | null> {
  const row = await db
    .updateTable("channels")
    .set({ updated_at: sql`updated_at` })
    .where("id", "=", id)
    .where((eb) => eb.or([eb("deleted_at", "is", null), eb("deleted_at", "<>", HIDDEN_AT)]))
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Undeletes a channel under this slug. Throws a unique violation if the slug is taken. */
export async function undeleteChannel(db: Db, id: number, slug: string, now: number): Promise<void> {
  await db.updateTable("channels").set({ deleted_at: null, slug, updated_at: now }).where("id", "=", id).execute();
}

export interface AdminChannelRow {
  id: number;
  name: string;
  slug: string;
  is_private: number;
  owner_username: string | null;
  last_seq: number;
  created_at: number;
  deleted_at: number | null;
  retention_days: number | null;
  held_until: number | null;
  hold_reason: string | null;
}

/** Which channels administrators list, and in which order. */
export type AnyChannelsFilter = Pick<AdminChannelsQuery, "deleted" | "search" | "sort">;

/**
 * Lists channels other than direct conversations: live ones, ones deleted after `since`, or both (undefined).
 */
export function listAnyChannels(
  db: Db,
  { deleted, search = "", sort = "newest" }: AnyChannelsFilter,
  since: number,
  page: { limit: number; offset: number },
): Promise<AdminChannelRow[]> {
  let query = db
    .selectFrom("channels as c")
    .leftJoin("users as u", "u.id", "c.owner_id")
    .leftJoin("direct_channels as d", "d.channel_id", "c.id")
    .leftJoin("direct_agents as da", "da.channel_id", "c.id")
    .select(["c.id", "c.name", "c.slug", "c.is_private", "c.last_seq", "c.created_at", "c.deleted_at"])
    .select(["c.retention_days", "c.held_until", "c.hold_reason"])
    .select("u.username as owner_username")
    .where("d.channel_id", "is", null)
    .where("da.channel_id", "is", null)
    .where((eb) => eb.or([eb("c.deleted_at", "is", null), eb("c.deleted_at", ">", since)]))
    .where((eb) => eb.or([eb("c.deleted_at", "is", null), eb("c.deleted_at", "<>", HIDDEN_AT)]));
  if (deleted !== undefined) query = query.where("c.deleted_at", deleted ? "is not" : "is", null);
  if (search !== "") {
    // SQLite's lower() knows ASCII only: other letters match as they are typed, too.
    const pattern = (text: string) => sql<string>`${`%${text.replaceAll(/[\\%_]/g, "\\$&")}%`} escape '\\'`;
    query = query.where((eb) =>
      eb.or([
        eb("c.name", "like", pattern(search)),
        ...(["c.name", "c.slug", "u.username"] as const).map((name) =>
          eb(eb.fn<string>("lower", [name]), "like", pattern(search.toLowerCase())),
        ),
      ]),
    );
  }
  if (sort === "name") query = query.orderBy((eb) => eb.fn("lower", ["c.name"]));
  if (sort === "messages") query = query.orderBy("c.last_seq", "desc");
  return query.orderBy("c.id", "desc").limit(page.limit).offset(page.offset).execute();
}

/** Returns a channel deleted by this time that still has content and is not held at `now`; null if there is none. */
export async function findToPurge(db: Db, deletedBy: number, now: number): Promise<number | null> {
  const row = await db
    .selectFrom("channels")
    .select("id")
    .where("deleted_at", "<=", deletedBy)
    .where("purged_at", "is", null)
    .where((eb) => eb.or([eb("held_until", "is", null), eb("held_until", "<=", now)]))
    .orderBy("deleted_at")
    .executeTakeFirst();
  return row?.id ?? null;
}

const EMPTIED = ["channel_members", "channel_agents", "channel_bans", "kept_mutes", "kept_agent_mutes"] as const;

/** Removes everything from a deleted channel except its id, which others may still request. */
export async function emptyChannel(db: Db, id: number, now: number): Promise<void> {
  for (const table of EMPTIED) {
    await db.deleteFrom(table).where("channel_id", "=", id).execute();
  }
  await db
    .updateTable("channels")
    .set({
      name: "",
      slug: `purged-${id}`,
      password_hash: null,
      owner_id: null,
      held_until: null,
      hold_reason: null,
      ...PURGED,
      purged_at: now,
    })
    .where("id", "=", id)
    .where("deleted_at", "is not", null)
    .execute();
}
