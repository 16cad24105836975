import type { CloseReportBody } from "@parley/protocol/administration";
import type { EventData } from "@parley/protocol/events";
import type { ChatMessage } from "@parley/protocol/models";
import type { Report, ReportStatus } from "@parley/protocol/moderation";
import { noticesRead, notify } from "../accounts/notices.ts";
import { audit } from "../audit/audit.ts";
import { isoTime, isoTimeOrNull } from "../base/iso-time.ts";
import { isBlank, optionalText } from "../base/visible-text.ts";
import { findChannel } from "../channels/channel-cache.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import { type MessageRow, recordJson } from "../event-log/message-json.ts";
import type { UserIdentity } from "../http/identity.ts";
import { type BeforePage, pageBefore } from "../http/pages.ts";
import { readableMessage } from "../messages/messages.service.ts";
import { publishEvent } from "../realtime/publish.ts";
import { userTopic } from "../realtime/topics.ts";
import {
  closeOpenReport,
  countOpenReports,
  findOpenReport,
  findReport,
  hasOpenReport,
  insertReport,
  type ReportRow,
  reportsBefore,
  staffToTell,
} from "./reports.store.ts";

/**
 * Reports a message to the moderators, with a copy of its current state, and notifies them. While the reporter's first report is open, a
 * second one returns the first. Errors: `message_not_found`, `password_required`, `message_deleted`, `invalid_request`
 * (a blank reason).
 */
export async function reportMessage(
  ctx: AppContext,
  caller: UserIdentity,
  messageId: number,
  text: string,
): Promise<{ reportId: number; deduplicated: boolean }> {
  const reason = text.trim();
  if (isBlank(reason)) throw fail("invalid_request", { details: [{ path: "reason", message: "must not be blank" }] });
  const { row, channel } = await readableMessage(ctx, caller, messageId);
  if (row.deleted_at !== null) throw fail("message_deleted");
  return transact(ctx, async (ctx) => {
    const reportId = await insertReport(ctx.db, {
      message_id: row.id,
      channel_id: row.channel_id,
      author_id: row.user_id,
      reporter_id: caller.userId,
      reason,
      snapshot: recordJson(row, channel.slug),
      created_at: ctx.clock.now(),
    });
    if (reportId !== null) {
      await tellStaff(ctx, caller, row);
      await publishChange(ctx, { report_id: reportId, status: "open" }, row);
      return { reportId, deduplicated: false };
    }
    const first = await findOpenReport(ctx.db, row.id, caller.userId);
    // Closed between the two statements: a retry opens a new report.
    if (first === null) throw fail("overloaded", { retryAfter: 1 });
    return { reportId: first, deduplicated: true };
  });
}

/** Tells the staff of a report, without the names in it: not everybody who reads a notice on a phone may know the channel. */
async function tellStaff(ctx: AppContext, caller: UserIdentity, row: MessageRow): Promise<void> {
  const about = { reporter: caller.userId, author: row.user_id, agent: row.agent_id };
  for (const userId of await staffToTell(ctx.db, about, ctx.clock.now())) {
    await notify(ctx, userId, { code: "message_reported", messageId: row.id });
  }
}

/**
 * Tells the pages of the staff that a report was made or closed, so that they count again. The reported person gets
 * nothing.
 */
async function publishChange(
  ctx: AppContext,
  change: EventData<"reports:update">,
  { user_id, agent_id }: Pick<MessageRow, "user_id" | "agent_id">,
): Promise<void> {
  const about = { reporter: 0, author: user_id, agent: agent_id };
  for (const userId of await staffToTell(ctx.db, about, ctx.clock.now())) {
    publishEvent(ctx, userTopic(userId), "reports:update", change);
  }
}

export interface ReportsPage extends BeforePage {
  reports: Report[];
  open_count: number;
}

/**
 * Returns a page of the reports, newest first, optionally of one status, without those of the reader's own messages. The
 * caller checks the rights.
 */
export async function listReports(
  ctx: AppContext,
  { userId }: Pick<UserIdentity, "userId">,
  query: { status?: ReportStatus | undefined; limit?: number | undefined; before?: number | undefined },
): Promise<ReportsPage> {
  const { shown, ...rest } = await pageBefore(query.limit, (limit) =>
    reportsBefore(ctx.db, userId, query.status, query.before, limit),
  );
  return { reports: shown.map(reportRecord), open_count: await countOpenReports(ctx.db, userId), ...rest };
}

/**
 * Closes an open report, once, and logs who did. The notices of the staff are read when no other report of the message is
 * open. The caller checks the rights. Errors: `report_not_found` (also for the reported person), `report_closed`.
 */
export function closeReport(
  ctx: AppContext,
  by: UserIdentity,
  id: number,
  { status, note }: CloseReportBody,
): Promise<Report> {
  return transact(ctx, async (ctx) => {
    if ((await findReport(ctx.db, id, by.userId)) === undefined) throw fail("report_not_found");
    const change = { status, handled_by: by.username, handled_at: ctx.clock.now(), note: optionalText(note) };
    const isClosed = await closeOpenReport(ctx.db, id, change);
    const row = await findReport(ctx.db, id, by.userId);
    if (row === undefined) throw fail("report_not_found");
    if (!isClosed) throw fail("report_closed");
    const channel = await findChannel(ctx, { id: row.channel_id });
    await notify(ctx, row.reporter_id, {
      code: "report_decided",
      channel: channel ?? undefined,
      messageId: row.message_id,
      detail: status,
      by,
    });
    await settle(ctx, row);
    await audit(ctx, by, "report_close", `report:${id}`, { status, message_id: row.message_id });
    return reportRecord(row);
  });
}

/** Ends what told the staff of a report that is closed now. */
async function settle(ctx: AppContext, row: ReportRow): Promise<void> {
  const { agent_id } = JSON.parse(row.snapshot) as ChatMessage;
  await publishChange(ctx, { report_id: row.id, status: row.status }, { user_id: row.author_id, agent_id });
  if (await hasOpenReport(ctx.db, row.message_id)) return;
  const everybody = { reporter: 0, author: 0, agent: 0 };
  for (const userId of await staffToTell(ctx.db, everybody, ctx.clock.now())) {
    await noticesRead(ctx, userId, "message_reported", row.message_id);
  }
}

function reportRecord(row: ReportRow): Report {
  return {
    report_id: row.id,
    status: row.status,
    reason: row.reason,
    reporter_username: row.reporter_username,
    message_id: row.message_id,
    channel_id: row.channel_id,
    chat_message: JSON.parse(row.snapshot) as ChatMessage,
    created_at: isoTime(row.created_at),
    handled_by: row.handled_by,
    handled_at: isoTimeOrNull(row.handled_at),
    note: row.note,
  };
}
