import { type Insertable, type Selectable, sql } from "kysely";
import type { Db } from "../../db/db.ts";
import { PaddedStatement } from "../../db/statements/padded-statement.ts";
import { SizedStatement } from "../../db/statements/sized-statement.ts";
import type { PushQueueTable, PushSubscriptionsTable } from "../../db/tables/notifications.ts";

type Row = Selectable<PushQueueTable>;

type Subscription = Pick<Selectable<PushSubscriptionsTable>, "id" | "user_id">;

const SUBSCRIPTIONS = new PaddedStatement<Subscription>((db, userIds) =>
  db.selectFrom("push_subscriptions").select(["id", "user_id"]).where("user_id", "in", userIds),
);

export const subscriptionsOf = (db: Db, userIds: readonly number[]): Promise<Subscription[]> =>
  SUBSCRIPTIONS.all(db, userIds);

const BLANK: Insertable<PushQueueTable> = {
  subscription_id: 0,
  channel_id: 0,
  user_id: 0,
  message_id: 0,
  seq: 0,
  is_any: 0,
  pending: 1,
  since: 0,
  due_at: 0,
  tries: 0,
  sent_at: null,
};

/** One push a channel in this time, for each browser. */
export const FOLD_MS = 60_000;

const QUEUE = new SizedStatement(BLANK, (db, rows) =>
  db
    .insertInto("push_queue")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(["subscription_id", "channel_id"]).doUpdateSet((eb) => ({
        message_id: eb.ref("excluded.message_id"),
        seq: eb.ref("excluded.seq"),
        pending: eb.lit(1),
        is_any: sql<number>`case when push_queue.pending = 1 and push_queue.is_any = 1 then 1 else excluded.is_any end`,
        since: sql<number>`case when push_queue.pending = 1 then push_queue.since else excluded.since end`,
        tries: sql<number>`case when push_queue.pending = 1 then push_queue.tries else 0 end`,
        due_at: sql<number>`case when push_queue.pending = 1 then push_queue.due_at
          when push_queue.sent_at + ${sql.lit(FOLD_MS)} > excluded.due_at then push_queue.sent_at + ${sql.lit(FOLD_MS)}
          else excluded.due_at end`,
      })),
    )
    .compile(),
);

/**
 * Queues pushes, each for one browser and channel, without two of the same. What waits already is folded into the new
 * one: it keeps its time.
 */
export async function queueRows(db: Db, rows: readonly Omit<Row, "pending" | "tries" | "sent_at">[]): Promise<void> {
  // The same order in all transactions prevents deadlocks.
  const ordered = rows.toSorted((a, b) => a.subscription_id - b.subscription_id || a.channel_id - b.channel_id);
  await QUEUE.run(
    db,
    ordered.map((row) => ({ ...BLANK, ...row })),
  );
}

/** A push that is due, with the browser that receives it. */
export type DueRow = Row &
  Pick<Selectable<PushSubscriptionsTable>, "endpoint" | "p256dh" | "auth" | "failures"> & {
    last_seen_at: number;
    expires_at: number;
  };

/** Returns pushes that are due, the oldest first. */
export function duePushes(db: Db, now: number, limit: number): Promise<DueRow[]> {
  return db
    .selectFrom("push_queue as q")
    .innerJoin("push_subscriptions as s", "s.id", "q.subscription_id")
    .innerJoin("sessions", "sessions.id", "s.session_id")
    .selectAll("q")
    .select(["s.endpoint", "s.p256dh", "s.auth", "s.failures", "sessions.last_seen_at", "sessions.expires_at"])
    .where("q.pending", "=", 1)
    .where("q.due_at", "<=", now)
    .orderBy("q.due_at")
    .orderBy("q.subscription_id")
    .limit(limit)
    .execute();
}

type Key = Pick<Row, "subscription_id" | "channel_id">;

const at = (db: Db, { subscription_id, channel_id }: Key) =>
  db.updateTable("push_queue").where("subscription_id", "=", subscription_id).where("channel_id", "=", channel_id);

/**
 * Ends a push: it was sent at `sentAt`, or there is nothing to send (null). If something newer was queued meanwhile, that
 * one waits for its turn, as one that is queued now would.
 */
export async function endPush(db: Db, push: Row, sentAt: number | null): Promise<void> {
  const sent = sentAt === null ? {} : { sent_at: sentAt };
  const { numUpdatedRows } = await at(db, push)
    .set({ ...sent, pending: 0, tries: 0, is_any: 0 })
    .where("message_id", "=", push.message_id)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return;
  await at(db, push)
    .set({ ...sent, tries: 0, ...(sentAt === null ? {} : { due_at: sentAt + FOLD_MS }) })
    .execute();
}

/** Lets a push wait until `dueAt`. */
export async function postponePush(db: Db, push: Key, change: { due_at: number; tries?: number }): Promise<void> {
  await at(db, push).set(change).where("pending", "=", 1).execute();
}

/** Returns how many pushes each of the subscriptions got since then. */
export async function sentSince(db: Db, ids: readonly number[], since: number): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("push_queue")
    .select("subscription_id")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .where("subscription_id", "in", ids)
    .where("sent_at", ">", since)
    .groupBy("subscription_id")
    .execute();
  return new Map(rows.map(({ subscription_id, count }) => [subscription_id, Number(count)]));
}

/** Notes how pushes to a subscription went: `failures` in a row, and when one arrived. */
export async function updateSubscription(
  db: Db,
  id: number,
  change: { failures: number; last_sent_at?: number },
): Promise<void> {
  await db.updateTable("push_subscriptions").set(change).where("id", "=", id).execute();
}

export async function endSubscription(db: Db, id: number): Promise<void> {
  await db.deleteFrom("push_subscriptions").where("id", "=", id).execute();
}

/** Deletes rows that only showed that something was sent. */
export async function forgetSent(db: Db, before: number): Promise<void> {
  await db.deleteFrom("push_queue").where("pending", "=", 0).where("due_at", "<", before).execute();
}

/** Ends the pushes that were due at a time. Returns how many. */
export async function endPushesUntil(db: Db, until: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable("push_queue")
    .set({ pending: 0, tries: 0, is_any: 0 })
    .where("pending", "=", 1)
    .where("due_at", "<=", until)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
