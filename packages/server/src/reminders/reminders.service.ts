import { REMINDER_NOTE_MAX } from "@parley/protocol/limits";
import type {
  ChangeReminderBody,
  CreateReminderBody,
  Reminder,
  ReminderStatus,
  RemindersQuery,
  RemindersResponse,
} from "@parley/protocol/reminders";
import { REMINDER_SECONDS_MAX, REMINDER_SECONDS_MIN, REMINDERS_PER_USER } from "@parley/protocol/reminders";
import { lockAccount } from "../accounts/erase/erase.ts";
import { oneLine, optionalText } from "../base/visible-text.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import type { UserIdentity } from "../http/identity.ts";
import { pageByOffset } from "../http/pages.ts";
import { storedMessage } from "../messages/message-hooks.ts";
import { readableMessage } from "../messages/messages.service.ts";
import { publishEvent } from "../realtime/publish.ts";
import { userTopic } from "../realtime/topics.ts";
import { reminderRecord } from "./reminder-record.ts";
import * as store from "./reminders.store.ts";

/**
 * Stores a reminder of a message that the caller may read (protocol §13.16). Errors: those of `readableMessage`,
 * `message_deleted`, `invalid_remind_at`, `reminder_limit_reached`.
 */
export async function createReminder(
  ctx: AppContext,
  caller: UserIdentity,
  { message_id, remind_at, note }: CreateReminderBody,
): Promise<Reminder> {
  const at = timeIn(ctx, remind_at);
  const { channel } = await readableMessage(ctx, caller, message_id);
  return transact(ctx, async (ctx) => {
    // Serializes what one user asks for.
    if (!(await lockAccount(ctx, caller.userId))) throw fail("session_required");
    const message = await storedMessage(ctx, message_id);
    if (message === undefined) throw fail("message_not_found");
    if (message.deleted_at !== null) throw fail("message_deleted");
    if ((await store.countWaiting(ctx.db, caller.userId)) >= REMINDERS_PER_USER) throw fail("reminder_limit_reached");
    const id = await store.insertReminder(ctx.db, {
      user_id: caller.userId,
      message_id,
      channel_id: channel.id,
      note: noteOf(note),
      remind_at: at,
      status: "waiting",
      created_at: ctx.clock.now(),
    });
    return tellOne(ctx, id);
  });
}

/**
 * Changes the time or the note of a reminder that waits. Errors: `no_fields`, `reminder_not_found`, `reminder_over`,
 * `invalid_remind_at`.
 */
export function changeReminder(
  ctx: AppContext,
  caller: UserIdentity,
  id: number,
  { remind_at, note }: ChangeReminderBody,
): Promise<Reminder> {
  if (remind_at === undefined && note === undefined) throw fail("no_fields");
  const at = remind_at === undefined ? undefined : timeIn(ctx, remind_at);
  return transact(ctx, async (ctx) => {
    const row = await ownReminder(ctx, caller, id);
    if (row.status !== "waiting") throw fail("reminder_over");
    await store.changeReminder(ctx.db, id, {
      ...(at === undefined ? {} : { remind_at: at }),
      ...(note === undefined ? {} : { note: noteOf(note) }),
    });
    return tellOne(ctx, id);
  });
}

/** Deletes a reminder, whether it waits or has ended. Errors: `reminder_not_found`. */
export function deleteReminder(ctx: AppContext, caller: UserIdentity, id: number): Promise<Reminder> {
  return transact(ctx, async (ctx) => {
    await ownReminder(ctx, caller, id);
    const reminder = await tellOne(ctx, id, "cancelled");
    await store.deleteReminder(ctx.db, id);
    return reminder;
  });
}

/** Lists the caller's reminders, by their time; the newest first if only those are asked for that are over. */
export async function listReminders(
  ctx: AppContext,
  { userId }: UserIdentity,
  query: RemindersQuery,
): Promise<Omit<RemindersResponse, "success">> {
  const now = ctx.clock.now();
  const { shown, ...page } = await pageByOffset(query, (page) =>
    store.listReminders(ctx.db, { userId, status: query.status, now }, page),
  );
  return { reminders: shown.map((row) => reminderRecord(row)), ...page };
}

/** Returns the caller's reminder, and locks its row. */
async function ownReminder(ctx: AppContext, { userId }: UserIdentity, id: number): Promise<store.ReminderRow> {
  const row = await store.lockReminder(ctx.db, userId, id);
  if (row === undefined) throw fail("reminder_not_found");
  return row;
}

async function tellOne(ctx: AppContext, id: number, status?: ReminderStatus): Promise<Reminder> {
  const [row] = await store.shownReminders(ctx.db, [id], ctx.clock.now());
  if (row === undefined) throw fail("reminder_not_found");
  return tell(ctx, row, status);
}

/** Returns the record of a reminder that has changed, and tells the user's sockets of it. Call it inside `transact`. */
export function tell(ctx: AppContext, row: store.ShownRow, status?: ReminderStatus): Reminder {
  const reminder = reminderRecord(row, status);
  publishEvent(ctx, userTopic(row.user_id), "reminder:update", { reminder });
  return reminder;
}

/** Returns a note on one line; null: none. It is counted in code points. Errors: `invalid_request`. */
function noteOf(note: string | null | undefined): string | null {
  const text = optionalText(note);
  if (text === null) return null;
  const line = oneLine(text);
  if ([...line].length > REMINDER_NOTE_MAX)
    throw fail("invalid_request", { details: [{ path: "note", message: `at most ${REMINDER_NOTE_MAX} characters` }] });
  return line;
}

function timeIn(ctx: AppContext, text: string): number {
  const at = Date.parse(text);
  const ahead = at - ctx.clock.now();
  if (!(ahead >= REMINDER_SECONDS_MIN * 1_000 && ahead <= REMINDER_SECONDS_MAX * 1_000))
    throw fail("invalid_remind_at");
  return at;
}
