import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { sql } from "kysely";
import type { DatabaseConfig } from "../config/config.ts";
import { postgresAddress } from "../config/database.ts";
import type { Db } from "./db.ts";
import { isSqlite } from "./dialect.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { currentSchema, inSchemaSession, SCHEMA } from "./postgres/schema.ts";
import { sessionClass } from "./postgres/session.ts";
import { canUse, schemaNumbers } from "./schema-number.ts";

/** Facts about a database that can be read without changing it. */
export interface DatabaseFacts {
  /** The engine and its version. */
  engine: string;
  /** Number of the newest applied migration; 0 if it has no Parley tables. */
  schema: number;
  /** The number of migrations that a build must know to use it. */
  floor: number;
  epoch: string | null;
  /** Damage that the engine reports; empty if there is none, or it was not checked. */
  damage: string;
  bytes: number;
  /** Absent: no connection pooler is before the database. */
  isPooled?: boolean;
}

/**
 * Inspects the database without migrating, locking or creating anything. null if there is no such file yet. Throws if
 * it cannot be read.
 */
export async function inspectDatabase(config: DatabaseConfig): Promise<DatabaseFacts | null> {
  return config.kind === "sqlite" ? inspectSqliteFile(config.path) : inspectPostgres(config.url);
}

/** Returns whether this build can read the database as it is: undamaged, and not to be migrated first. */
export function isReadable(facts: DatabaseFacts | Error | null): facts is DatabaseFacts {
  if (facts === null || facts instanceof Error || facts.damage !== "") return false;
  return facts.schema >= MIGRATIONS.length && canUse(facts, MIGRATIONS.length);
}

/** How long a check waits for PostgreSQL. */
const LIMIT_MS = 5_000;

interface MetaRow {
  key: string;
  value: string;
}

function metaFacts(rows: readonly MetaRow[]): Pick<DatabaseFacts, "schema" | "floor" | "epoch"> {
  const meta = new Map(rows.map(({ key, value }) => [key, value]));
  const { schema, floor } = schemaNumbers(meta);
  return { schema, floor, epoch: meta.get("epoch") ?? null };
}

/** Returns the facts of a SQLite file; `thorough` reads all of it. */
export function inspectSqliteFile(path: string, thorough = false): DatabaseFacts | null {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) return null;
  using database = new Database(path, { readonly: true });
  database.run("pragma busy_timeout = 2000");
  const text = (query: string): string => String(Object.values(database.query(query).get() ?? {})[0] ?? "");
  const damage = text(thorough ? "pragma integrity_check" : "pragma quick_check(10)");
  const meta = text("select count(*) from sqlite_schema where name = 'meta'") !== "0";
  return {
    engine: `SQLite ${text("select sqlite_version()")}`,
    ...metaFacts(meta ? database.query<MetaRow, []>("select key, value from meta").all() : []),
    damage: damage === "ok" ? "" : damage,
    // The newest writes are in the log until the next checkpoint.
    bytes: file.size + (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0),
  };
}

async function inspectPostgres(url: string): Promise<DatabaseFacts> {
  // Loaded only here: the other commands do not need it.
  const { default: pg } = await import("pg");
  const address = postgresAddress(url);
  const Session = sessionClass(pg.Client, { address, schema: null, waitMs: LIMIT_MS });
  const open = () => new Session({ query_timeout: LIMIT_MS });
  return inSchemaSession(open, async (session) => {
    const { client } = session;
    const schema = await currentSchema(session, address.schema ?? SCHEMA);
    const one = async (query: string): Promise<string | null> => {
      const { rows } = await client.query<{ value: string | number | null }>(query);
      return rows[0]?.value == null ? null : String(rows[0].value);
    };
    const table = `${client.escapeIdentifier(schema)}.meta`;
    const meta = (await one(`select to_regclass(${client.escapeLiteral(table)})::text as value`)) !== null;
    return {
      engine: `PostgreSQL ${await one("select current_setting('server_version') as value")}`,
      ...metaFacts(meta ? (await client.query<MetaRow>(`select key, value from ${table}`)).rows : []),
      damage: "",
      bytes: Number((await one("select pg_database_size(current_database()) as value")) ?? 0),
      isPooled: session.isPooled,
    };
  });
}

/**
 * Returns the names of a table's columns; none if the database has no such table. On PostgreSQL it looks only into the
 * server's own schema: neighbours in the same database may have tables of that name, and drop theirs at any time.
 */
export async function ownColumns(db: Db, table: string): Promise<string[]> {
  const query = isSqlite(db)
    ? sql<{ name: string }>`select name from pragma_table_info(${table})`
    : sql<{ name: string }>`
      select attname as name from pg_attribute join pg_class on pg_class.oid = attrelid
      where relnamespace = current_schema()::regnamespace and relname = ${table} and relkind = 'r'
        and attnum > 0 and not attisdropped`;
  return (await query.execute(db)).rows.map(({ name }) => name);
}
