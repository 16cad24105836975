import type { Insertable } from "kysely";
import type { Db } from "../db/db.ts";
import type { DailyEarningsTable } from "../db/tables/points.ts";

/**
 * Adds to a counter unless that would exceed `limit`; returns the new count, or null when nothing was added. The
 * counter stays locked until the transaction ends, so concurrent additions are exact.
 */
export async function addWithin(
  db: Db,
  counter: Insertable<DailyEarningsTable>,
  limit: number,
): Promise<number | null> {
  const row = await db
    .insertInto("daily_earnings")
    .values(counter)
    .onConflict((conflict) =>
      conflict
        .columns(["user_id", "day", "source", "giver_id"])
        .doUpdateSet((eb) => ({ amount: eb("daily_earnings.amount", "+", eb.ref("excluded.amount")) }))
        .where((eb) => eb(eb("daily_earnings.amount", "+", eb.ref("excluded.amount")), "<=", limit)),
    )
    .returning("amount")
    .executeTakeFirst();
  return row?.amount ?? null;
}

/** Removes a user's counters of the days before `day`. */
export async function removeDaysBefore(db: Db, userId: number, day: number): Promise<void> {
  await db.deleteFrom("daily_earnings").where("user_id", "=", userId).where("day", "<", day).execute();
}

/** Removes all counters of a user. */
export async function removeCounters(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("daily_earnings").where("user_id", "=", userId).execute();
}
