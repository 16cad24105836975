import { Database } from "bun:sqlite";
import { type Dialect, Kysely, PostgresDialect, sql } from "kysely";
import type { Clock } from "../clock.ts";
import type { DatabaseConfig } from "../config/config.ts";
import { postgresAddress } from "../config/database.ts";
import type { Db } from "./db.ts";
import { parserOf } from "./postgres/postgres.ts";
import { currentSchema, inSchemaSession, SCHEMA } from "./postgres/schema.ts";
import { sessionClass } from "./postgres/session.ts";
import { bunSqliteDialect } from "./sqlite/driver.ts";
import type { Tables } from "./tables/tables.ts";

/**
 * Reads a consistent snapshot of a database, whether or not a server runs, without changing, locking or migrating it.
 */
export async function readSnapshot<T>(config: DatabaseConfig, clock: Clock, act: (db: Db) => Promise<T>): Promise<T> {
  const db = new Kysely<Tables>({ dialect: await readingDialect(config, clock) });
  try {
    return await db.connection().execute(async (connection) => {
      await sql
        .raw(config.kind === "sqlite" ? "begin" : "begin isolation level repeatable read read only")
        .execute(connection);
      try {
        return await act(connection);
      } finally {
        await sql.raw("rollback").execute(connection);
      }
    });
  } finally {
    await db.destroy();
  }
}

async function readingDialect(config: DatabaseConfig, clock: Clock): Promise<Dialect> {
  if (config.kind === "sqlite") {
    const database = new Database(config.path, { readonly: true });
    database.run("pragma busy_timeout = 2000");
    return bunSqliteDialect(database, clock, { onFatal: () => {}, onCommit: () => {} });
  }
  // Loaded only here, so that a server on SQLite does not carry it in memory.
  const { default: pg } = await import("pg");
  const types = {
    getTypeParser: (oid: number, format?: "text" | "binary") => parserOf(oid) ?? pg.types.getTypeParser(oid, format),
  };
  const address = postgresAddress(config.url);
  const waitMs = 5_000;
  const Looking = sessionClass(pg.Client, { address, schema: null, waitMs });
  const schema = await inSchemaSession(
    () => new Looking(),
    (session) => currentSchema(session, address.schema ?? SCHEMA),
  );
  const Client = sessionClass(pg.Client, { address, schema, waitMs });
  const pool = new pg.Pool({ max: 1, types, connectionTimeoutMillis: waitMs, Client });
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return new PostgresDialect({ pool });
}
