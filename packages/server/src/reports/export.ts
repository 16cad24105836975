import type { Db } from "../db/db.ts";
import { type PageAfter, pagedList, withTimes } from "../user-export.ts";

interface ExportedReport {
  id: number;
  message_id: number;
  channel_id: number;
  reason: string;
  status: string;
  created_at: number;
}

function reportsAfter(db: Db, { userId, last, limit }: PageAfter<ExportedReport>): Promise<ExportedReport[]> {
  return db
    .selectFrom("reports")
    .select(["id", "message_id", "channel_id", "reason", "status", "created_at"])
    .where("reporter_id", "=", userId)
    .where("id", ">", last?.id ?? 0)
    .orderBy("id")
    .limit(limit)
    .execute();
}

export const exportReports = pagedList(reportsAfter, ({ id, ...row }) => ({ report_id: id, ...withTimes(row) }));
