import type { Compilable, CompiledQuery, QueryResult } from "kysely";
import type { Db } from "../db.ts";
import { isSqlite } from "../dialect.ts";
import { bound, standIns } from "./stand-ins.ts";

/**
 * A query whose SQL is built once per dialect: on hot paths the query builder takes longer than the database does. It
 * caches only SQL text, nothing of any server.
 *
 * `build` receives placeholders for the values. It may use them in a query wherever a value may be, in any order and
 * number, but must not read or enumerate them.
 */
export class Prepared<Values extends object, Row> {
  readonly #build: (db: Db, values: Values) => Compilable<Row>;
  readonly #texts = new Map<boolean, CompiledQuery>();

  constructor(build: (db: Db, values: Values) => Compilable<Row>) {
    this.#build = build;
  }

  /** Returns every row found or returned. */
  async all(db: Db, values: Values): Promise<Row[]> {
    return (await this.#run(db, values)).rows;
  }

  /** Returns the first row found or returned. */
  async first(db: Db, values: Values): Promise<Row | undefined> {
    return (await this.#run(db, values)).rows[0];
  }

  /** Returns the number of rows written by a query that returns none. */
  async changes(db: Db, values: Values): Promise<number> {
    return Number((await this.#run(db, values)).numAffectedRows ?? 0);
  }

  #run(db: Db, values: Values): Promise<QueryResult<Row>> {
    const text = this.#text(db);
    return db.executeQuery<Row>({ ...text, parameters: bound(text.parameters, values) });
  }

  #text(db: Db): CompiledQuery {
    const dialect = isSqlite(db);
    const known = this.#texts.get(dialect);
    if (known !== undefined) return known;
    const text = this.#build(db, standIns as Values).compile();
    this.#texts.set(dialect, text);
    return text;
  }
}
