import type { AppContext } from "../context.ts";
import { POINTS, userAccount } from "../ledger/account-names.ts";
import { findScore } from "./honor.store.ts";

/** The public part of a user's points. */
export interface Score {
  /** The balance that can be spent. */
  points: number;
  honorLevel: number;
}

export async function scoreOf(ctx: AppContext, userId: number): Promise<Score> {
  const { balance, total_points } = await findScore(ctx.db, userId, userAccount(userId), POINTS);
  return { points: Number(balance ?? 0), honorLevel: honorLevel(ctx.config.honorThresholds, total_points) };
}

/**
 * Returns the honor level for these points: the index (from 0) of the highest threshold reached (protocol §2). The
 * configuration guarantees that thresholds ascend from 0.
 */
export function honorLevel(thresholds: readonly number[], totalPoints: number): number {
  return thresholds.findLastIndex((threshold) => totalPoints >= threshold);
}
