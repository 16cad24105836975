import type { Db } from "../db/db.ts";

export interface StoredReport {
  id: number;
  author_id: number | null;
  snapshot: string;
  handled_by: string | null;
}

/** Returns the reports above `after`, in order. */
export function reportsAfter(db: Db, after: number, limit: number): Promise<StoredReport[]> {
  return db
    .selectFrom("reports")
    .select(["id", "author_id", "snapshot", "handled_by"])
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
}

export async function rewriteReport(
  db: Db,
  { id, snapshot, handled_by }: Omit<StoredReport, "author_id">,
): Promise<void> {
  await db.updateTable("reports").set({ snapshot, handled_by }).where("id", "=", id).execute();
}

/** Clears the reasons of the user's reports. */
export async function blankReasons(db: Db, reporterId: number): Promise<void> {
  await db.updateTable("reports").set({ reason: "" }).where("reporter_id", "=", reporterId).execute();
}
