import { sql } from "kysely";
import type { Db } from "../../db/db.ts";
import { databaseTime } from "../../db/dialect.ts";

/** Counts the failures of each key in the last `windowMs`. Keys without failures are absent. */
export function countFailures(
  db: Db,
  keys: readonly string[],
  windowMs: number,
): Promise<{ key: string; failures: number; since_last: number }[]> {
  return db
    .selectFrom("login_failures")
    .select((of) => [
      "key",
      of.fn.countAll<number>().as("failures"),
      sql<number>`${databaseTime(db)} - max(failed_at)`.as("since_last"),
    ])
    .where("key", "in", keys)
    .where("failed_at", ">", sql<number>`${databaseTime(db)} - ${windowMs}`)
    .groupBy("key")
    .execute();
}

export async function insertFailures(db: Db, keys: readonly string[]): Promise<void> {
  const failed_at = databaseTime(db);
  await db
    .insertInto("login_failures")
    .values(keys.map((key) => ({ key, failed_at })))
    .execute();
}

export async function deleteFailures(db: Db, keys: readonly string[]): Promise<void> {
  await db.deleteFrom("login_failures").where("key", "in", keys).execute();
}

export async function deleteOldFailures(db: Db, windowMs: number): Promise<void> {
  await db
    .deleteFrom("login_failures")
    .where("failed_at", "<=", sql<number>`${databaseTime(db)} - ${windowMs}`)
    .execute();
}
