import type { Insertable, Selectable, Updateable } from "kysely";
import type { Db } from "../db/db.ts";
import { lockRows } from "../db/dialect.ts";
import { PaddedStatement } from "../db/statements/padded-statement.ts";
import type { RemindersTable } from "../db/tables/reminders.ts";
import type { PageAfter } from "../user-export.ts";

export type ReminderRow = Selectable<RemindersTable>;

/** A reminder with what its user may see of the message now. */
export interface ShownRow extends ReminderRow {
  /** 1: the user may read the message now; else the rest must not be shown. */
  readable: number;
  slug: string | null;
  content: string | null;
  mentions: string | null;
  sender_type: "user" | "agent" | "system" | null;
  webhook_id: number | null;
  sender_name: string | null;
}

/** As the list of notifications decides: a member, or anybody in an open channel who is not banned from it. */
const shown = (db: Db, now: number) =>
  db
    .selectFrom("reminders as r")
    .leftJoin("messages as m", "m.id", "r.message_id")
    .leftJoin("channels as c", "c.id", "m.channel_id")
    .leftJoin("channel_members as mine", (join) =>
      join.onRef("mine.channel_id", "=", "m.channel_id").onRef("mine.user_id", "=", "r.user_id"),
    )
    .selectAll("r")
    .select(["c.slug", "m.content", "m.mentions", "m.sender_type", "m.webhook_id", "m.sender_name"])
    .select((eb) => {
      const isBanned = eb.exists(
        eb
          .selectFrom("channel_bans as ban")
          .select("ban.channel_id")
          .whereRef("ban.channel_id", "=", "m.channel_id")
          .whereRef("ban.user_id", "=", "r.user_id")
          .where((ban) => ban.or([ban("ban.until", "is", null), ban("ban.until", ">", now)])),
      );
      const isOpen = eb.and([eb("c.is_private", "=", 0), eb("c.price", "is", null), eb.not(isBanned)]);
      const isThere = eb.and([
        eb("m.id", "is not", null),
        eb("m.deleted_at", "is", null),
        eb.or([eb("m.expires_at", "is", null), eb("m.expires_at", ">", now)]),
        eb("c.deleted_at", "is", null),
      ]);
      const mayRead = eb.and([isThere, eb.or([eb("mine.user_id", "is not", null), isOpen])]);
      return eb.case().when(mayRead).then(eb.lit(1)).else(eb.lit(0)).end().as("readable");
    });

const BY_ID = new PaddedStatement<ShownRow, { now: number }>((db, ids, of) =>
  shown(db, of.now).where("r.id", "in", ids).orderBy("r.id"),
);

/** Returns these reminders with what their users may see. */
export const shownReminders = (db: Db, ids: readonly number[], now: number): Promise<ShownRow[]> =>
  BY_ID.all(db, ids, { now });

/** Returns a user's reminders of a status, or all, by their time; the newest first of those that are over. */
export function listReminders(
  db: Db,
  { userId, status, now }: { userId: number; status: ReminderRow["status"] | undefined; now: number },
  { limit, offset }: { limit: number; offset: number },
): Promise<ShownRow[]> {
  let query = shown(db, now).where("r.user_id", "=", userId);
  if (status !== undefined) query = query.where("r.status", "=", status);
  const order = status === "done" || status === "ended" ? "desc" : "asc";
  return query.orderBy("r.remind_at", order).orderBy("r.id", order).limit(limit).offset(offset).execute();
}

export async function insertReminder(db: Db, row: Insertable<RemindersTable>): Promise<number> {
  return (await db.insertInto("reminders").values(row).returning("id").executeTakeFirstOrThrow()).id;
}

export async function countWaiting(db: Db, userId: number): Promise<number> {
  const row = await db
    .selectFrom("reminders")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("user_id", "=", userId)
    .where("ended_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

/** Returns a user's reminder and locks its row until the transaction ends. */
export async function lockReminder(db: Db, userId: number, id: number): Promise<ReminderRow | undefined> {
  const query = db.selectFrom("reminders").selectAll().where("id", "=", id).where("user_id", "=", userId);
  return lockRows(db, query).executeTakeFirst();
}

export async function changeReminder(db: Db, id: number, change: Updateable<RemindersTable>): Promise<void> {
  await db.updateTable("reminders").set(change).where("id", "=", id).execute();
}

export async function deleteReminder(db: Db, id: number): Promise<void> {
  await db.deleteFrom("reminders").where("id", "=", id).execute();
}

/** Returns the ids of reminders that are due, the oldest first. */
export async function dueReminders(db: Db, now: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom("reminders")
    .select("id")
    .where("ended_at", "is", null)
    .where("remind_at", "<=", now)
    .orderBy("remind_at")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Locks those of the reminders that still wait and are due, until the transaction ends; returns their ids. */
export async function lockDue(db: Db, ids: readonly number[], now: number): Promise<number[]> {
  const due = db
    .selectFrom("reminders")
    .select("id")
    .where("id", "in", ids)
    .where("ended_at", "is", null)
    .where("remind_at", "<=", now)
    .orderBy("id");
  return (await lockRows(db, due).execute()).map(({ id }) => id);
}

export async function endReminders(
  db: Db,
  ids: readonly number[],
  ending: Pick<ReminderRow, "status" | "ended_at">,
): Promise<void> {
  if (ids.length > 0) await db.updateTable("reminders").set(ending).where("id", "in", ids).execute();
}

/** Deletes reminders that ended before a time. */
export async function forgetEnded(db: Db, before: number, limit: number): Promise<void> {
  await db
    .deleteFrom("reminders")
    .where("id", "in", (eb) => eb.selectFrom("reminders").select("id").where("ended_at", "<", before).limit(limit))
    .execute();
}

export async function deleteOfUser(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("reminders").where("user_id", "=", userId).execute();
}

/** Returns a page of a user's reminders, for the copy of their data. */
export function remindersOf(db: Db, { userId, last, limit }: PageAfter<ReminderRow>): Promise<ReminderRow[]> {
  return db
    .selectFrom("reminders")
    .selectAll()
    .where("user_id", "=", userId)
    .where("id", ">", last?.id ?? 0)
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Ends the reminders that were due at a time as `done`. Returns them, the oldest first. */
export async function endUntil(db: Db, until: number, now: number) {
  const ended = await db
    .updateTable("reminders")
    .set({ status: "done", ended_at: now })
    .where("status", "=", "waiting")
    .where("remind_at", "<=", until)
    .returning(["id", "user_id", "remind_at"])
    .execute();
  return ended.toSorted((one, other) => one.remind_at - other.remind_at || one.id - other.id);
}
