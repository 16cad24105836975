import { type Static, Type } from "typebox";
import { AgentName } from "./agents.ts";
import { channelRef, PageQuery, SlugRef } from "./channels.ts";
import { FILES_PER_MESSAGE } from "./limits.ts";
import { SendContent, sendFields } from "./messages.ts";
import { REMINDER_EVENTS } from "./reminders.ts";
import { Id, model, Nullable, response, Timestamp } from "./values.ts";

/** How far ahead a message can be scheduled, in seconds. */
export const SCHEDULED_SECONDS_MIN = 10;
export const SCHEDULED_SECONDS_MAX = 365 * 86_400;
/** Messages of one sender that wait at once. */
export const SCHEDULED_PER_SENDER = 100;
/** A message that could not be sent at its time is still sent so many seconds later, and then no more. */
export const SCHEDULED_LATE_SECONDS = 3_600;
/** Days for which a message that was sent, failed or was cancelled stays in the list. */
export const SCHEDULED_KEPT_DAYS = 30;

export const ScheduledStatus = Type.Enum(["waiting", "sent", "failed", "cancelled"]);
export type ScheduledStatus = Static<typeof ScheduledStatus>;

/** A message that the server sends later on behalf of its sender (protocol §13.6). */
export const ScheduledMessage = model("ScheduledMessage", "A message that is sent later.", {
  scheduled_id: Id,
  channel_id: Id,
  channel_slug: Nullable(Type.String({ description: "null: the channel is deleted." })),
  agent_name: Nullable(Type.String({ description: "The name under which an agent sends it; null for users." })),
  content: Type.String(),
  reply_to_id: Nullable(Id),
  thread_root_id: Nullable(Id),
  also_in_channel: Type.Boolean(),
  file_ids: Type.Array(Id),
  send_at: Timestamp,
  status: ScheduledStatus,
  failure: Nullable(
    Type.String({
      description:
        "Why it failed: the code of the error that the send had, or `missed`, if the server could not send it within an hour.",
    }),
  ),
  message_id: Nullable(Type.Integer({ ...Id, description: "The message that it became." })),
  created_at: Timestamp,
});
export type ScheduledMessage = Static<typeof ScheduledMessage>;

const SendAt = Type.String({
  ...Timestamp,
  description: "When it is sent: from 10 seconds to 365 days ahead.",
});

const FileIds = Type.Array(Id, {
  maxItems: FILES_PER_MESSAGE,
  uniqueItems: true,
  description: "Files of the sender that were not sent yet. They are kept until then.",
});

const { reply_to_id, thread_root_id, also_in_channel, link_previews } = sendFields;
const scheduledFields = {
  content: Type.Optional(SendContent),
  send_at: SendAt,
  reply_to_id,
  thread_root_id,
  also_in_channel,
  link_previews,
  file_ids: Type.Optional(FileIds),
};

/** POST /api/scheduled (protocol §13.6). */
export const ScheduleBody = Type.Object({ ...channelRef, ...scheduledFields });
export type ScheduleBody = Static<typeof ScheduleBody>;

/** POST /api/agenthub/scheduled (protocol §13.6). */
export const AgentScheduleBody = Type.Object({
  channel_slug: SlugRef,
  agent_name: Type.Optional(Nullable(AgentName)),
  ...scheduledFields,
});
export type AgentScheduleBody = Static<typeof AgentScheduleBody>;

/** PUT /api/scheduled/:scheduled_id: what changes (protocol §13.6). */
export const ChangeScheduledBody = Type.Object({
  content: Type.Optional(SendContent),
  send_at: Type.Optional(SendAt),
});
export type ChangeScheduledBody = Static<typeof ChangeScheduledBody>;

/** /api/scheduled/:scheduled_id. */
export const ScheduledParams = Type.Object({ scheduled_id: Id });

/** GET /api/scheduled (protocol §13.6). */
export const ScheduledQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(ScheduledStatus),
});
export type ScheduledQuery = Static<typeof ScheduledQuery>;

/** Response of POST, PUT and DELETE (protocol §13.6). */
export const ScheduledResponse = response({ scheduled: ScheduledMessage });
export type ScheduledResponse = Static<typeof ScheduledResponse>;

/** Response of GET, by the time of sending (protocol §13.6). */
export const ScheduledListResponse = response({
  scheduled: Type.Array(ScheduledMessage),
  has_more: Type.Boolean(),
  next_offset: Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  limit: Type.Integer({ minimum: 1 }),
});
export type ScheduledListResponse = Static<typeof ScheduledListResponse>;

/** The events of scheduled messages and of reminders, a part of `EVENTS` (events.ts). */
export const SCHEDULED_EVENTS = {
  "scheduled:update": {
    summary:
      "A message that the user has scheduled was made, changed, sent or cancelled, or has failed. Sent to all sockets of the user.",
    data: Type.Object({ scheduled: ScheduledMessage }),
    durable: false,
  },
  ...REMINDER_EVENTS,
} as const;
