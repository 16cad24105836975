import { sql } from "kysely";
import type { Db } from "../db/db.ts";
import { databaseTime } from "../db/dialect.ts";

/** When a quota is full again, and the present, both in the database's milliseconds. */
interface Reading {
  full_at: number;
  now: number;
}

/** Takes one act that costs `cost` ms of the `window`, in one statement; undefined if the quota has no room. */
export async function takeAct(db: Db, key: string, cost: number, window: number): Promise<Reading | undefined> {
  const { rows } = await sql<Reading>`
    insert into rate_limits (key, full_at) values (${key}, ${databaseTime(db)} + ${cost})
    on conflict (key) do update set full_at = case
      when rate_limits.full_at + ${cost} > excluded.full_at then rate_limits.full_at + ${cost}
      else excluded.full_at end
    where rate_limits.full_at <= excluded.full_at + ${window - 2 * cost}
    returning full_at, ${databaseTime(db)} as now`.execute(db);
  return rows[0];
}

/** Reads a quota; undefined if it is full. */
export function readQuota(db: Db, key: string): Promise<Reading | undefined> {
  return db
    .selectFrom("rate_limits")
    .select(["full_at", databaseTime(db).as("now")])
    .where("key", "=", key)
    .executeTakeFirst();
}

/** Corrects a quota that is further ahead than its window, which is left when the database's clock was set back. */
export async function limitAhead(db: Db, key: string, window: number): Promise<void> {
  const latest = sql<number>`${databaseTime(db)} + ${window}`;
  await db
    .updateTable("rate_limits")
    .set({ full_at: latest })
    .where("key", "=", key)
    .where("full_at", ">", latest)
    .execute();
}

export async function giveActBack(db: Db, key: string, cost: number): Promise<void> {
  await db
    .updateTable("rate_limits")
    .set((row) => ({ full_at: row("full_at", "-", cost) }))
    .where("key", "=", key)
    .execute();
}

/** Deletes up to `limit` quotas that are full again, and returns their number. */
export function deleteFull(db: Db, limit: number): Promise<number> {
  return deleteThose(db, (rows) => rows.where("full_at", "<", databaseTime(db)).limit(limit));
}

/** Deletes up to `limit` of the quotas beyond the `kept` ones that take longest to be full, and returns their number. */
export function deleteBeyond(db: Db, kept: number, limit: number): Promise<number> {
  return deleteThose(db, (rows) => rows.orderBy("full_at", "desc").offset(kept).limit(limit));
}

const keysOf = (db: Db) => db.selectFrom("rate_limits").select("key");

async function deleteThose(
  db: Db,
  choose: (rows: ReturnType<typeof keysOf>) => ReturnType<typeof keysOf>,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("rate_limits")
    .where("key", "in", choose(keysOf(db)))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
