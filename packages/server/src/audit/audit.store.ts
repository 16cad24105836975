import type { Insertable, Selectable } from "kysely";
import type { Db } from "../db/db.ts";
import type { AuditLogTable } from "../db/tables/tables.ts";

export type AuditRow = Selectable<AuditLogTable>;

export async function insertAudit(db: Db, line: Omit<Insertable<AuditLogTable>, "id">): Promise<void> {
  await db.insertInto("audit_log").values(line).execute();
}

/** Filters of the log; a line must match all of them. */
export interface AuditFilter {
  /** A username, case-insensitive. */
  actor?: string | undefined;
  action?: string | undefined;
  subject?: string | undefined;
  /** Only lines older than this one. */
  before?: number | undefined;
}

/** Returns the current names of these users and channels. */
export async function subjectNames(
  db: Db,
  userIds: readonly number[],
  channelIds: readonly number[],
): Promise<Map<string, string>> {
  const users =
    userIds.length === 0
      ? []
      : await db.selectFrom("users").select(["id", "username"]).where("id", "in", userIds).execute();
  const channels =
    channelIds.length === 0
      ? []
      : await db.selectFrom("channels").select(["id", "slug"]).where("id", "in", channelIds).execute();
  return new Map([
    ...users.map(({ id, username }) => [`user:${id}`, username] as const),
    ...channels.map(({ id, slug }) => [`channel:${id}`, slug] as const),
  ]);
}

/** Lists matching lines, newest first. */
export function listAudit(db: Db, filter: AuditFilter, limit: number): Promise<AuditRow[]> {
  let query = db.selectFrom("audit_log").selectAll().orderBy("id", "desc").limit(limit);
  if (filter.actor !== undefined) {
    query = query.where((eb) => eb(eb.fn<string>("lower", ["actor"]), "=", (filter.actor ?? "").toLowerCase()));
  }
  if (filter.action !== undefined) query = query.where("action", "=", filter.action);
  if (filter.subject !== undefined) query = query.where("subject", "=", filter.subject);
  if (filter.before !== undefined) query = query.where("id", "<", filter.before);
  return query.execute();
}
