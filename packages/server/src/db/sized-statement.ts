import type { CompiledQuery, Kysely } from "kysely";
import { isSqlite } from "./is-sqlite.ts";
import { inStatements } from "./statement-sizes.ts";
import type { Tables } from "./tables.ts";

type Db = Kysely<Tables>;

/**
 * A statement for many rows at a time, its text made once for each size and dialect and never again: a query builder takes longer over many
 * rows than the database does. It keeps texts, and nothing of any server.
 */
export class SizedStatement<Row extends object> {
  readonly #blank: Row;
  readonly #columns: readonly (keyof Row)[];
  readonly #compile: (db: Db, rows: Row[]) => CompiledQuery;
  readonly #texts = new Map<string, CompiledQuery>();

  /** `blank` has the columns in the order in which `compile` names the values of a row. */
  constructor(blank: Row, compile: (db: Db, rows: Row[]) => CompiledQuery) {
    this.#columns = Object.keys(blank) as (keyof Row)[];
    this.#compile = compile;
    this.#blank = blank;
  }

  /** Runs it for all rows, in as few pieces as may be; answers what it returned, in order. `after` are values that stand behind the rows'. */
  async run<Found>(db: Db, rows: readonly Row[], after: readonly unknown[] = []): Promise<Found[]> {
    const found: Found[] = [];
    for (const piece of inStatements(rows)) {
      const parameters: unknown[] = [];
      for (const row of piece) for (const column of this.#columns) parameters.push(row[column]);
      parameters.push(...after);
      const result = await db.executeQuery<Found>({ ...this.#text(db, piece.length), parameters });
      for (const row of result.rows) found.push(row);
    }
    return found;
  }

  #text(db: Db, size: number): CompiledQuery {
    const key = `${isSqlite(db)} ${size}`;
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const text = this.#compile(db, Array<Row>(size).fill(this.#blank));
    this.#texts.set(key, text);
    return text;
  }
}
