import { DELETED_USER } from "@parley/protocol/privacy";
import type { Db } from "../db/db.ts";
import { type ErasedUser, type ErasingStep, withoutName } from "../erasure.ts";
import { type PageAfter, pagedList, withTimes } from "../user-export.ts";

const REPORTS = 200;

/** Clears the reasons the user wrote in reports. The reports stay, with their message copies. */
export const eraseReasons: ErasingStep = async (ctx, { userId }) => {
  await blankReasons(ctx.db, userId);
  return null;
};

/**
 * Replaces the user's name in moderators' copies of messages and as the handler of reports. The copies themselves stay.
 */
export const eraseReports: ErasingStep = async (ctx, user, { a: after }) => {
  const rows = await reportsAfter(ctx.db, after, REPORTS);
  for (const row of rows) {
    const snapshot = namelessCopy(row, user);
    const isHandler = row.handled_by === user.username;
    if (snapshot === null && !isHandler) continue;
    const handled_by = isHandler ? DELETED_USER : row.handled_by;
    await rewriteReport(ctx.db, { id: row.id, snapshot: snapshot ?? row.snapshot, handled_by });
  }
  const last = rows.at(-1);
  return last === undefined ? null : { a: last.id, b: 0 };
};

/**
 * Returns the copy without the name; null if it needs no change. For the user's own messages it also removes the
 * client's message key, as in the messages themselves.
 */
function namelessCopy({ author_id, snapshot }: StoredReport, { userId, username }: ErasedUser): string | null {
  const nameless = withoutName(snapshot, username);
  if (author_id !== userId) return nameless;
  return JSON.stringify({ ...(JSON.parse(nameless ?? snapshot) as object), client_msg_id: null });
}

interface StoredReport {
  id: number;
  author_id: number | null;
  snapshot: string;
  handled_by: string | null;
}

/** Returns the reports above `after`, in order. */
function reportsAfter(db: Db, after: number, limit: number): Promise<StoredReport[]> {
  return db
    .selectFrom("reports")
    .select(["id", "author_id", "snapshot", "handled_by"])
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
}

async function rewriteReport(db: Db, { id, snapshot, handled_by }: Omit<StoredReport, "author_id">): Promise<void> {
  await db.updateTable("reports").set({ snapshot, handled_by }).where("id", "=", id).execute();
}

/** Clears the reasons of the user's reports. */
async function blankReasons(db: Db, reporterId: number): Promise<void> {
  await db.updateTable("reports").set({ reason: "" }).where("reporter_id", "=", reporterId).execute();
}

interface ExportedReport {
  id: number;
  message_id: number;
  channel_id: number;
  reason: string;
  status: string;
  created_at: number;
}

function reportsOf(db: Db, { userId, last, limit }: PageAfter<ExportedReport>): Promise<ExportedReport[]> {
  return db
    .selectFrom("reports")
    .select(["id", "message_id", "channel_id", "reason", "status", "created_at"])
    .where("reporter_id", "=", userId)
    .where("id", ">", last?.id ?? 0)
    .orderBy("id")
    .limit(limit)
    .execute();
}

export const exportReports = pagedList(reportsOf, ({ id, ...row }) => ({ report_id: id, ...withTimes(row) }));
