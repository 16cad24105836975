import {
  ChangeReminderBody,
  CreateReminderBody,
  ReminderParams,
  ReminderResponse,
  RemindersQuery,
  RemindersResponse,
} from "@parley/protocol/reminders";
import { type Route, route } from "../http/route.ts";
import { changeReminder, createReminder, deleteReminder, listReminders } from "./reminders.service.ts";

const INVALID = { remind_at: "invalid_remind_at" } as const;

/** Reminders of messages, for users only (protocol §13.16). */
export const reminderRoutes: readonly Route[] = [
  route({
    name: "createReminder",
    method: "POST",
    path: "/api/reminders",
    summary: "Be reminded of a message at a time, if you may still read it then.",
    tag: "Messages",
    auth: "session",
    documentedActs: "make reminder",
    idempotent: true,
    body: CreateReminderBody,
    invalid: INVALID,
    status: 201,
    answers: { 200: ReminderResponse, 201: ReminderResponse },
    errors: [
      "message_not_found",
      "channel_not_found",
      "password_required",
      "banned",
      "message_deleted",
      "invalid_remind_at",
      "reminder_limit_reached",
    ],
    handle: async ({ ctx, caller, body }) => ({ reminder: await createReminder(ctx, caller, body) }),
  }),
  route({
    name: "listReminders",
    method: "GET",
    path: "/api/reminders",
    summary: "List the caller's reminders, by their time.",
    tag: "Messages",
    auth: "session",
    documentedActs: "own reminders",
    query: RemindersQuery,
    answers: { 200: RemindersResponse },
    errors: [],
    handle: ({ ctx, caller, query }) => listReminders(ctx, caller, query),
  }),
  route({
    name: "changeReminder",
    method: "PUT",
    path: "/api/reminders/:reminder_id",
    summary: "Change the time or the note of a reminder that waits.",
    tag: "Messages",
    auth: "session",
    documentedActs: "change reminder",
    params: ReminderParams,
    body: ChangeReminderBody,
    invalid: INVALID,
    answers: { 200: ReminderResponse },
    errors: ["invalid_id", "reminder_not_found", "reminder_over", "no_fields", "invalid_remind_at"],
    handle: async ({ ctx, caller, params, body }) => ({
      reminder: await changeReminder(ctx, caller, params.reminder_id, body),
    }),
  }),
  route({
    name: "deleteReminder",
    method: "DELETE",
    path: "/api/reminders/:reminder_id",
    summary: "Delete a reminder, whether it waits or has ended.",
    tag: "Messages",
    auth: "session",
    documentedActs: "change reminder",
    params: ReminderParams,
    answers: { 200: ReminderResponse },
    errors: ["invalid_id", "reminder_not_found"],
    handle: async ({ ctx, caller, params }) => ({ reminder: await deleteReminder(ctx, caller, params.reminder_id) }),
  }),
];
