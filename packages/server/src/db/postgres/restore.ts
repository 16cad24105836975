import { Database, type SQLQueryBindings } from "bun:sqlite";
import { sql, type Transaction } from "kysely";
import type { Clock } from "../../clock.ts";
import { backupFacts, newEpoch, refusal } from "../backup.ts";
import { openDatabase } from "../database.ts";
import type { Db } from "../db.ts";
import type { DatabaseFacts } from "../inspect.ts";
import { MIGRATIONS } from "../migrations/migrations.ts";
import { SEARCH_CURSORS } from "../search-index/search-index.ts";
import { StartupError } from "../startup-error.ts";
import type { Tables } from "../tables/tables.ts";

/** Each engine has its own form of word index; the consumer rebuilds it. */
const WORDS = "message_words";
const BATCH_LENGTH = 1024 * 1024;

type Row = Record<string, SQLQueryBindings>;

export interface Moved {
  facts: DatabaseFacts;
  epoch: string;
  rows: number;
}

/**
 * Fills an empty PostgreSQL database from a SQLite backup, in one transaction. Both have the same tables (tables.ts).
 * References are dropped meanwhile, so that the order of tables does not matter; they are checked for every row before
 * the commit.
 */
export async function restoreIntoPostgres(source: string, url: string, clock: Clock): Promise<Moved> {
  const facts = backupFacts(source);
  if (facts.schema < MIGRATIONS.length) {
    throw new StartupError(
      `${source} was made by an older Parley (schema ${facts.schema}). Upgrade it to this version's schema (${MIGRATIONS.length}) first: DATABASE_URL=sqlite:${source} parley migrate`,
    );
  }
  if (facts.schema > MIGRATIONS.length) {
    throw new StartupError(
      `${source} was made by a newer Parley (schema ${facts.schema}; this version knows ${MIGRATIONS.length}). Restore it with that version.`,
    );
  }
  using backup = new Database(source, { readonly: true });
  await using target = await openDatabase({ kind: "postgres", url }, clock, { poolSize: 1 });
  const epoch = newEpoch(clock);
  try {
    const rows = await target.db.transaction().execute(async (trx) => {
      await sql`set local statement_timeout = 0`.execute(trx);
      await refuseUsed(trx);
      const rows = await fill(backup, trx);
      await trx.deleteFrom("channel_cursors").where("purpose", "=", SEARCH_CURSORS).execute();
      await trx.updateTable("meta").set({ value: epoch }).where("key", "=", "epoch").execute();
      return rows;
    });
    return { facts, epoch, rows };
  } catch (error) {
    throw refusal("The backup could not be restored", error);
  }
}

async function refuseUsed(db: Db): Promise<void> {
  const { rows } = await sql<{ used: boolean }>`
    select exists (select 1 from users) or exists (select 1 from agents) or exists (select 1 from audit_log) as used`.execute(
    db,
  );
  if (rows[0]?.used === false) return;
  throw new StartupError(
    "This PostgreSQL database is not empty. A SQLite backup can only be restored into an empty database.",
  );
}

async function fill(backup: Database, trx: Transaction<Tables>): Promise<number> {
  const tables = await tablesOf(backup, trx);
  const references = await sql<{ place: string; name: string; definition: string }>`
    select conrelid::regclass::text as place, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`.execute(trx);
  for (const { place, name } of references.rows) {
    await sql.raw(`alter table ${place} drop constraint ${name}`).execute(trx);
  }
  let rows = 0;
  for (const table of tables) rows += await copyTable(backup, trx, table);
  for (const { place, name, definition } of references.rows) {
    await sql.raw(`alter table ${place} add constraint ${name} ${definition}`).execute(trx);
  }
  await continueNumbers(backup, trx);
  return rows;
}

/** Returns the tables, which must be the same in both; throws if they differ. */
async function tablesOf(backup: Database, trx: Transaction<Tables>): Promise<string[]> {
  const theirs = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace and relname <> ${WORDS}`.execute(trx);
  const ours = backup
    .query<{ name: string }, []>(
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite%' and name not like '${WORDS}%'`,
    )
    .all();
  const [names, wanted] = [ours, theirs.rows].map((list) => list.map(({ name }) => name).sort());
  if (names === undefined || names.join() !== wanted?.join()) {
    throw new Error(`The tables differ: SQLite has ${names?.join()}, PostgreSQL ${wanted?.join()}`);
  }
  return names;
}

async function copyTable(backup: Database, trx: Transaction<Tables>, table: string): Promise<number> {
  // Rows that the migrations created, such as the channel general, are in the backup too. Append-only tables forbid
  // deletion, even of no rows, and are empty.
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(trx);
  if (rows.length > 0) await sql`delete from ${sql.table(table)}`.execute(trx);
  const query = backup.query<Row, []>(`select * from "${table}"`);
  const columns = sql.join(query.columnNames.map((column) => sql.ref(column)));
  let copied = 0;
  let batch: string[] = [];
  let length = 0;
  const flush = async (): Promise<void> => {
    // One value for many rows: PostgreSQL parses JSON faster than a driver writes single values.
    await sql`insert into ${sql.table(table)} (${columns})
      select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${`[${batch.join()}]`}::json)`.execute(
      trx,
    );
    copied += batch.length;
    [batch, length] = [[], 0];
  };
  for (const row of query.iterate()) {
    const line = lineOf(table, row);
    batch.push(line);
    length += line.length;
    if (length >= BATCH_LENGTH) await flush();
  }
  if (batch.length > 0) await flush();
  return copied;
}

/** Returns a row as JSON that PostgreSQL reads. */
function lineOf(table: string, row: Row): string {
  return JSON.stringify(row, (column, value) => {
    if (value instanceof Uint8Array) return `\\x${value.toHex()}`;
    if (typeof value !== "string" || !value.includes("\0")) return value;
    throw new StartupError(`${table}.${column} contains the character U+0000, which PostgreSQL cannot store.`);
  });
}

/** Sets the next id of each table to one that was never assigned, even if the last rows are deleted. */
async function continueNumbers(backup: Database, trx: Transaction<Tables>): Promise<void> {
  const given = new Map(
    backup
      .query<{ name: string; seq: number }, []>("select name, seq from sqlite_sequence")
      .all()
      .map(({ name, seq }) => [name, seq]),
  );
  const { rows } = await sql<{ name: string; column: string }>`
    select table_name as name, column_name as column from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES'`.execute(trx);
  for (const { name, column } of rows) {
    await sql`
      select setval(pg_get_serial_sequence(${name}, ${column}), last) from
        (select greatest(max(${sql.ref(column)}), ${given.get(name) ?? 0}::bigint) as last from ${sql.table(name)}) as numbers
      where last > 0`.execute(trx);
  }
}
