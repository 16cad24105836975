import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/clock.ts";
import { openDatabase } from "../../src/db/database.ts";
import { temporaryFolder } from "../support/config.ts";
import { onPostgres, openPlace } from "../support/databases.ts";

const PROGRAM = join(import.meta.dir, "../support/faults/killed-migration.ts");
/** Every statement takes a process of half a second, so by default only every fifth of them is tried. */
const EVERY = Number(process.env.PARLEY_TEST_MIGRATION_KILLS_EVERY ?? 5);
const TIMEOUT_MS = 240_000;

/** Runs the migration in a process. Returns the number of statements, or null if it was killed before that one. */
async function migrateUntil(place: string, fatal: number): Promise<number | null> {
  const child = Bun.spawn([process.execPath, PROGRAM, place, String(fatal)], {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  await child.exited;
  if (child.signalCode === "SIGKILL") return null;
  if (child.exitCode !== 0) throw new Error(err);
  return Number(out);
}

interface Place {
  address: string;
  /** The tables, columns, indexes, and the rows that migrations write. */
  describe(): Promise<unknown>;
}

/** Kills the migration before one statement after another, each time of a new database. */
async function killEverywhere(inPlace: <T>(act: (place: Place) => Promise<T>) => Promise<T>): Promise<void> {
  const { count, wanted } = await inPlace(async (place) => ({
    count: (await migrateUntil(place.address, 0)) ?? 0,
    wanted: await place.describe(),
  }));
  expect(count).toBeGreaterThan(10);
  expect(JSON.stringify(wanted)).toContain("users_by_probe");
  for (let fatal = 1; fatal <= count; fatal += EVERY) {
    await inPlace(async (place) => {
      expect({ fatal, ended: await migrateUntil(place.address, fatal) }).toEqual({ fatal, ended: null });
      expect(await migrateUntil(place.address, 0)).not.toBeNull();
      expect({ fatal, schema: await place.describe() }).toEqual({ fatal, schema: wanted });
    });
  }
}

test(
  "a migration of SQLite that is killed before any statement is completed by the next start",
  async () => {
    const template = join(temporaryFolder(), "parley.sqlite");
    await (await openDatabase({ kind: "sqlite", path: template }, systemClock))[Symbol.asyncDispose]();
    await killEverywhere(async (act) => {
      const address = join(temporaryFolder(), "parley.sqlite");
      cpSync(template, address);
      const describe = async () => {
        using database = new Database(address, { readonly: true });
        const of = (query: string) => database.query(query).all();
        return [
          of("select type, name, sql from sqlite_schema order by name"),
          of("select * from meta order by key"),
          of("select name from probes order by id"),
        ];
      };
      return act({ address, describe });
    });
  },
  TIMEOUT_MS,
);

describe("on PostgreSQL", () => {
  test(
    "a migration that is killed before any statement is completed by the next start",
    async () => {
      await killEverywhere(async (act) => {
        await using place = await openPlace();
        const config = { kind: "postgres", url: place.url } as const;
        await (await openDatabase(config, systemClock, { mode: "tool" }))[Symbol.asyncDispose]();
        const describe = async () => [
          await onPostgres(
            `select table_name, column_name, data_type, is_nullable from information_schema.columns
             where table_schema = current_schema() order by 1, 2`,
            place.url,
          ),
          await onPostgres(
            `select relname as name, indisvalid as valid from pg_index join pg_class on oid = indexrelid
             where relnamespace = current_schema()::regnamespace order by 1`,
            place.url,
          ),
          await onPostgres("select * from meta where key <> 'epoch' order by key", place.url),
          await onPostgres("select name from probes order by id", place.url),
        ];
        return await act({ address: place.url, describe });
      });
    },
    TIMEOUT_MS,
  );
});
