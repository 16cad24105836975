import {
  CloseReportBody,
  CloseReportResponse,
  ReportParams,
  ReportsQuery,
  ReportsResponse,
} from "@parley/protocol/administration";
import { MessageParams } from "@parley/protocol/messages";
import { ReportMessageBody, ReportMessageResponse } from "@parley/protocol/moderation";
import { ReadyJson, type Route, route } from "../http/route.ts";
import { MODERATOR, requireLevel } from "../http/site-levels.ts";
import { closeReport, listReports, reportMessage } from "./reports.service.ts";

export const reportRoutes: readonly Route[] = [
  route({
    name: "reportMessage",
    method: "POST",
    path: "/api/messages/:messageId/report",
    summary:
      "Report a message to the moderators, who see its current text. A repeat returns the same report while it is open.",
    tag: "Messages",
    auth: "session",
    documentedActs: "report message",
    params: MessageParams,
    body: ReportMessageBody,
    rates: [{ policy: "report", by: "identity" }],
    status: 201,
    answers: { 200: ReportMessageResponse, 201: ReportMessageResponse },
    errors: ["invalid_id", "message_not_found", "password_required", "banned", "message_deleted", "overloaded"],
    idempotent: true,
    async handle({ ctx, caller, params, body }) {
      const { reportId, deduplicated } = await reportMessage(ctx, caller, params.messageId, body.reason);
      const answer = {
        success: true,
        message: deduplicated ? "You have reported this message already." : "The moderators are notified.",
        report_id: reportId,
        ...(deduplicated ? { deduplicated } : {}),
      };
      return new ReadyJson(JSON.stringify(answer), deduplicated ? 200 : 201);
    },
  }),
  route({
    name: "listReports",
    method: "GET",
    path: "/api/admin/reports",
    summary: "Read the reports of messages",
    tag: "Administration",
    auth: "session",
    documentedActs: "handle reports",
    query: ReportsQuery,
    answers: { 200: ReportsResponse },
    errors: ["forbidden"],
    handle({ ctx, caller, query }) {
      requireLevel(caller, MODERATOR);
      return listReports(ctx, caller, query);
    },
  }),
  route({
    name: "closeReport",
    method: "PUT",
    path: "/api/admin/reports/:report_id",
    summary: "Close a report",
    tag: "Administration",
    auth: "session",
    documentedActs: "handle reports",
    params: ReportParams,
    body: CloseReportBody,
    answers: { 200: CloseReportResponse },
    errors: ["invalid_id", "forbidden", "report_not_found", "report_closed"],
    async handle({ ctx, caller, params, body }) {
      requireLevel(caller, MODERATOR);
      return { message: "The report is closed.", report: await closeReport(ctx, caller, params.report_id, body) };
    },
  }),
];
