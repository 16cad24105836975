import type { Db } from "./db/db.ts";

/** The moment of a restore. Both are epoch milliseconds. */
export interface RestoreMoment {
  /**
   * What was due until then is not sent again: the server ran until then, in the history that the restore undoes, and has
   * sent it, or may have.
   */
  readonly until: number;
  readonly now: number;
}

/** Things of one kind that a restore has ended. */
export interface Overdue {
  /** In the singular, such as `scheduled message`. */
  readonly what: string;
  readonly count: number;
  /** The first of them, in words; at most `EXAMPLES`. */
  readonly examples: readonly string[];
}

/** How many things of a kind a restore names. */
export const EXAMPLES = 20;

/**
 * Ends what was due, so that no server sends it. It runs on the restored database before a server does, and only this
 * step may write to it meanwhile. Running it twice ends nothing more.
 */
export type OverdueStep = (db: Db, moment: RestoreMoment) => Promise<Overdue>;
