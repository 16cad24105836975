import type { Client } from "pg";
import type { Clock } from "../../clock.ts";
import type { Log } from "../../logging/log.ts";
import type { Db } from "../db.ts";
import type { Migration, TableIndex } from "../migrations/migration.ts";
import { readSchema, writeSchema } from "../schema-number.ts";
import { LOCK_TIMEOUT, untilUnlocked } from "./until-unlocked.ts";

export const createIndex = ({ name, on }: TableIndex, how = ""): string => `create index ${how} ${name} on ${on}`;

interface Parts {
  db: Db;
  migrations: readonly Migration[];
  /** Creates a session of its own, not connected yet. */
  open(): Client;
  clock: Clock;
  log?: Pick<Log, "info" | "warn">;
}

/** One session builds, another holds the lock; neither may be ended for being slow or idle. Older PostgreSQL lack some. */
const PATIENT = `select set_config(name, '0', false) from pg_settings
  where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;
/** PostgreSQL looks whether the client is still there while it builds: an orphan would make the next start wait. */
const NOTICE_THE_END = `select set_config(name, '2s', false) from pg_settings where name = 'client_connection_check_interval'`;

/**
 * Builds the indexes that migrations left for later, while other nodes read and write. That cannot be part of a
 * transaction, so an interrupted start leaves an invalid index, which the next one drops and builds again; `meta` then
 * says that all are complete. Of several nodes one builds, and the others wait.
 */
export async function buildIndexes(parts: Parts): Promise<void> {
  if ((await unbuilt(parts)).length === 0) return;
  await using sessions = new AsyncDisposableStack();
  const connect = async (): Promise<Client> => {
    const session = parts.open();
    // Without a listener a broken connection would end the process; the next query fails.
    session.on("error", () => {});
    await session.connect();
    sessions.defer(() => session.end());
    await session.query(PATIENT);
    return session;
  };
  const holder = await connect();
  await untilUnlocked(() => lock(holder), parts.clock, parts.log);
  const builder = await connect();
  await builder.query(NOTICE_THE_END);
  const indexes = await unbuilt(parts);
  for (const [at, index] of indexes.entries()) {
    const { log, clock } = parts;
    const startedAt = clock.monotonic();
    log?.info({ index: index.name, number: at + 1, of: indexes.length }, "building an index beside the running nodes");
    await build(builder, index);
    log?.info({ index: index.name, ms: Math.round(clock.monotonic() - startedAt) }, "built the index");
  }
  const { indexed } = await readSchema(parts.db);
  // Another node may have built them, and those of a newer version, in the meantime.
  if (indexed < parts.migrations.length) await writeSchema(parts.db, { indexed: parts.migrations.length });
}

/** Returns the indexes of migrations that `meta` does not say are complete. */
async function unbuilt({ db, migrations }: Parts): Promise<TableIndex[]> {
  const { indexed } = await readSchema(db);
  return migrations.slice(indexed).flatMap(({ indexes = [] }) => indexes);
}

/**
 * Excludes other builders and migrations, not writers of `meta`. The transaction has no snapshot: building an index
 * waits for all older snapshots.
 */
async function lock(session: Client): Promise<void> {
  await session.query(`set lock_timeout = '${LOCK_TIMEOUT}'`);
  try {
    await session.query("begin; lock table meta in share update exclusive mode");
  } catch (error) {
    await session.query("rollback");
    throw error;
  }
}

async function build(session: Client, index: TableIndex): Promise<void> {
  const { rows } = await session.query<{ valid: boolean }>(
    "select indisvalid as valid from pg_index where indexrelid = to_regclass($1)",
    [index.name],
  );
  if (rows[0]?.valid === true) return;
  if (rows[0] !== undefined) await session.query(`drop index concurrently ${index.name}`);
  await session.query(createIndex(index, "concurrently"));
}
