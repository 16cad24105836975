import { beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { PGlite } from "@electric-sql/pglite";
import { Kysely, PGliteDialect } from "kysely";
import pg from "pg";
import { type Clock, systemClock } from "../../src/clock.ts";
import type { OpenDatabase } from "../../src/db/database.ts";
import { guardedDialect } from "../../src/db/guarded-dialect.ts";
import { migrate } from "../../src/db/migrate.ts";
import { MIGRATIONS } from "../../src/db/migrations/migrations.ts";
import { openPostgres } from "../../src/db/postgres/postgres.ts";
import { openSqlite } from "../../src/db/sqlite/sqlite.ts";
import type { Tables } from "../../src/db/tables/tables.ts";
import { PostgresSchemas } from "./postgres-schemas.ts";
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

const postgresProblem = await problemOfPostgres();

/** Whether suites of whole servers can use PostgreSQL. */
export const isPostgresReachable = postgresProblem === null;

/**
 * Runs a suite once per supported database: on SQLite and on PostgreSQL. Where no PostgreSQL is reachable, PGlite, which
 * is PostgreSQL in this process, takes its place; if services are required (CI=true or PARLEY_REQUIRE_SERVICES=1), that
 * fails.
 */
export function eachDatabase(suite: (name: BackendName, open: OpenFresh) => void): void {
  describe("on sqlite", () => suite("sqlite", openFreshSqlite));
  if (postgresProblem === null) {
    describe("on postgres", () => suite("postgres", openFreshPostgres));
    return;
  }
  if (process.env.CI === "true" || process.env.PARLEY_REQUIRE_SERVICES === "1") {
    test("PostgreSQL is reachable", () => expect(postgresProblem).toBeNull());
  }
  describe("on pglite", () => {
    // Starts PGlite outside the time limit of the first test, because that takes up to a minute on a busy machine.
    beforeAll(async () => void (await startedPglite()), 2 * CONNECTION_MS);
    suite("pglite", openFreshPglite);
  });
}

/** A new SQLite database in memory, for tests that do not depend on the SQL dialect. */
export async function openFreshSqlite(clock: Clock = systemClock): Promise<OpenDatabase> {
  const image = await migratedSqlite(clock);
  const { db, close } = await openSqlite(":memory:", clock, { mode: "server", onFatal: () => {}, image });
  return { db, dialect: "sqlite", [Symbol.asyncDispose]: close };
}

/** The schemas of all files of a process. */
let schemas: Promise<PostgresSchemas> | undefined;

function postgresSchemas(): Promise<PostgresSchemas> {
  schemas ??= PostgresSchemas.open(POSTGRES_URL, CONNECTION_MS);
  return schemas;
}

async function openFreshPostgres(clock: Clock = systemClock): Promise<OpenDatabase> {
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

/** One PGlite for all files of a run, because starting it takes seconds. Each opened database gets its own schema. */
const shared: { started?: Promise<PGlite>; isOpen: boolean } = { isOpen: false };

function startedPglite(): Promise<PGlite> {
  shared.started ??= PGlite.create({ parsers: { 20: Number } });
  return shared.started;
}

async function openFreshPglite(clock: Clock = systemClock): Promise<OpenDatabase> {
  if (shared.isOpen) throw new Error("PGlite has one session: close the database that is open before opening another.");
  shared.isOpen = true;
  const pglite = await startedPglite();
  const schema = schemaName();
  await pglite.exec(`create schema ${schema}; set search_path to ${schema}`);
  const dialect = new PGliteDialect({ pglite: withoutEnd(pglite) });
  const db = new Kysely<Tables>({ dialect: guardedDialect(dialect, { single: true }) });
  await migrate(db, "postgres", MIGRATIONS, clock);
  return {
    db,
    dialect: "postgres",
    [Symbol.asyncDispose]: async () => {
      // From here on, work that an earlier test left in the background is refused, so that it cannot write into the
      // next database.
      await db.destroy();
      await pglite.exec(`drop schema ${schema} cascade`);
      shared.isOpen = false;
    },
  };
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

async function problemOfPostgres(): Promise<string | null> {
  try {
    await onPostgres("select 1");
    return null;
  } catch (error) {
    const problem = `${POSTGRES_URL}: ${error instanceof Error ? error.message || error.name : String(error)}`;
    console.error(`\n!! PostgreSQL is not reachable, its half of the store suites is SKIPPED (${problem})\n`);
    return problem;
  }
}
