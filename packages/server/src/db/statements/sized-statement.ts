import type { CompiledQuery } from "kysely";
import type { Db } from "../db.ts";
import { isSqlite } from "../dialect.ts";

/**
 * A statement for many rows, whose SQL is built once per size and dialect: for many rows a query builder takes longer
 * than the database does. It caches only SQL text, nothing of any server.
 */
export class SizedStatement<Row extends object> {
  readonly #blank: Row;
  readonly #columns: readonly (keyof Row)[];
  readonly #compile: (db: Db, rows: Row[]) => CompiledQuery;
  readonly #texts = { sqlite: new Map<number, CompiledQuery>(), postgres: new Map<number, CompiledQuery>() };

  /** `blank` has the columns in the order in which `compile` uses the values of a row. */
  constructor(blank: Row, compile: (db: Db, rows: Row[]) => CompiledQuery) {
    this.#columns = Object.keys(blank) as (keyof Row)[];
    this.#compile = compile;
    this.#blank = blank;
  }

  /**
   * Runs the statement for all rows in as few pieces as possible and returns all results in order. `after` are values
   * that follow the rows' values.
   */
  async run<Found>(db: Db, rows: readonly Row[], after: readonly unknown[] = []): Promise<Found[]> {
    if (rows.length === 0) return [];
    // One connection for all pieces: Kysely's overhead per statement costs as much as a dozen rows.
    return db.getExecutor().provideConnection(async (connection) => {
      const found: Found[] = [];
      for (const piece of inStatements(rows)) {
        const result = await connection.executeQuery<Found>(this.#query(db, piece, after));
        for (const row of result.rows) found.push(row);
      }
      return found;
    });
  }

  #query(db: Db, rows: readonly Row[], after: readonly unknown[]): CompiledQuery {
    const columns = this.#columns;
    const parameters = new Array<unknown>(rows.length * columns.length + after.length);
    let at = 0;
    for (const row of rows) for (const column of columns) parameters[at++] = row[column];
    for (const value of after) parameters[at++] = value;
    const { sql, query, queryId } = this.#text(db, rows.length);
    return { sql, query, queryId, parameters };
  }

  #text(db: Db, size: number): CompiledQuery {
    const texts = this.#texts[isSqlite(db) ? "sqlite" : "postgres"];
    const known = texts.get(size);
    if (known !== undefined) return known;
    const text = this.#compile(db, Array<Row>(size).fill(this.#blank));
    texts.set(size, text);
    return text;
  }
}

/** Row counts of statements: a batch is cut into the largest that fit, so both SQL texts and statements stay few. */
export const STATEMENT_SIZES = [64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1] as const;

/** Splits the rows into pieces of those sizes, in order. */
export function inStatements<T>(rows: readonly T[]): T[][] {
  const pieces: T[][] = [];
  let from = 0;
  for (const size of STATEMENT_SIZES) {
    for (; rows.length - from >= size; from += size) pieces.push(rows.slice(from, from + size));
  }
  return pieces;
}

/** A statement is prepared for each length of a list; these lengths keep the number of statements small. */
const LENGTHS = [1, 8, 64, 512] as const;
/** The longest list. */
export const PADDED_MAX = 512;

/** Returns at most 512 ids, padded with 0, which is never an id, for `where id in (…)`. */
export const paddedList = (ids: readonly number[]): number[] => padded(ids, 0);

/** The same for a list of any values, padded with `more`: one of them, or none that there is. */
export function padded<T>(values: readonly T[], more: T): T[] {
  const length = LENGTHS.find((size) => size >= values.length);
  if (length === undefined) throw new Error(`A list of ${values.length} values is too long.`);
  return [...values, ...Array<T>(length - values.length).fill(more)];
}
