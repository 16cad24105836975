import { type Kysely, sql } from "kysely";
import type { Clock } from "../clock.ts";
import { type ColumnTypes, columnTypes, type DialectName } from "./columns.ts";
import type { Migration } from "./migrations/migration.ts";
import { StartupError } from "./startup-error.ts";
import type { Tables } from "./tables/tables.ts";

/** Returns the number of the newest migration applied to this database; 0 if it is empty. */
export async function schemaNumber(db: Kysely<Tables>): Promise<number> {
  const found = await db.selectFrom("meta").select("value").where("key", "=", "schema").executeTakeFirst();
  return found === undefined ? 0 : Number(found.value);
}

/**
 * Migrates the schema to this build. Each migration is one transaction with its number, so an interrupted one leaves
 * nothing. An empty database takes all of them in one, which costs half as much. A lock lets several nodes start at
 * once: one migrates, the others find it done.
 */
export async function migrate(
  db: Kysely<Tables>,
  dialect: DialectName,
  migrations: readonly Migration[],
  clock: Clock,
): Promise<void> {
  const columns = columnTypes(dialect);
  for (;;) {
    const done = await db.transaction().execute(async (trx) => {
      await sql.raw(createMeta(columns)).execute(trx);
      await lockSchema(trx, dialect);
      const run = async (statements: readonly string[]) => {
        for (const statement of statements) await sql.raw(statement).execute(trx);
      };
      const current = await schemaNumber(trx);
      refuseNewer(current, migrations.length);
      const next = migrations.slice(current, current === 0 ? undefined : current + 1);
      if (next.length === 0) return true;
      for (const step of next) await step.up({ db: trx, columns, clock, run });
      await trx.deleteFrom("meta").where("key", "=", "schema").execute();
      await trx
        .insertInto("meta")
        .values({ key: "schema", value: String(current + next.length) })
        .execute();
      return false;
    });
    if (done) return;
  }
}

/**
 * Returns the statement that creates the first table. It may fail if two PostgreSQL sessions run it at once (see
 * schema.ts).
 */
export const createMeta = ({ text, table }: ColumnTypes, name = "meta"): string =>
  `create table if not exists ${name} (key ${text} primary key, value ${text} not null) ${table}`;

/** Throws if a newer build made the database: this build does not know its rules and must not write to it. */
export function refuseNewer(found: number, known: number): void {
  if (found <= known) return;
  throw new StartupError(
    `The database was made by a newer Parley (schema ${found}; this version knows up to ${known}). ` +
      "Start the newer version, or restore a backup that was made before the upgrade.",
  );
}

async function lockSchema(trx: Kysely<Tables>, dialect: DialectName): Promise<void> {
  // SQLite: `begin immediate` holds the only write lock already.
  if (dialect === "sqlite") return;
  // Migrating a large table, or waiting for another node's migration, may take longer than a request may.
  await sql`set local statement_timeout = 0`.execute(trx);
  // No advisory lock: any role that can connect could hold it for ever.
  await sql`lock table meta in share row exclusive mode`.execute(trx);
}
