import type { CloseReportBody } from "@parley/protocol/administration";
import type { Report } from "@parley/protocol/reports";
import { audit } from "../audit/audit.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import type { UserIdentity } from "../http/identity.ts";
import { closeReport } from "../messages/reports/reports.service.ts";

/** Closes a report and logs who closed it. Errors: `report_not_found`, `report_closed`. */
export function decideReport(
  ctx: AppContext,
  caller: UserIdentity,
  id: number,
  { status, note }: CloseReportBody,
): Promise<Report> {
  return transact(ctx, async (ctx) => {
    const report = await closeReport(ctx, id, { status, note }, caller);
    await audit(ctx, caller, "report_close", `report:${id}`, { status, message_id: report.message_id });
    return report;
  });
}
