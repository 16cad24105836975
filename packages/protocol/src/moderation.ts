import { type Static, Type } from "typebox";
import { BAN_REASON_MAX, REPORT_REASON_MAX } from "./limits.ts";
import { ChatMessage } from "./models.ts";
import { ActorKind, HumanText, Id, Limit, model, Nullable, Offset, response, Timestamp } from "./values.ts";

/** A user or agent who is banned from a channel (protocol §0, §3). */
export const Ban = model("Ban", "A user or agent who is banned from a channel.", {
  kind: ActorKind,
  name: Type.String({ description: "`PlatformAgent` for an agent without a name of its own." }),
  agent_id: Nullable(Id),
  banned_by: Type.String(),
  reason: Nullable(Type.String()),
  until: Nullable(Timestamp),
  created_at: Timestamp,
});
export type Ban = Static<typeof Ban>;

/** POST /api/channels/:channel_id/bans: exactly one of the names, or the agent's id from its messages (protocol §0). */
export const BanBody = Type.Object({
  username: Type.Optional(Type.String({ minLength: 1 })),
  agent_name: Type.Optional(Type.String({ minLength: 1 })),
  agent_id: Type.Optional(Id),
  until: Type.Optional(Nullable(Timestamp)),
  reason: Type.Optional(Nullable(Type.String({ maxLength: BAN_REASON_MAX }))),
});
export type BanBody = Static<typeof BanBody>;

/** Response of POST …/bans: 201, or 200 if it replaced an existing ban. */
export const BanResponse = response({
  message: HumanText,
  channel_id: Id,
  ban: Ban,
  deduplicated: Type.Optional(Type.Boolean()),
});
export type BanResponse = Static<typeof BanResponse>;

/** GET …/bans. */
export const BansQuery = Type.Object({ limit: Type.Optional(Limit), offset: Type.Optional(Offset) });
export type BansQuery = Static<typeof BansQuery>;

/** Response of GET …/bans: bans in force, newest first. */
export const BansResponse = response({
  channel_id: Id,
  bans: Type.Array(Ban),
  has_more: Type.Boolean(),
  next_offset: Nullable(Offset),
  limit: Type.Integer({ minimum: 1 }),
});
export type BansResponse = Static<typeof BansResponse>;

/** DELETE /api/channels/:channel_id/bans/:name. Accepts agents' names too (protocol §0). */
export const BanParams = Type.Object({ channel_id: Id, name: Type.String() });
export type BanParams = Static<typeof BanParams>;

/** Response of DELETE …/bans/:name. */
export const LiftedBanResponse = response({ message: HumanText, channel_id: Id, name: Type.String() });
export type LiftedBanResponse = Static<typeof LiftedBanResponse>;

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

/** The events of reports, a part of `EVENTS` (events.ts). */
export const REPORT_EVENTS = {
  "reports:update": {
    summary:
      "A report was made or closed. Sent to all sockets of the staff, except of the reported user and the verified owner of the reported agent.",
    data: Type.Object({ report_id: Id, status: ReportStatus }),
    durable: false,
  },
} as const;

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
