import { type Expression, type Insertable, sql } from "kysely";
import type { Db } from "../../db/db.ts";
import type { SecurityNoticesTable } from "../../db/tables/accounts.ts";

export async function insertNotice(db: Db, notice: Omit<Insertable<SecurityNoticesTable>, "id">): Promise<number> {
  const { id } = await db.insertInto("security_notices").values(notice).returning("id").executeTakeFirstOrThrow();
  return id;
}

/** True for details that only name a session after the same beginning. */
const begins = (details: Expression<string>, same: string) => {
  // Without the closing brace: the session follows.
  const beginning = `${same.slice(0, -1)},"session_id":`;
  return sql<boolean>`substr(${details}, 1, ${[...beginning].length}) = ${beginning}`;
};

/** Returns true if the user got a notice since then that is identical but for its session. */
export async function hasSameNotice(
  db: Db,
  notice: { userId: number; kind: string; details: string },
  since: number,
): Promise<boolean> {
  const row = await db
    .selectFrom("security_notices")
    .select("id")
    .where("user_id", "=", notice.userId)
    .where("kind", "=", notice.kind)
    .where((eb) => eb.or([eb("details", "=", notice.details), begins(eb.ref("details"), notice.details)]))
    .where("created_at", ">", since)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Removes a user's notices of a kind by an actor, except the newest `keep`. */
export async function removeOldestNotices(
  db: Db,
  of: { userId: number; kind: string; actor: SecurityNoticesTable["actor"] },
  keep: number,
): Promise<void> {
  await db
    .deleteFrom("security_notices")
    .where("user_id", "=", of.userId)
    .where("kind", "=", of.kind)
    .where("actor", "=", of.actor)
    .where("id", "<=", (eb) =>
      eb
        .selectFrom("security_notices as kept")
        .select("kept.id")
        .where("kept.user_id", "=", of.userId)
        .where("kept.kind", "=", of.kind)
        .where("kept.actor", "=", of.actor)
        .orderBy("kept.id", "desc")
        .limit(1)
        .offset(keep),
    )
    .execute();
}

export interface NoticeRow {
  id: number;
  kind: string;
  actor: SecurityNoticesTable["actor"];
  actor_username: string | null;
  details: string;
  created_at: number;
  dismissed_at: number | null;
}

export interface NoticeFilter {
  include_dismissed?: boolean | undefined;
  before?: number | undefined;
}

/** Lists the user's notices, newest first. */
export function listNotices(db: Db, userId: number, filter: NoticeFilter, limit: number): Promise<NoticeRow[]> {
  let query = db
    .selectFrom("security_notices as notice")
    .leftJoin("users as actor", "actor.id", "notice.actor_id")
    .select(["notice.id", "notice.kind", "notice.actor", "notice.details", "notice.created_at", "notice.dismissed_at"])
    .select("actor.username as actor_username")
    .where("notice.user_id", "=", userId);
  if (filter.include_dismissed !== true) query = query.where("notice.dismissed_at", "is", null);
  if (filter.before !== undefined) query = query.where("notice.id", "<", filter.before);
  return query.orderBy("notice.id", "desc").limit(limit).execute();
}

/** Dismisses the user's notices up to and including that id. */
export async function dismissNotices(db: Db, userId: number, upTo: number, now: number): Promise<void> {
  await db
    .updateTable("security_notices")
    .set({ dismissed_at: now })
    .where("user_id", "=", userId)
    .where("id", "<=", upTo)
    .where("dismissed_at", "is", null)
    .execute();
}

/** Returns the verified owner of an agent; null when it has none. */
export async function verifiedOwner(db: Db, agentId: number): Promise<number | null> {
  const row = await db
    .selectFrom("agents")
    .select("owner_user_id")
    .where("id", "=", agentId)
    .where("owner_verified", "=", 1)
    .executeTakeFirst();
  return row?.owner_user_id ?? null;
}

export async function removeNotices(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("security_notices").where("user_id", "=", userId).execute();
}
