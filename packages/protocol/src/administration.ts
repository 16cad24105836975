import { type Static, Type } from "typebox";
import { CHANNEL_NAME_MAX, HOLD_REASON_MAX, REPORT_NOTE_MAX } from "./limits.ts";
import { AdminLevel, Channel } from "./models.ts";
import { Report, ReportStatus } from "./moderation.ts";
import { RetentionDays } from "./retention.ts";
import { HumanText, Id, Limit, model, Nullable, Offset, response, Seq, Timestamp } from "./values.ts";

const offsetPage = { has_more: Type.Boolean(), next_offset: Nullable(Offset), limit: Type.Integer({ minimum: 1 }) };
const idPage = { has_more: Type.Boolean(), next_before: Nullable(Id), limit: Type.Integer({ minimum: 1 }) };

/** A user as administrators see it (protocol §11). */
export const AdminUser = model("AdminUser", "A user as administrators see it.", {
  username: Type.String(),
  email: Nullable(Type.String()),
  admin_level: AdminLevel,
  suspended_until: Nullable(Timestamp),
  is_online: Type.Boolean(),
  created_at: Timestamp,
});
export type AdminUser = Static<typeof AdminUser>;

/** GET /api/admin/users. */
export const ListUsersQuery = Type.Object({
  prefix: Type.Optional(
    Type.String({ description: "The beginning of the username, or of a word of the display name, in any case." }),
  ),
  suspended: Type.Optional(Type.Boolean({ description: "true: only suspended users. false: only the others." })),
  admin: Type.Optional(Type.Boolean({ description: "true: only users with an admin_level. false: only the others." })),
  limit: Type.Optional(Limit),
  offset: Type.Optional(Offset),
});
export type ListUsersQuery = Static<typeof ListUsersQuery>;

/** Response of GET /api/admin/users, by username. */
export const ListUsersResponse = response({ users: Type.Array(AdminUser), ...offsetPage });
export type ListUsersResponse = Static<typeof ListUsersResponse>;

/** PUT /api/admin/users/:username (protocol §11). Level 3 is granted on the command line only. */
export const AdministerUserBody = Type.Object({
  admin_level: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 2 }))),
  suspended_until: Type.Optional(Nullable(Timestamp)),
});
export type AdministerUserBody = Static<typeof AdministerUserBody>;

/** Response of PUT /api/admin/users/:username. */
export const AdministerUserResponse = response({ message: HumanText, user: AdminUser });
export type AdministerUserResponse = Static<typeof AdministerUserResponse>;

/** POST /api/admin/users/:username/reset-link (protocol §13.0). */
export const ResetLinkBody = Type.Object({
  current_password: Type.Optional(
    Type.String({ description: "The caller's own. Required when the session is older than 10 minutes." }),
  ),
});
export type ResetLinkBody = Static<typeof ResetLinkBody>;

/** Response of POST /api/admin/users/:username/reset-link. The link is shown only once. */
export const ResetLinkResponse = response({ url: Type.String(), expires_at: Timestamp });
export type ResetLinkResponse = Static<typeof ResetLinkResponse>;

/** GET /api/admin/agents (protocol §11). The answer is that of GET /api/agents. */
export const AdminAgentsQuery = Type.Object({
  prefix: Type.Optional(Type.String({ description: "The beginning of the agent's or the owner's name, in any case." })),
  paused: Type.Optional(Type.Boolean({ description: "true: only paused agents. false: only the others." })),
  limit: Type.Optional(Limit),
  offset: Type.Optional(Offset),
});
export type AdminAgentsQuery = Static<typeof AdminAgentsQuery>;

/** A line of the audit log (protocol §1, §11). */
export const AuditRecord = model("AuditEntry", "An administrative act in the audit log.", {
  audit_id: Id,
  actor: Type.String({ description: "The username of the actor, or `command line`." }),
  action: Type.String({ description: "For example `message_delete`, `user_suspend` or `channel_restore`." }),
  subject: Type.String({ description: "The object of the act: `channel:<id>`, `user:<id>`, `message:<id>`, …" }),
  subject_name: Nullable(Type.String({ description: "The current name of the user or channel." })),
  details: Nullable(Type.Record(Type.String(), Type.Unknown())),
  created_at: Timestamp,
});
export type AuditRecord = Static<typeof AuditRecord>;

/** GET /api/admin/audit: from the newest entry on, filtered by the given fields. */
export const AuditQuery = Type.Object({
  actor: Type.Optional(Type.String()),
  action: Type.Optional(Type.String()),
  subject: Type.Optional(Type.String()),
  limit: Type.Optional(Limit),
  before: Type.Optional(Id),
});
export type AuditQuery = Static<typeof AuditQuery>;

/** Response of GET /api/admin/audit. */
export const AuditResponse = response({ entries: Type.Array(AuditRecord), ...idPage });
export type AuditResponse = Static<typeof AuditResponse>;

/** GET /api/admin/reports. */
export const ReportsQuery = Type.Object({
  status: Type.Optional(ReportStatus),
  limit: Type.Optional(Limit),
  before: Type.Optional(Id),
});
export type ReportsQuery = Static<typeof ReportsQuery>;

/** Response of GET /api/admin/reports, the newest first. */
export const ReportsResponse = response({
  reports: Type.Array(Report),
  open_count: Type.Integer({ minimum: 0, description: "How many reports are open, on all pages." }),
  ...idPage,
});
export type ReportsResponse = Static<typeof ReportsResponse>;

/** /api/admin/reports/:report_id */
export const ReportParams = Type.Object({ report_id: Id });
export type ReportParams = Static<typeof ReportParams>;

/** PUT /api/admin/reports/:report_id (protocol §11). */
export const CloseReportBody = Type.Object({
  status: Type.Enum(["resolved", "dismissed"]),
  note: Type.Optional(Nullable(Type.String({ maxLength: REPORT_NOTE_MAX }))),
});
export type CloseReportBody = Static<typeof CloseReportBody>;

/** Response of PUT /api/admin/reports/:report_id. */
export const CloseReportResponse = response({ message: HumanText, report: Report });
export type CloseReportResponse = Static<typeof CloseReportResponse>;

/** A channel as administrators see it. */
export const AdminChannel = model("AdminChannel", "A channel as administrators see it.", {
  id: Id,
  name: Type.String(),
  channel_slug: Type.String(),
  is_private: Type.Boolean(),
  owner_username: Type.String(),
  last_seq: Seq,
  created_at: Timestamp,
  deleted_at: Nullable(Timestamp),
  restorable_until: Nullable(Timestamp),
  effective_retention_days: Nullable(RetentionDays),
  held_until: Nullable(Timestamp),
  hold_reason: Nullable(Type.String({ description: "Why the channel is held. Only administrators see it." })),
});
export type AdminChannel = Static<typeof AdminChannel>;

/** GET /api/admin/channels. */
export const AdminChannelsQuery = Type.Object({
  deleted: Type.Optional(
    Type.Boolean({ description: "true: only deleted channels that can be restored. false: only the others." }),
  ),
  search: Type.Optional(
    Type.String({ maxLength: CHANNEL_NAME_MAX, description: "A part of the name, the slug or the owner's name." }),
  ),
  sort: Type.Optional(
    Type.Enum(["newest", "name", "messages"], {
      description: "`newest` (the default); `name`; `messages`: the highest `last_seq` first.",
    }),
  ),
  limit: Type.Optional(Limit),
  offset: Type.Optional(Offset),
});
export type AdminChannelsQuery = Static<typeof AdminChannelsQuery>;

/** Response of GET /api/admin/channels, in the order of the query. */
export const AdminChannelsResponse = response({ channels: Type.Array(AdminChannel), ...offsetPage });
export type AdminChannelsResponse = Static<typeof AdminChannelsResponse>;

/** PUT /api/admin/channels/:channel_id/hold (protocol §13.8). */
export const HoldChannelBody = Type.Object({
  until: Nullable(Type.String({ format: "date-time", description: "A time in the future; null ends the hold." })),
  reason: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: HOLD_REASON_MAX,
        description: "Why nothing may be deleted. Required with a time; only administrators see it.",
      }),
    ),
  ),
});
export type HoldChannelBody = Static<typeof HoldChannelBody>;

/** Response of PUT /api/admin/channels/:channel_id/hold. */
export const HoldChannelResponse = response({
  message: HumanText,
  channel_id: Id,
  held_until: Nullable(Timestamp),
  hold_reason: Nullable(Type.String()),
});
export type HoldChannelResponse = Static<typeof HoldChannelResponse>;

/** Response of POST /api/admin/channels/:channel_id/restore. The slug may differ from before. */
export const RestoreChannelResponse = response({ message: HumanText, channel_id: Id, channel: Channel });
export type RestoreChannelResponse = Static<typeof RestoreChannelResponse>;
