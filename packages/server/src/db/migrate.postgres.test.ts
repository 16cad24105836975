import { describe, expect, test } from "bun:test";
import pg from "pg";
import { onPostgres, openPlace } from "../../test/support/databases.ts";
import { eventually } from "../../test/support/servers/test-server.ts";
import { systemClock } from "../clock.ts";
import { openDatabase } from "./database.ts";
import { migrate } from "./migrate.ts";
import type { Migration } from "./migrations/migration.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { schemaNumber } from "./schema-number.ts";

const KNOWN = MIGRATIONS.length;

describe("a migration of a table in use", () => {
  test("lets the queries of others pass while it waits for a long transaction", async () => {
    await using place = await openPlace();
    await using opened = await openDatabase({ kind: "postgres", url: place.url }, systemClock, { mode: "tool" });
    const holder = new pg.Client({ connectionString: place.url });
    await holder.connect();
    await holder.query("begin; select count(*) from users");
    const complaints: unknown[] = [];
    const log = { info: () => {}, warn: (text: unknown) => complaints.push(text) };
    const step: Migration = { name: "9001", up: ({ run }) => run(["alter table users add column probe bigint"]) };
    let done = false;
    const migrating = migrate(opened.db, "postgres", [...MIGRATIONS, step], systemClock, { log }).then(() => {
      done = true;
    });
    const waits = `select 1 from pg_locks where relation = 'users'::regclass and not granted and mode = 'AccessExclusiveLock'`;
    await eventually("it waits for the lock", async () => (await onPostgres(waits, place.url)).length > 0);
    // This one waits behind it, but not until the transaction ends.
    await onPostgres("select count(*) from users", place.url);
    await eventually("it says so", () => complaints.length > 0);
    expect(done).toBe(false);
    await holder.end();
    await migrating;
    expect(await schemaNumber(opened.db)).toBe(KNOWN + 1);
  });
});
