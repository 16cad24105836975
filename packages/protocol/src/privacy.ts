import { type Static, Type } from "typebox";
import { ChannelFacts, ChatMessage, Member } from "./models.ts";
import { X402_QUERY } from "./payments.ts";
import { HumanText, Id, model, Nullable, PinnedByAgent, response, Seq, Timestamp } from "./values.ts";

/** Replaces the name of a deleted account. Nobody can register it. */
export const DELETED_USER = "deleted-user";

/**
 * DELETE /api/user/:username. Always requires the caller's own password: a missing or wrong one is 403
 * `reauth_required`.
 */
export const DeleteUserBody = Type.Object({ password: Type.Optional(Type.String()) });
export type DeleteUserBody = Static<typeof DeleteUserBody>;

/** Response of DELETE /api/user/:username. */
export const DeleteUserResponse = response({ message: HumanText });
export type DeleteUserResponse = Static<typeof DeleteUserResponse>;

/** The version of both kinds of export. Raised for incompatible changes; fields may be added without. */
export const EXPORT_VERSION = 1;

const head = <F extends string>(format: F) => ({
  format: Type.Literal(format),
  version: Type.Literal(EXPORT_VERSION),
  exported_at: Timestamp,
});

/** The last field: a file without it was cut off. */
const complete = { complete: Type.Literal(true) };
const Rows = Type.Array(Type.Record(Type.String(), Type.Unknown()));
const Count = Type.Integer({ minimum: 0 });

/** Response of GET /api/user/:username/export: one document. */
export const UserExport = Type.Object({
  success: Type.Literal(true),
  ...head("parley-user-export"),
  user: Type.Record(Type.String(), Type.Unknown()),
  sessions: Rows,
  devices: Rows,
  identities: Rows,
  second_factors: Rows,
  passkeys: Rows,
  security_notices: Rows,
  blocks: Rows,
  preferences: Rows,
  notifications: Rows,
  push_subscriptions: Rows,
  webhooks: Rows,
  memberships: Rows,
  bans: Rows,
  agents: Rows,
  agent_notices: Rows,
  agent_sessions: Rows,
  social_accounts: Rows,
  stickers: Rows,
  files: Rows,
  reactions: Rows,
  poll_votes: Rows,
  threads: Rows,
  reports: Rows,
  red_packets: Rows,
  claims: Rows,
  payments: Rows,
  ledger: Rows,
  saved_messages: Rows,
  messages: Type.Array(ChatMessage),
  counts: Type.Record(Type.String(), Count),
  ...complete,
});
export type UserExport = Static<typeof UserExport>;

/** GET /api/channels/:channel_id/export. */
export const ChannelExportQuery = Type.Object({
  format: Type.Optional(Type.Enum(["jsonl", "json"], { description: "`jsonl` (one record per line) by default." })),
  ...X402_QUERY,
});
export type ChannelExportQuery = Static<typeof ChannelExportQuery>;

/** What the channel's limit of age, and `expires_in`, removed before the export (protocol §13.8). */
const Purged = Type.Object({
  removed_messages: Count,
  removed_before: Nullable(
    Type.String({ format: "date-time", description: "Older messages were removed for their age; null: none was." }),
  ),
});
const ExportedPin = Type.Object({
  message_id: Id,
  pinned_at: Nullable(Timestamp),
  pinned_by: Nullable(Type.String()),
  pinned_by_agent_id: PinnedByAgent,
});
const counts = Type.Object({ members: Count, pins: Count, messages: Count });

/**
 * One line of a channel's export. The lines are in this order: the channel, its members, its pins, its messages by
 * `seq`, the end.
 */
export const ChannelExportLine = model(
  "ChannelExportLine",
  "One line of a channel's export: `channel` first, then `member`s, `pin`s, `message`s in order of `seq`, and `end` last. A file without `end` was cut off.",
  {
    type: Type.Enum(["channel", "member", "pin", "message", "end"]),
    format: Type.Optional(Type.Literal("parley-channel-export")),
    version: Type.Optional(Type.Literal(EXPORT_VERSION)),
    exported_at: Type.Optional(Timestamp),
    retention: Type.Optional(Purged),
    channel: Type.Optional(ChannelFacts),
    member: Type.Optional(Member),
    pin: Type.Optional(ExportedPin),
    message: Type.Optional(ChatMessage),
    counts: Type.Optional(counts),
    last_seq: Type.Optional(Seq),
    complete: Type.Optional(Type.Literal(true)),
  },
);
export type ChannelExportLine = Static<typeof ChannelExportLine>;

/** The same as one document (`?format=json`). */
export const ChannelExport = Type.Object({
  success: Type.Literal(true),
  ...head("parley-channel-export"),
  retention: Purged,
  channel: ChannelFacts,
  members: Type.Array(Member),
  pins: Type.Array(ExportedPin),
  messages: Type.Array(ChatMessage),
  counts,
  last_seq: Seq,
  ...complete,
});
export type ChannelExport = Static<typeof ChannelExport>;
