import type { Insertable } from "kysely";
import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";
import type { DailyEarningsTable } from "../db/tables/points.ts";

/** Points that a user can earn from a source in one UTC day (protocol §2). */
const POINTS_A_DAY = { like: 50, messages: 100, online: 24 } as const;
/** Likes from one person to another that pay in one UTC day. */
const LIKES_FROM_ONE = 5;
/** The `giver_id` of the counters that cover all givers. */
const EVERYONE = 0;

export type LimitedSource = keyof typeof POINTS_A_DAY;

export interface Earning {
  userId: number;
  source: LimitedSource;
  points: number;
  /** The user whose act pays; absent when it is the receiver's own act. */
  giverId?: number;
}

/**
 * Counts points towards the receiver's limits of the day, inside the caller's transaction; false when they would exceed
 * a limit and must not be paid. The counters are locked until the transaction ends, so several nodes share the limits.
 *
 * A like that the daily limit refuses still counts towards its giver's limit. This has no effect: likes pay the
 * receiver nothing more that day.
 */
export async function isWithinLimits(ctx: AppContext, { userId, source, points, giverId }: Earning): Promise<boolean> {
  const day = dayOf(ctx.clock.now());
  const counter = { user_id: userId, day, source };
  if (giverId !== undefined) {
    const likes = await addWithin(ctx.db, { ...counter, giver_id: giverId, amount: 1 }, LIKES_FROM_ONE);
    if (likes === null) return false;
  }
  const total = { ...counter, giver_id: EVERYONE, amount: points };
  const earned = await addWithin(ctx.db, total, POINTS_A_DAY[source]);
  // Yesterday's counter is kept, because another node's clock may still show that day.
  if (earned === points) await removeDaysBefore(ctx.db, userId, day - 1);
  return earned !== null;
}

const DAY_MS = 86_400_000;

/** The number of a UTC day: 0 is 1970-01-01. */
export const dayOf = (time: number): number => Math.floor(time / DAY_MS);

/**
 * Adds to a counter unless that would exceed `limit`; returns the new count, or null when nothing was added. The
 * counter stays locked until the transaction ends, so concurrent additions are exact.
 */
async function addWithin(db: Db, counter: Insertable<DailyEarningsTable>, limit: number): Promise<number | null> {
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
async function removeDaysBefore(db: Db, userId: number, day: number): Promise<void> {
  await db.deleteFrom("daily_earnings").where("user_id", "=", userId).where("day", "<", day).execute();
}

/** Removes all counters of a user. */
export async function removeCounters(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("daily_earnings").where("user_id", "=", userId).execute();
}
