import type { AppContext } from "../../context.ts";
import type { Millis } from "../../db/columns.ts";

/** A day in milliseconds. */
const DAY_MS = 24 * 60 * 60 * 1_000;

/** The settings of a server that limit the age of messages. */
type Limits = Pick<AppContext["config"], "retentionDays" | "retentionMaxDays">;

/**
 * Returns after how many days messages are deleted, given the channel's own limit; null: never. A channel without one
 * has the server's default, and the server's maximum wins over both (protocol §13.8).
 */
export function effectiveDays({ retentionDays, retentionMaxDays }: Limits, own: number | null): number | null {
  const days = own ?? retentionDays;
  if (days === null || retentionMaxDays === null) return days ?? retentionMaxDays;
  return Math.min(days, retentionMaxDays);
}

/** Returns the time from which on messages are kept: one that is exactly so many days old goes. */
export const keptSince = (now: Millis, days: number): Millis => now - days * DAY_MS + 1;

/** Returns the end of a hold that is in force at `now`, else null. */
export const holdAt = (heldUntil: Millis | null, now: Millis): Millis | null =>
  heldUntil !== null && heldUntil > now ? heldUntil : null;
