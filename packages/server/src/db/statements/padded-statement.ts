import type { Compilable, CompiledQuery, Kysely } from "kysely";
import { isSqlite } from "../dialect.ts";
import type { Tables } from "../tables/tables.ts";
import { PADDED_MAX, paddedList } from "./statement-sizes.ts";

type Db = Kysely<Tables>;

/**
 * A query by a list of ids, `where id in (…)`, whose SQL is built once per length and dialect. It caches only SQL text,
 * nothing of any server.
 */
export class PaddedStatement<Row> {
  readonly #build: (db: Db, ids: number[]) => Compilable<Row>;
  readonly #texts = { sqlite: new Map<number, CompiledQuery>(), postgres: new Map<number, CompiledQuery>() };

  /** `build` uses the ids as its only values, in their order. */
  constructor(build: (db: Db, ids: number[]) => Compilable<Row>) {
    this.#build = build;
  }

  /** Returns the rows of all ids, by one query for up to 512 of them. */
  async all(db: Db, ids: readonly number[]): Promise<Row[]> {
    const found: Row[] = [];
    for (let from = 0; from < ids.length; from += PADDED_MAX) {
      const parameters = paddedList(ids.slice(from, from + PADDED_MAX));
      const { sql, query, queryId } = this.#text(db, parameters);
      found.push(...(await db.executeQuery<Row>({ sql, query, queryId, parameters })).rows);
    }
    return found;
  }

  #text(db: Db, ids: number[]): CompiledQuery {
    const texts = this.#texts[isSqlite(db) ? "sqlite" : "postgres"];
    const known = texts.get(ids.length);
    if (known !== undefined) return known;
    const text = this.#build(db, ids).compile();
    texts.set(ids.length, text);
    return text;
  }
}
