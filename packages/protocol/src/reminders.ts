import { type Static, Type } from "typebox";
import { PageQuery } from "./channels.ts";
import { NOTIFICATION_TEXT_MAX, REMINDER_NOTE_MAX } from "./limits.ts";
import { ActorKind, Id, model, Nullable, response, Timestamp } from "./values.ts";

/** How far ahead a reminder can be, in seconds. */
export const REMINDER_SECONDS_MIN = 10;
export const REMINDER_SECONDS_MAX = 365 * 86_400;
/** Reminders of one user that wait at once. */
export const REMINDERS_PER_USER = 100;
/** Days for which a reminder that has ended stays in the list. */
export const REMINDERS_KEPT_DAYS = 30;

export const ReminderStatus = Type.Enum(["waiting", "done", "ended", "cancelled"], {
  description:
    "`done`: the user was reminded. `ended`: when it was due, the user could not read the message any more. `cancelled`: only in the answer and the event of a deletion.",
});
export type ReminderStatus = Static<typeof ReminderStatus>;

/** A message of which the server reminds a user later (protocol §13.16). */
export const Reminder = model("Reminder", "A reminder of a message.", {
  reminder_id: Id,
  message_id: Id,
  channel_id: Id,
  channel_slug: Nullable(Type.String({ description: "null: the user may not read the message now." })),
  note: Nullable(Type.String({ description: "The user's own words; nobody else sees them." })),
  remind_at: Timestamp,
  status: ReminderStatus,
  from: Nullable(
    Type.Object(
      { kind: Type.Enum([...ActorKind.enum, "webhook"]), name: Type.String() },
      { description: "Who wrote the message; null as for `channel_slug`, and for messages of the system." },
    ),
  ),
  text: Nullable(
    Type.String({
      maxLength: 2 * NOTIFICATION_TEXT_MAX,
      description: `The beginning of the message as it is now: at most ${NOTIFICATION_TEXT_MAX} plain characters; null as for \`channel_slug\`.`,
    }),
  ),
  created_at: Timestamp,
});
export type Reminder = Static<typeof Reminder>;

const RemindAt = Type.String({
  ...Timestamp,
  description: "When the user is reminded: from 10 seconds to 365 days ahead.",
});

const Note = Nullable(
  Type.String({ maxLength: REMINDER_NOTE_MAX, description: "The user's own words, on one line; empty: none." }),
);

/** POST /api/reminders (protocol §13.16). */
export const CreateReminderBody = Type.Object({ message_id: Id, remind_at: RemindAt, note: Type.Optional(Note) });
export type CreateReminderBody = Static<typeof CreateReminderBody>;

/** PUT /api/reminders/:reminder_id: what changes (protocol §13.16). */
export const ChangeReminderBody = Type.Object({ remind_at: Type.Optional(RemindAt), note: Type.Optional(Note) });
export type ChangeReminderBody = Static<typeof ChangeReminderBody>;

/** /api/reminders/:reminder_id. */
export const ReminderParams = Type.Object({ reminder_id: Id });

/** GET /api/reminders (protocol §13.16). */
export const RemindersQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(Type.Enum(["waiting", "done", "ended"])),
});
export type RemindersQuery = Static<typeof RemindersQuery>;

/** Response of POST, PUT and DELETE (protocol §13.16). */
export const ReminderResponse = response({ reminder: Reminder, deduplicated: Type.Optional(Type.Boolean()) });
export type ReminderResponse = Static<typeof ReminderResponse>;

/** Response of GET, by their time; with the status `done` or `ended` the newest first (protocol §13.16). */
export const RemindersResponse = response({
  reminders: Type.Array(Reminder),
  has_more: Type.Boolean(),
  next_offset: Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  limit: Type.Integer({ minimum: 1 }),
});
export type RemindersResponse = Static<typeof RemindersResponse>;

/** The events of reminders, a part of `EVENTS` (events.ts). */
export const REMINDER_EVENTS = {
  "reminder:update": {
    summary:
      "A reminder of the user was made, changed or deleted, is done or has ended. Sent to all sockets of the user.",
    data: Type.Object({ reminder: Reminder }),
    durable: false,
  },
} as const;
