import type { Clock } from "../../clock.ts";
import type { ColumnTypes } from "../columns.ts";
import type { Db } from "../db.ts";

/**
 * One step of the schema. Runs once per database, inside a transaction together with its number in `meta`. It
 * must leave everything that the release before it uses, whose nodes run beside it, unless it has a `floor`; `rolling.test.ts` checks that.
 */
export interface Migration {
  /** Four digits and a word, as in the file name. */
  readonly name: string;
  up(step: MigrationStep): Promise<void>;
  /** Indexes of tables that are in use: PostgreSQL builds them after the transaction, beside readers and writers. */
  readonly indexes?: readonly TableIndex[];
  /**
   * The number of migrations that a build must know to run on the database from now on. A migration that removes or
   * changes what an older release uses raises it, one release after the last use.
   */
  readonly floor?: number;
}

/** An index that is not unique: a unique one could fail on what the release before it writes. */
export interface TableIndex {
  readonly name: string;
  /** The table and its columns, such as `messages (channel_id, id)`. */
  readonly on: string;
}

export interface MigrationStep {
  /** The transaction. Data may be read and written through it after the tables exist. */
  readonly db: Db;
  readonly columns: ColumnTypes;
  readonly clock: Clock;
  /** Runs statements in order. */
  run(statements: readonly string[]): Promise<void>;
}
