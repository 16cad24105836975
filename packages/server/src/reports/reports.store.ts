import { type ExpressionBuilder, type Selectable, sql } from "kysely";
import type { Db } from "../db/db.ts";
import type { ReportsTable } from "../db/tables/reactions.ts";
import type { Tables } from "../db/tables/tables.ts";

/** A report with the reporter's name. */
export type ReportRow = Selectable<ReportsTable> & { reporter_username: string };
export type NewReport = Omit<Selectable<ReportsTable>, "id" | "status" | "handled_by" | "handled_at" | "note">;

/** Returns the id, or null if the reporter already has an open report of the message. */
export async function insertReport(db: Db, report: NewReport): Promise<number | null> {
  const row = await db
    .insertInto("reports")
    .values({ ...report, status: "open", handled_by: null, handled_at: null, note: null })
    .onConflict((conflict) =>
      // A literal: with a parameter here, neither database matches the partial index.
      conflict.columns(["message_id", "reporter_id"]).where("status", "=", sql.lit("open")).doNothing(),
    )
    .returning("id")
    .executeTakeFirst();
  return row?.id ?? null;
}

/**
 * Returns the staff whom a report concerns: all but the reporter, the reported user and the verified owner of the reported
 * agent.
 */
export async function staffToTell(
  db: Db,
  { reporter, author, agent }: { reporter: number; author: number | null; agent: number | null },
  now: number,
): Promise<number[]> {
  const owners = db
    .selectFrom("agents")
    .select("owner_user_id")
    .where("id", "=", agent ?? 0)
    .where("owner_verified", "=", 1)
    .where("owner_user_id", "is not", null);
  const rows = await db
    .selectFrom("users")
    .select("id")
    .where("admin_level", "is not", null)
    .where((eb) => eb.or([eb("suspended_until", "is", null), eb("suspended_until", "<=", now)]))
    .where("id", "not in", [reporter, author ?? 0])
    .where("id", "not in", owners)
    .orderBy("id")
    .execute();
  return rows.map(({ id }) => id);
}

export async function findOpenReport(db: Db, messageId: number, reporterId: number): Promise<number | null> {
  const row = await db
    .selectFrom("reports")
    .select("id")
    .where("message_id", "=", messageId)
    .where("reporter_id", "=", reporterId)
    .where("status", "=", "open")
    .executeTakeFirst();
  return row?.id ?? null;
}

/**
 * Excludes the reports of a user's own messages and of those of an agent whose verified owner they are: nobody learns who
 * reported them.
 */
const notOf = (userId: number) => (eb: ExpressionBuilder<Tables, "reports">) =>
  eb.and([
    eb.or([eb("reports.author_id", "is", null), eb("reports.author_id", "!=", userId)]),
    eb.not(
      eb.exists(
        eb
          .selectFrom("messages")
          .innerJoin("agents", "agents.id", "messages.agent_id")
          .select("messages.id")
          .whereRef("messages.id", "=", "reports.message_id")
          .where("agents.owner_user_id", "=", userId)
          .where("agents.owner_verified", "=", 1),
      ),
    ),
  ]);

/** Returns how many reports are open that this user may see. */
export async function countOpenReports(db: Db, readerId: number): Promise<number> {
  const row = await db
    .selectFrom("reports")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .where("status", "=", "open")
    .where(notOf(readerId))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** True if somebody's report of the message is open. */
export async function hasOpenReport(db: Db, messageId: number): Promise<boolean> {
  const row = await db
    .selectFrom("reports")
    .select("id")
    .where("message_id", "=", messageId)
    .where("status", "=", "open")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

const reportsWithNames = (db: Db) =>
  db
    .selectFrom("reports")
    .innerJoin("users", "users.id", "reports.reporter_id")
    .selectAll("reports")
    .select("users.username as reporter_username");

/** Returns reports before this id that a user may see, newest first. */
export function reportsBefore(
  db: Db,
  readerId: number,
  status: ReportRow["status"] | undefined,
  before: number | undefined,
  limit: number,
): Promise<ReportRow[]> {
  let query = reportsWithNames(db).where(notOf(readerId)).orderBy("reports.id", "desc").limit(limit);
  if (status !== undefined) query = query.where("reports.status", "=", status);
  if (before !== undefined) query = query.where("reports.id", "<", before);
  return query.execute();
}

/** Returns a report that a user may see. */
export function findReport(db: Db, id: number, readerId: number): Promise<ReportRow | undefined> {
  return reportsWithNames(db).where("reports.id", "=", id).where(notOf(readerId)).executeTakeFirst();
}

/** Returns false if the report is not open or does not exist. */
export async function closeOpenReport(
  db: Db,
  id: number,
  change: Pick<ReportRow, "status" | "handled_by" | "handled_at" | "note">,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("reports")
    .set(change)
    .where("id", "=", id)
    .where("status", "=", "open")
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
