import { Database } from "bun:sqlite";
import { existsSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Kysely } from "kysely";
import type { Clock } from "../../src/clock.ts";
import { guardedDialect } from "../../src/db/guarded-dialect.ts";
import { migrate } from "../../src/db/migrate.ts";
import { MIGRATIONS } from "../../src/db/migrations/migrations.ts";
import { bunSqliteDialect } from "../../src/db/sqlite/driver.ts";
import type { Tables } from "../../src/db/tables/tables.ts";
import { MARKING, type Marked, marksIn, replaceMarks } from "./first-rows.ts";

interface Template {
  readonly image: Uint8Array;
  readonly marked: readonly Marked[];
}

/** Migrated once in each process, because that takes a tenth of a second. */
let template: Promise<Template> | undefined;

/** Returns the bytes of a new, migrated database. */
export async function migratedSqlite(clock: Clock): Promise<Uint8Array> {
  template ??= migrated();
  const { image, marked } = await template;
  using database = Database.deserialize(image);
  for (const statement of replaceMarks(marked, clock)) database.run(statement);
  return database.serialize();
}

/** Writes a new, migrated database into the file of a server that has none yet. */
export async function seedSqlite(path: string, clock: Clock): Promise<void> {
  if (path === ":memory:" || existsSync(path) || !existsSync(dirname(path))) return;
  writeFileSync(path, await migratedSqlite(clock), { mode: 0o600 });
}

async function migrated(): Promise<Template> {
  const database = new Database(":memory:");
  const dialect = bunSqliteDialect(database, MARKING, { onFatal: () => {}, onCommit: () => {} });
  const db = new Kysely<Tables>({ dialect: guardedDialect(dialect, { single: true }) });
  await migrate(db, "sqlite", MIGRATIONS, MARKING);
  const names = database.query<{ name: string }, []>("select name from sqlite_schema where type = 'table'").all();
  const marked = names.flatMap(({ name }) =>
    database
      .query<object, []>(`select * from ${name}`)
      .all()
      .flatMap((row) => marksIn(name, row)),
  );
  const image = database.serialize();
  await db.destroy();
  return { image, marked };
}
