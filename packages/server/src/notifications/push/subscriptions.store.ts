import type { Insertable, Selectable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { PushKeysTable, PushSubscriptionsTable } from "../../db/tables/notifications.ts";

export type KeysRow = Pick<Selectable<PushKeysTable>, "public_key" | "private_key">;

export async function findKeys(db: Db): Promise<KeysRow | undefined> {
  return db.selectFrom("push_keys").select(["public_key", "private_key"]).executeTakeFirst();
}

/** Stores the keys unless there are some, which another node may have made at the same time. */
export async function insertKeys(db: Db, keys: KeysRow & { created_at: number }): Promise<void> {
  await db
    .insertInto("push_keys")
    .values({ id: 1, ...keys })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

/** A subscription with the browser of its session. */
export type SubscriptionRow = Pick<
  Selectable<PushSubscriptionsTable>,
  "id" | "session_id" | "endpoint" | "created_at" | "last_sent_at"
> & { user_agent: string | null };

const withSession = (db: Db) =>
  db
    .selectFrom("push_subscriptions as s")
    .innerJoin("sessions", "sessions.id", "s.session_id")
    .select(["s.id", "s.session_id", "s.endpoint", "s.created_at", "s.last_sent_at", "sessions.user_agent"]);

/** Returns a user's subscriptions, newest first. */
export function listSubscriptions(db: Db, userId: number): Promise<SubscriptionRow[]> {
  return withSession(db).where("s.user_id", "=", userId).orderBy("s.id", "desc").execute();
}

export function findSubscription(db: Db, id: number): Promise<SubscriptionRow> {
  return withSession(db).where("s.id", "=", id).executeTakeFirstOrThrow();
}

/** True if the session exists, and cannot end before the transaction does. */
export async function hasSession(db: Db, id: number): Promise<boolean> {
  const row = await db.selectFrom("sessions").select("id").where("id", "=", id).executeTakeFirst();
  return row !== undefined;
}

/** Stores a subscription; one with the same endpoint now belongs to this session and has these keys. */
export async function saveSubscription(
  db: Db,
  row: Omit<Insertable<PushSubscriptionsTable>, "id" | "failures" | "last_sent_at">,
): Promise<number> {
  const { user_id, session_id, p256dh, auth } = row;
  const { id } = await db
    .insertInto("push_subscriptions")
    .values({ ...row, failures: 0, last_sent_at: null })
    .onConflict((conflict) =>
      conflict.column("endpoint").doUpdateSet({ user_id, session_id, p256dh, auth, failures: 0 }),
    )
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** Deletes a user's subscriptions except the newest `keep`. */
export async function deleteOldestSubscriptions(db: Db, userId: number, keep: number): Promise<void> {
  const newest = db
    .selectFrom("push_subscriptions")
    .select("id")
    .where("user_id", "=", userId)
    .orderBy("id", "desc")
    .limit(1)
    .offset(keep);
  await db.deleteFrom("push_subscriptions").where("user_id", "=", userId).where("id", "<=", newest).execute();
}

/** Deletes what is still to be pushed to a subscription. */
export async function forgetQueued(db: Db, subscriptionId: number): Promise<void> {
  await db.deleteFrom("push_queue").where("subscription_id", "=", subscriptionId).execute();
}

/** Deletes a subscription; false if this user has no such one. */
export async function deleteSubscription(db: Db, userId: number, id: number): Promise<boolean> {
  const row = await db
    .deleteFrom("push_subscriptions")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteSubscriptionsOf(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("push_subscriptions").where("user_id", "=", userId).execute();
}
