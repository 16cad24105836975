import { describe, expect, test } from "bun:test";
import pg from "pg";
import { onPostgres, openPlace } from "../../../test/support/databases.ts";
import { eventually } from "../../../test/support/servers/test-server.ts";
import { systemClock } from "../../clock.ts";
import { openDatabase } from "../database.ts";
import { migrate } from "../migrate.ts";
import type { Migration } from "../migrations/migration.ts";
import { MIGRATIONS } from "../migrations/migrations.ts";
import { readSchema } from "../schema-number.ts";
import { buildIndexes } from "./later-indexes.ts";

const KNOWN = MIGRATIONS.length;
const INDEXED: Migration = {
  name: "9001-indexed",
  up: ({ run }) => run(["alter table users add column probe bigint"]),
  indexes: [
    { name: "users_probe", on: "users (probe)" },
    { name: "users_probe_some", on: "users (created_at) where probe is null" },
  ],
};
const STEPS = [...MIGRATIONS, INDEXED];

/** A database on which only the indexes are missing. */
async function openUnindexed() {
  const stack = new AsyncDisposableStack();
  const place = stack.use(await openPlace());
  const config = { kind: "postgres", url: place.url } as const;
  const { db } = stack.use(await openDatabase(config, systemClock, { mode: "tool" }));
  await migrate(db, "postgres", STEPS, systemClock, { laterIndexes: true });
  const told: string[] = [];
  const log = { info: (_: unknown, text?: string) => told.push(String(text)), warn: () => {} };
  const open = () => new pg.Client({ connectionString: place.url, application_name: "builder" });
  const build = () => buildIndexes({ db, migrations: STEPS, open, clock: systemClock, log });
  const indexes = () =>
    onPostgres(
      `select relname as name, indisvalid as valid from pg_index join pg_class on oid = indexrelid
       where relnamespace = current_schema()::regnamespace and relname like 'users_probe%' order by 1`,
      place.url,
    );
  return { db, url: place.url, build, told, indexes, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const BOTH = [
  { name: "users_probe", valid: true },
  { name: "users_probe_some", valid: true },
];

describe("indexes of tables in use", () => {
  test("are built by one of several nodes, once", async () => {
    await using place = await openUnindexed();
    expect(await readSchema(place.db)).toMatchObject({ schema: KNOWN + 1, indexed: KNOWN });
    await Promise.all([1, 2, 3].map(() => place.build()));
    expect(await place.indexes()).toEqual(BOTH);
    expect(place.told.filter((text) => text.startsWith("building"))).toHaveLength(2);
    expect(await readSchema(place.db)).toMatchObject({ indexed: KNOWN + 1 });
  });

  test("are built beside writers; one whose building was interrupted is built again", async () => {
    await using place = await openUnindexed();
    const reader = new pg.Client({ connectionString: place.url });
    await reader.connect();
    // PostgreSQL waits for this snapshot before it declares an index valid.
    await reader.query("begin isolation level repeatable read; select count(*) from users");
    const building = place.build().catch((error: Error) => error);
    const created = async () => (await place.indexes())[0]?.valid === false;
    await eventually("the index exists, but is not valid yet", created);
    await onPostgres("update users set probe = 1; update meta set value = value", place.url);
    const ended = await onPostgres(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'builder' and query like 'create index concurrently%'`,
      place.url,
    );
    expect(ended).toHaveLength(1);
    expect(await building).toBeInstanceOf(Error);
    expect(await place.indexes()).toEqual([{ name: "users_probe", valid: false }]);
    expect(await readSchema(place.db)).toMatchObject({ indexed: KNOWN });
    await reader.end();
    await place.build();
    expect(await place.indexes()).toEqual(BOTH);
    await onPostgres("drop index users_probe", place.url);
    await place.build();
    expect(await place.indexes()).toHaveLength(1);
  });
});
