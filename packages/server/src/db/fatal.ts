import type { Log } from "../logging/log.ts";

/**
 * Ends the process after a database failure that rules out further acknowledgements: retrying after a failed sync would
 * claim durability falsely (guarantees P2).
 */
export const endOnFatal =
  (log: Log) =>
  (error: unknown): void => {
    log.fatal({ err: error }, "the database failed; stopping, so that no unsaved change is acknowledged");
    process.exit(1);
  };
