import { sql } from "kysely";
import type { Clock } from "../clock.ts";
import type { Log } from "../logging/log.ts";
import { type ColumnTypes, columnTypes, type DialectName } from "./columns.ts";
import type { Db } from "./db.ts";
import type { Migration } from "./migrations/migration.ts";
import { createIndex } from "./postgres/later-indexes.ts";
import { awaitNodesBelow, isAnyNodeBelow } from "./postgres/nodes-below.ts";
import { LOCK_TIMEOUT, untilUnlocked } from "./postgres/until-unlocked.ts";
import { readSchema, refuseNewer, writeSchema } from "./schema-number.ts";

export interface MigrateOptions {
  log?: Pick<Log, "info" | "warn">;
  /** Leaves the indexes of tables that may be in use to `buildIndexes`. */
  laterIndexes?: boolean;
}

/**
 * Migrates the schema to this build. Each migration is one transaction with its number, so an interrupted one leaves
 * nothing, and the next start continues. An empty database takes all of them in one, which costs half as much. A lock
 * lets several nodes start at once: one migrates, the others find it done. Other nodes may use a PostgreSQL database
 * meanwhile: no statement makes them wait for longer than `LOCK_TIMEOUT`.
 */
export async function migrate(
  db: Db,
  dialect: DialectName,
  migrations: readonly Migration[],
  clock: Clock,
  options: MigrateOptions = {},
): Promise<void> {
  const { log, laterIndexes = false } = options;
  for (;;) {
    const step = () => db.transaction().execute((trx) => migrateStep(trx, dialect, migrations, clock, laterIndexes));
    const startedAt = clock.monotonic();
    const done = dialect === "sqlite" ? await step() : await untilUnlocked(step, clock, log);
    if (done.kind === "nothing left") return;
    // Two servers cannot use one SQLite file.
    if (done.kind === "older nodes" && dialect === "postgres") await awaitNodesBelow(db, done.floor, clock, log);
    // A new database is not news.
    if (done.kind === "applied" && done.from > 0) {
      const ms = Math.round(clock.monotonic() - startedAt);
      log?.info({ migration: migrations[done.from]?.name, of: migrations.length, ms }, "migrated the database");
    }
  }
}

type StepResult =
  | { kind: "nothing left" }
  /** Migrations after this number were applied. */
  | { kind: "applied"; from: number }
  /** The floor is raised; nodes below it must end before the next migration removes what they use. */
  | { kind: "older nodes"; floor: number };

/** Applies the next migration, or all of them to an empty database. */
async function migrateStep(
  trx: Db,
  dialect: DialectName,
  migrations: readonly Migration[],
  clock: Clock,
  laterIndexes: boolean,
): Promise<StepResult> {
  const columns = columnTypes(dialect);
  await sql.raw(createMeta(columns)).execute(trx);
  await lockSchema(trx, dialect);
  const found = await readSchema(trx);
  refuseNewer(found, migrations.length);
  const isNew = found.schema === 0;
  const next = migrations.slice(found.schema, isNew ? undefined : found.schema + 1);
  if (next.length === 0) return { kind: "nothing left" };
  const schema = found.schema + next.length;
  const floor = Math.max(...migrations.slice(0, schema).map((each) => each.floor ?? 0));
  if (!isNew && floor > found.floor) {
    await writeSchema(trx, { floor });
    return { kind: "older nodes", floor };
  }
  if (dialect === "postgres" && (await isAnyNodeBelow(trx, floor))) return { kind: "older nodes", floor };
  const run = async (statements: readonly string[]) => {
    for (const statement of statements) await sql.raw(statement).execute(trx);
  };
  const isLater = laterIndexes && !isNew;
  for (const { up, indexes = [] } of next) {
    await up({ db: trx, columns, clock, run });
    if (!isLater) await run(indexes.map((index) => createIndex(index)));
  }
  const isIndexed =
    found.indexed === found.schema && (!isLater || next.every(({ indexes = [] }) => indexes.length === 0));
  await writeSchema(trx, { schema, floor, indexed: isIndexed ? schema : found.indexed });
  return { kind: "applied", from: found.schema };
}

/**
 * Returns the statement that creates the first table. It may fail if two PostgreSQL sessions run it at once (see
 * schema.ts).
 */
export const createMeta = ({ text, table }: ColumnTypes, name = "meta"): string =>
  `create table if not exists ${name} (key ${text} primary key, value ${text} not null) ${table}`;

async function lockSchema(trx: Db, dialect: DialectName): Promise<void> {
  // SQLite: `begin immediate` holds the only write lock already.
  if (dialect === "sqlite") return;
  // Migrating a large table may take longer than a request may.
  await sql`set local statement_timeout = 0`.execute(trx);
  // A session that waits for a lock makes all later sessions wait, even those that do not conflict with the holder.
  await sql.raw(`set local lock_timeout = '${LOCK_TIMEOUT}'`).execute(trx);
  // No advisory lock: any role that can connect could hold it for ever.
  await sql`lock table meta in share row exclusive mode`.execute(trx);
}
