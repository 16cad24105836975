import type { Log } from "../log.ts";

/**
 * Ends the process when the database has failed in a way after which nothing may be acked: retrying after a failed sync would lie
 * (guarantees P2).
 */
export const endOnFatal =
  (log: Log) =>
  (error: unknown): void => {
    log.fatal({ err: error }, "the database failed; stopping, so that nothing is acknowledged that is not stored");
    process.exit(1);
  };
