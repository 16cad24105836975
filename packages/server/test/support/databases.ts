import { beforeAll, describe } from "bun:test";
import { randomBytes } from "node:crypto";
import pg from "pg";
import { type Clock, systemClock } from "../../src/clock.ts";
import type { OpenDatabase } from "../../src/db/database.ts";
import { openPostgres } from "../../src/db/postgres/postgres.ts";
import { openSqlite } from "../../src/db/sqlite/sqlite.ts";
import { openFreshPglite, startedPglite } from "./pglite.ts";
import { type Schemas, schemasOf } from "./postgres-schemas.ts";
import { migratedSqlite } from "./sqlite-template.ts";

/** Returns a new, migrated database; close it (`await using`) when done. With PGlite only one can be open at a time. */
export type OpenFresh = (clock?: Clock) => Promise<OpenDatabase>;

export type BackendName = "sqlite" | "pglite" | "postgres";

/** The PostgreSQL that tests may use: they create schemas in it and drop them again. */
export const POSTGRES_URL = process.env.PARLEY_TEST_DATABASE_URL ?? "postgres://root@127.0.0.1:5432/test";

/**
 * The time to wait for a connection. Concurrent acts queue for few connections, and each waits for the disk, which is
 * sometimes slow and not under test. If nothing listens, the connection is refused at once.
 */
export const CONNECTION_MS = 60_000;

/**
 * The databases that suites run on: `PARLEY_TEST_DATABASES`, separated by commas. The runner (tools/run.mjs) says which;
 * nothing here looks for a PostgreSQL. By default these are SQLite and, if `PARLEY_TEST_DATABASE_URL` names one, PostgreSQL,
 * else PGlite.
 */
const BACKENDS = backendsOf(
  process.env.PARLEY_TEST_DATABASES ?? (process.env.PARLEY_TEST_DATABASE_URL ? "sqlite,postgres" : "sqlite,pglite"),
);

/** The databases that whole servers run on: SQLite, and PostgreSQL when the runner asks for it. */
export const SERVER_DATABASES = BACKENDS.filter((name) => name !== "pglite");

/**
 * Runs a suite of a service or a server once per database: on SQLite and, in `npm run test:all`, on PostgreSQL.
 */
export function eachDatabase(suite: (name: BackendName, open: OpenFresh) => void | Promise<void>): void {
  for (const name of SERVER_DATABASES) describe(`on ${name}`, () => suite(name, OPENERS[name]));
}

/**
 * Runs a suite of stores or of `src/db` once per dialect of SQL: on SQLite, and on PGlite, which is PostgreSQL in this
 * process, or in `npm run test:all` on PostgreSQL.
 */
export function eachDialect(suite: (name: BackendName, open: OpenFresh) => void): void {
  for (const name of BACKENDS) {
    describe(`on ${name}`, () => {
      // Starts it outside the time limit of the first test.
      if (name === "pglite") beforeAll(async () => void (await startedPglite()), 2 * CONNECTION_MS);
      suite(name, OPENERS[name]);
    });
  }
}

/** A new SQLite database in memory, for tests that do not depend on the SQL dialect. */
export async function openFreshSqlite(clock: Clock = systemClock): Promise<OpenDatabase> {
  const image = await migratedSqlite(clock);
  const { db, close } = await openSqlite(":memory:", clock, { mode: "server", onFatal: () => {}, image });
  return { db, dialect: "sqlite", [Symbol.asyncDispose]: close };
}

/** The schemas of all files of a process. */
let schemas: Promise<Schemas> | undefined;

function postgresSchemas(): Promise<Schemas> {
  schemas ??= schemasOf(POSTGRES_URL, CONNECTION_MS);
  return schemas;
}

/** A new schema of PostgreSQL, for tests of what only a server of its own does. */
export async function openFreshPostgres(clock: Clock = systemClock): Promise<OpenDatabase> {
  const schemas = await postgresSchemas();
  const schema = await schemas.take(clock);
  const { db, close } = await openPostgres(POSTGRES_URL, clock, { schema, poolSize: 4, waitMs: CONNECTION_MS });
  return {
    db,
    dialect: "postgres",
    [Symbol.asyncDispose]: async () => {
      await close();
      await schemas.release(schema);
    },
  };
}

const OPENERS: Readonly<Record<BackendName, OpenFresh>> = {
  sqlite: openFreshSqlite,
  pglite: openFreshPglite,
  postgres: openFreshPostgres,
};

/**
 * Creates an empty PostgreSQL schema that several servers can share by its URL. Disposing of it drops the schema with
 * its content.
 */
export async function openPlace(): Promise<AsyncDisposable & { url: string }> {
  const schema = schemaName();
  await onPostgres(`create schema ${schema}`);
  const url = new URL(POSTGRES_URL);
  url.searchParams.set("options", `-c search_path=${schema}`);
  return {
    url: url.href,
    [Symbol.asyncDispose]: async () => void (await onPostgres(`drop schema ${schema} cascade`)),
  };
}

/**
 * Returns a migrated PostgreSQL schema, as `openPlace` an empty one. Disposing of it ends the sessions that still use
 * its URL.
 */
export async function openMigratedPlace(clock: Clock = systemClock): Promise<AsyncDisposable & { url: string }> {
  const schemas = await postgresSchemas();
  const schema = await schemas.take(clock);
  const url = new URL(POSTGRES_URL);
  url.searchParams.set("options", `-c search_path=${schema}`);
  // By this name, `releaseFrom` finds the sessions.
  url.searchParams.set("application_name", schema);
  return { url: url.href, [Symbol.asyncDispose]: () => schemas.releaseFrom(schema) };
}

function schemaName(): string {
  return `parley_${randomBytes(6).toString("hex")}`;
}

/** Runs one statement over its own connection and returns its result. */
export async function onPostgres(statement: string, url = POSTGRES_URL): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECTION_MS });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

function backendsOf(list: string): BackendName[] {
  return list.split(",").map((name) => {
    if (name !== "sqlite" && name !== "pglite" && name !== "postgres")
      throw new Error(`PARLEY_TEST_DATABASES: ${name}?`);
    return name;
  });
}
