import { pause } from "../../base/timers.ts";
import type { Clock } from "../../clock.ts";
import type { Log } from "../../logging/log.ts";
import { StartupError } from "../startup-error.ts";

/** How long a statement that changes tables in use may wait for its lock. Queries that come later wait behind it. */
export const LOCK_TIMEOUT = "2s";
const RETRY_MS = 500;
const REPORT_MS = 10_000;
const GIVE_UP_MS = 15 * 60_000;

/** What is said of a transaction that waits. */
export interface WaitingWords {
  /** A line of the log, every ten seconds. */
  waits: string;
  /** What was not possible, as the beginning of the error. */
  failed: string;
}

const MIGRATION: WaitingWords = {
  waits: "waiting for a lock, to migrate the database: another node migrates it, or a transaction is long",
  failed: "The schema of the database cannot be changed",
};

/**
 * Runs a transaction again until it no longer meets a lock that another session holds or waits for, and reports every ten
 * seconds that it waits. Between two tries other sessions continue, so a busy server is not stopped. Throws a `StartupError`
 * after a quarter of an hour.
 */
export async function untilUnlocked<T>(
  act: () => Promise<T>,
  clock: Clock,
  log?: Pick<Log, "warn">,
  words = MIGRATION,
): Promise<T> {
  const startedAt = clock.monotonic();
  let reportedAt = startedAt - REPORT_MS;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!isInTheWay(error)) throw error;
      const now = clock.monotonic();
      if (now - startedAt > GIVE_UP_MS) {
        throw new StartupError(
          `${words.failed}: another session has locked a table for a quarter of an hour. ` +
            "Look for an old transaction in pg_stat_activity.",
          error,
        );
      }
      if (now - reportedAt >= REPORT_MS) {
        reportedAt = now;
        log?.warn(words.waits);
      }
      await pause(RETRY_MS + clock.randomBelow(RETRY_MS));
    }
  }
}

/** A lock that was not free in time, or a deadlock, in which PostgreSQL rolled back this transaction and not the other. */
const isInTheWay = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "55P03" || error.code === "40P01");
