import type { AppContext } from "../context.ts";
import { addWithin, removeDaysBefore } from "./daily-limits.store.ts";

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
