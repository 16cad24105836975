import type { Compilable, CompiledQuery, QueryResult } from "kysely";
import type { Db } from "../db.ts";
import { isSqlite } from "../dialect.ts";

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

/** A placeholder for a value in a query's text: one that has a name, or one of a list that has a place. */
export class StandIn {
  readonly of: string | number;

  constructor(of: string | number) {
    this.of = of;
  }

  [Symbol.toPrimitive](): never {
    throw new TypeError(`"${this.of}" is not known when the statement is prepared.`);
  }
}

/**
 * Has a placeholder for every name but enumerates none: if spread into a query, the values would silently be missing.
 */
export const standIns: object = new Proxy(
  {},
  {
    get: (_, name) => new StandIn(String(name)),
    ownKeys() {
      throw new TypeError("The values are not known when the statement is prepared: name each value.");
    },
  },
);

/** Returns a text's parameters with the values, and those of the list, in the places of the placeholders. */
export function bound<Values extends object>(
  parameters: readonly unknown[],
  values: Values,
  list: readonly unknown[] = [],
): unknown[] {
  return parameters.map((place) => {
    if (!(place instanceof StandIn)) return place;
    return typeof place.of === "number" ? list[place.of] : values[place.of as keyof Values];
  });
}

/**
 * The texts that each PostgreSQL session parses and plans once, with the names of their prepared statements. It holds
 * only SQL text, nothing of any server. SQLite keeps every statement anyway.
 */
const names = new Map<string, string>();

/**
 * Marks a text on a hot path as worth keeping: for a small batch of messages, planning takes two thirds of PostgreSQL's
 * time. Call it for constant texts only, because each takes memory in every session. Returns the text.
 */
export function keepStatement(sql: string): string {
  if (!names.has(sql)) names.set(sql, `parley_${names.size + 1}`);
  return sql;
}

/** Returns the name under which sessions keep this text; undefined if they do not. */
export const keptName = (sql: string): string | undefined => names.get(sql);
