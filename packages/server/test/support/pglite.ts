import { PGlite } from "@electric-sql/pglite";
import { Kysely, PGliteDialect } from "kysely";
import { type Clock, systemClock } from "../../src/clock.ts";
import type { OpenDatabase } from "../../src/db/database.ts";
import { guardedDialect } from "../../src/db/guarded-dialect.ts";
import { migrate } from "../../src/db/migrate.ts";
import { MIGRATIONS } from "../../src/db/migrations/migrations.ts";
import type { Tables } from "../../src/db/tables/tables.ts";
import { MARKING } from "./first-rows.ts";
import { Schemas } from "./postgres-schemas.ts";

interface Started {
  readonly pglite: PGlite;
  readonly schemas: Schemas;
}

/** One PGlite for all files of a process, because starting it takes seconds. Its databases are schemas. */
const shared: { started?: Promise<Started>; isOpen: boolean } = { isOpen: false };

export function startedPglite(): Promise<Started> {
  shared.started ??= start();
  return shared.started;
}

/** Opens a new, migrated database in PGlite. Throws while another one is open. */
export async function openFreshPglite(clock: Clock = systemClock): Promise<OpenDatabase> {
  if (shared.isOpen) throw new Error("PGlite has one session: close the database that is open before opening another.");
  shared.isOpen = true;
  const { pglite, schemas } = await startedPglite();
  const schema = await schemas.take(clock);
  await pglite.exec(`set search_path to ${schema}`);
  const db = kyselyOf(pglite);
  return {
    db,
    dialect: "postgres",
    [Symbol.asyncDispose]: async () => {
      // From here on, work that an earlier test left in the background is refused, so that it cannot write into the
      // next database.
      await db.destroy();
      await schemas.release(schema);
      shared.isOpen = false;
    },
  };
}

async function start(): Promise<Started> {
  const pglite = await PGlite.create({ parsers: { 20: Number } });
  const schemas = await Schemas.open({
    query: (statement, values) => pglite.query(statement, values),
    run: (statements) => pglite.exec(statements),
    migrate: async (name) => {
      await pglite.exec(`create schema ${name}; set search_path to ${name}`);
      const db = kyselyOf(pglite);
      await migrate(db, "postgres", MIGRATIONS, MARKING);
      await db.destroy();
    },
  });
  return { pglite, schemas };
}

function kyselyOf(pglite: PGlite): Kysely<Tables> {
  const dialect = new PGliteDialect({ pglite: withoutEnd(pglite) });
  return new Kysely<Tables>({ dialect: guardedDialect(dialect, { single: true }) });
}

/** Returns the same PGlite with a `close` that does nothing. */
function withoutEnd(pglite: PGlite): PGlite {
  return new Proxy(pglite, {
    get(target, key) {
      if (key === "close") return async () => {};
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
