import { type ExpressionBuilder, type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Db } from "../db/db.ts";
import { holdRows } from "../db/dialect.ts";
import type { ScheduledMessagesTable } from "../db/tables/scheduled.ts";
import type { Tables } from "../db/tables/tables.ts";
import type { PageAfter } from "../user-export.ts";

export type ScheduledRow = Selectable<ScheduledMessagesTable>;

/** The user or agent whose scheduled messages are read. */
export type SenderRef = { userId: number } | { agentId: number };

const ownedBy = (sender: SenderRef) =>
  "userId" in sender ? (["user_id", sender.userId] as const) : (["agent_id", sender.agentId] as const);

/** Stores a message; returns undefined if one with its `request_key` is stored already. */
export function insertScheduled(db: Db, row: Insertable<ScheduledMessagesTable>): Promise<ScheduledRow | undefined> {
  return db
    .insertInto("scheduled_messages")
    .values(row)
    .onConflict((conflict) => conflict.column("request_key").doNothing())
    .returningAll()
    .executeTakeFirst();
}

export function findByRequest(db: Db, requestKey: string): Promise<ScheduledRow | undefined> {
  return db.selectFrom("scheduled_messages").selectAll().where("request_key", "=", requestKey).executeTakeFirst();
}

export async function countWaiting(db: Db, sender: SenderRef): Promise<number> {
  const [column, id] = ownedBy(sender);
  const row = await db
    .selectFrom("scheduled_messages")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where(column, "=", id)
    .where("ended_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

/** Returns a sender's scheduled messages of a status, or of all, by the time of sending. `sending` counts as waiting. */
export function listScheduled(
  db: Db,
  sender: SenderRef,
  status: ScheduledRow["status"] | undefined,
  { limit, offset }: { limit: number; offset: number },
): Promise<ScheduledRow[]> {
  const [column, id] = ownedBy(sender);
  let query = db.selectFrom("scheduled_messages").selectAll().where(column, "=", id);
  if (status === "waiting") query = query.where("ended_at", "is", null);
  else if (status !== undefined) query = query.where("status", "=", status);
  return query.orderBy("send_at").orderBy("id").limit(limit).offset(offset).execute();
}

/** Returns a sender's message and holds its row until the transaction ends. */
export async function holdScheduled(db: Db, sender: SenderRef, id: number): Promise<ScheduledRow | undefined> {
  const [column, owner] = ownedBy(sender);
  const query = db.selectFrom("scheduled_messages").selectAll().where("id", "=", id).where(column, "=", owner);
  return holdRows(db, query).executeTakeFirst();
}

export async function changeScheduled(
  db: Db,
  id: number,
  change: Updateable<ScheduledMessagesTable>,
): Promise<ScheduledRow> {
  return db.updateTable("scheduled_messages").set(change).where("id", "=", id).returningAll().executeTakeFirstOrThrow();
}

/** Returns messages that are due, and those that a node began to send before `takenBefore` and did not finish. */
export function dueScheduled(
  db: Db,
  { now, takenBefore }: { now: number; takenBefore: number },
  limit: number,
): Promise<ScheduledRow[]> {
  return db
    .selectFrom("scheduled_messages")
    .selectAll()
    .where("ended_at", "is", null)
    .where("send_at", "<=", now)
    .where((eb) => eb.or([eb("retry_at", "is", null), eb("retry_at", "<=", now)]))
    .where((eb) => eb.or([eb("status", "=", "waiting"), eb("taken_at", "<", takenBefore)]))
    .orderBy("send_at")
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Takes a due message to send it. Returns false if it was changed, cancelled or taken since it was read. */
export async function takeScheduled(db: Db, row: ScheduledRow, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("scheduled_messages")
    .set({ status: "sending", taken_at: now })
    .where("id", "=", row.id)
    .where("status", "=", row.status)
    .where("send_at", "=", row.send_at)
    .where("content", "=", row.content)
    .where((eb) => (row.taken_at === null ? eb("taken_at", "is", null) : eb("taken_at", "=", row.taken_at)))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends a message that is being sent. Returns undefined if another node has ended it. */
export function endScheduled(
  db: Db,
  id: number,
  ending: Pick<ScheduledRow, "status" | "failure" | "message_id" | "ended_at">,
): Promise<ScheduledRow | undefined> {
  return db
    .updateTable("scheduled_messages")
    .set(ending)
    .where("id", "=", id)
    .where("ended_at", "is", null)
    .returningAll()
    .executeTakeFirst();
}

/** Gives a message back that could not be sent yet. It is due again at `retry_at`, so that it keeps no other one waiting. */
export async function releaseScheduled(db: Db, id: number, retry_at: number): Promise<void> {
  await db
    .updateTable("scheduled_messages")
    .set({ status: "waiting", taken_at: null, retry_at })
    .where("id", "=", id)
    .where("status", "=", "sending")
    .execute();
}

/** Deletes messages that ended before a time. */
export async function forgetEnded(db: Db, before: number, limit: number): Promise<void> {
  await db
    .deleteFrom("scheduled_messages")
    .where("id", "in", (eb) =>
      eb.selectFrom("scheduled_messages").select("id").where("ended_at", "<", before).limit(limit),
    )
    .execute();
}

/** Deletes what is scheduled for channels that were purged. */
export async function deleteOfPurged(db: Db): Promise<void> {
  await db
    .deleteFrom("scheduled_messages")
    .where("channel_id", "in", (eb) =>
      eb.selectFrom("channels").select("channels.id").where("channels.purged_at", "is not", null),
    )
    .execute();
}

export async function deleteOfUser(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("scheduled_messages").where("user_id", "=", userId).execute();
}

/** Deletes what the agents have scheduled of which the user is the verified owner. */
export async function deleteOfOwner(db: Db, userId: number): Promise<void> {
  await db
    .deleteFrom("scheduled_messages")
    .where("agent_id", "in", (eb) =>
      eb.selectFrom("agents").select("agents.id").where("owner_user_id", "=", userId).where("owner_verified", "=", 1),
    )
    .execute();
}

/** Returns a page of what a user has scheduled, for the copy of their data. */
export function scheduledOf(db: Db, { userId, last, limit }: PageAfter<ScheduledRow>): Promise<ScheduledRow[]> {
  return db
    .selectFrom("scheduled_messages")
    .selectAll()
    .where("user_id", "=", userId)
    .where("id", ">", last?.id ?? 0)
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Returns the messages that were due at a time and have not ended, with the slugs of their channels. */
export function dueUntil(db: Db, until: number) {
  return db
    .selectFrom("scheduled_messages as s")
    .leftJoin("channels", "channels.id", "s.channel_id")
    .select(["s.id", "s.user_id", "s.agent_id", "s.send_at", "channels.slug"])
    .where("s.ended_at", "is", null)
    .where("s.send_at", "<=", until)
    .orderBy("s.send_at")
    .orderBy("s.id")
    .execute();
}

/** Ends the messages that were due at a time as `missed`, but as `sent` those that the history has. */
export async function endDue(db: Db, until: number, now: number): Promise<void> {
  const posted = (eb: ExpressionBuilder<Tables, "scheduled_messages">) =>
    eb
      .selectFrom("messages as m")
      .select((of) => of.fn.min("m.id").as("id"))
      .where(
        "m.client_key",
        "=",
        sql<string>`case when scheduled_messages.user_id is null then 'a' else 'u' end
          || coalesce(scheduled_messages.user_id, scheduled_messages.agent_id) || ':scheduled-' || scheduled_messages.id`,
      );
  const due = (status: "sent" | "failed") =>
    db
      .updateTable("scheduled_messages")
      .set((eb) => ({
        status,
        failure: status === "failed" ? "missed" : null,
        message_id: status === "failed" ? null : posted(eb),
        ended_at: now,
      }))
      .where("ended_at", "is", null)
      .where("send_at", "<=", until);
  await due("sent")
    .where((eb) => eb(posted(eb), "is not", null))
    .execute();
  await due("failed").execute();
}
