import type { Compilable, CompiledQuery } from "kysely";
import type { Db } from "../db.ts";
import { isSqlite } from "../dialect.ts";
import { bound, StandIn, standIns } from "./prepared.ts";
import { PADDED_MAX, paddedList } from "./sized-statement.ts";

/**
 * A query by a list of ids, `where id in (…)`, whose SQL is built once per length and dialect. It caches only SQL text,
 * nothing of any server.
 */
export class PaddedStatement<Row, Values extends object = object> {
  readonly #build: (db: Db, ids: number[], values: Values) => Compilable<Row>;
  readonly #texts = { sqlite: new Map<number, CompiledQuery>(), postgres: new Map<number, CompiledQuery>() };

  /** `build` receives placeholders for the ids and the other values, like that of `Prepared`. */
  constructor(build: (db: Db, ids: number[], values: Values) => Compilable<Row>) {
    this.#build = build;
  }

  /** Returns the rows of all ids, by one query for up to 512 of them. */
  async all(db: Db, ids: readonly number[], ...[values]: object extends Values ? [] : [Values]): Promise<Row[]> {
    const found: Row[] = [];
    for (let from = 0; from < ids.length; from += PADDED_MAX) {
      const list = paddedList(ids.slice(from, from + PADDED_MAX));
      const text = this.#text(db, list.length);
      const parameters = bound(text.parameters, values ?? {}, list);
      found.push(...(await db.executeQuery<Row>({ ...text, parameters })).rows);
    }
    return found;
  }

  #text(db: Db, length: number): CompiledQuery {
    const texts = this.#texts[isSqlite(db) ? "sqlite" : "postgres"];
    const known = texts.get(length);
    if (known !== undefined) return known;
    const ids = Array.from({ length }, (_, place) => new StandIn(place));
    const text = this.#build(db, ids as unknown[] as number[], standIns as Values).compile();
    texts.set(length, text);
    return text;
  }
}
