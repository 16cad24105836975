import type { Compilable, CompiledQuery, Kysely, QueryResult } from "kysely";
import { isSqlite } from "./is-sqlite.ts";
import type { Tables } from "./tables.ts";

type Db = Kysely<Tables>;

/**
 * A query whose text is made once for each dialect and never again: on busy roads the query builder takes longer than the database does. It
 * keeps texts, and nothing of any server.
 *
 * `build` is given stand-ins for the values. It may put them where values stand in a query, as often and in any order, and do nothing
 * else: it neither knows them nor which there are.
 */
export class Prepared<Values extends object, Row> {
  readonly #build: (db: Db, values: Values) => Compilable<Row>;
  readonly #texts = new Map<boolean, CompiledQuery>();

  constructor(build: (db: Db, values: Values) => Compilable<Row>) {
    this.#build = build;
  }

  /** Every row it finds or returns. */
  async all(db: Db, values: Values): Promise<Row[]> {
    return (await this.#run(db, values)).rows;
  }

  /** The first row it finds or returns. */
  async first(db: Db, values: Values): Promise<Row | undefined> {
    return (await this.#run(db, values)).rows[0];
  }

  /** How many rows it has written, of a query that returns none. */
  async changes(db: Db, values: Values): Promise<number> {
    return Number((await this.#run(db, values)).numAffectedRows ?? 0);
  }

  #run(db: Db, values: Values): Promise<QueryResult<Row>> {
    const text = this.#text(db);
    const parameters = text.parameters.map((place) =>
      place instanceof StandIn ? values[place.name as keyof Values] : place,
    );
    return db.executeQuery<Row>({ ...text, parameters });
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

/** Stands in a query's text where a value will be. */
class StandIn {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
  [Symbol.toPrimitive](): never {
    throw new TypeError(`"${this.name}" is not known while the text is made.`);
  }
}

/** Has a stand-in for every name, and names none: spread into a query, the values would be missing there without a word. */
const standIns: object = new Proxy(
  {},
  {
    get: (_, name) => new StandIn(String(name)),
    ownKeys() {
      throw new TypeError("Which values there are is not known while the text is made: name each.");
    },
  },
);
