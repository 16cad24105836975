import type { Kysely } from "kysely";
import type { Clock } from "../../clock.ts";
import type { ColumnTypes } from "../columns.ts";
import type { Tables } from "../tables/tables.ts";

/** One step of the schema. Runs once per database, inside a transaction together with its number in `meta`. */
export interface Migration {
  /** Four digits and a word, as in the file name. */
  readonly name: string;
  up(step: MigrationStep): Promise<void>;
}

export interface MigrationStep {
  /** The transaction. Data may be read and written through it after the tables exist. */
  readonly db: Kysely<Tables>;
  readonly columns: ColumnTypes;
  readonly clock: Clock;
  /** Runs statements in order. */
  run(statements: readonly string[]): Promise<void>;
}
