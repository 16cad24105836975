import { type Static, Type } from "typebox";
import { REPORT_REASON_MAX } from "./limits.ts";
import { ChatMessage } from "./models.ts";
import { HumanText, Id, model, Nullable, response, Timestamp } from "./values.ts";

/** POST /api/messages/:messageId/report (protocol §4). The service rejects blank reasons. */
export const ReportMessageBody = Type.Object({ reason: Type.String({ minLength: 1, maxLength: REPORT_REASON_MAX }) });
export type ReportMessageBody = Static<typeof ReportMessageBody>;

/**
 * Answer of POST …/report: 201, or 200 with `deduplicated` while the user's earlier report of the message is open
 * (protocol §4).
 */
export const ReportMessageResponse = response({
  message: HumanText,
  report_id: Id,
  deduplicated: Type.Optional(Type.Boolean()),
});
export type ReportMessageResponse = Static<typeof ReportMessageResponse>;

/** The state of a report. */
export const ReportStatus = Type.Enum(["open", "resolved", "dismissed"]);
export type ReportStatus = Static<typeof ReportStatus>;

/** A complaint about a message, as moderators see it (protocol §4). */
export const Report = model("Report", "A report of a message, with the message as it was when it was reported.", {
  report_id: Id,
  status: ReportStatus,
  reason: Type.String(),
  reporter_username: Type.String(),
  message_id: Id,
  channel_id: Id,
  chat_message: ChatMessage,
  created_at: Timestamp,
  handled_by: Nullable(Type.String()),
  handled_at: Nullable(Timestamp),
  note: Nullable(Type.String({ description: "The moderator's note." })),
});
export type Report = Static<typeof Report>;
