import { expect, test } from "bun:test";
import { eachDialect } from "../../test/support/databases.ts";
import { eventually } from "../../test/support/servers/test-server.ts";
import { systemClock } from "../clock.ts";
import type { Db } from "./db.ts";
import { migrate } from "./migrate.ts";
import type { Migration } from "./migrations/migration.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { isBelowFloor, readSchema, schemaNumber } from "./schema-number.ts";
import { StartupError } from "./startup-error.ts";

const KNOWN = MIGRATIONS.length;

/** A migration that only adds. */
const ADDITION: Migration = {
  name: "9001-addition",
  up: ({ run, columns }) => run([`create table probe (id ${columns.id}) ${columns.table}`]),
};
const REMOVAL: Migration = {
  name: "9002-removal",
  floor: KNOWN + 1,
  up: ({ run }) => run(["drop table sticker_files"]),
};

async function rejection(act: Promise<unknown>): Promise<unknown> {
  return act.then(
    () => expect.unreachable("it did not fail"),
    (error) => error,
  );
}

eachDialect((name, open) => {
  test("an interrupted migration leaves nothing behind, and the next start repeats it", async () => {
    await using opened = await open();
    const { db, dialect } = opened;
    let broken = true;
    const next: Migration = {
      name: "9001-test",
      async up(step) {
        await ADDITION.up(step);
        if (broken) throw new Error("pulled the plug");
      },
    };
    const steps = [...MIGRATIONS, next];
    expect(await rejection(migrate(db, dialect, steps, systemClock))).toMatchObject({ message: "pulled the plug" });
    expect(await schemaNumber(db)).toBe(KNOWN);
    broken = false;
    await migrate(db, dialect, steps, systemClock);
    expect(await schemaNumber(db)).toBe(KNOWN + 1);
  });

  test("an older build uses a schema with additions, and refuses it once something is removed", async () => {
    await using opened = await open();
    const { db, dialect } = opened;
    await migrate(db, dialect, [...MIGRATIONS, ADDITION], systemClock);
    await migrate(db, dialect, MIGRATIONS, systemClock);
    expect(await isBelowFloor(db, KNOWN)).toBe(false);
    expect(await readSchema(db)).toMatchObject({ schema: KNOWN + 1, indexed: KNOWN + 1 });
    await migrate(db, dialect, [...MIGRATIONS, ADDITION, REMOVAL], systemClock);
    expect(await readSchema(db)).toEqual({ schema: KNOWN + 2, floor: KNOWN + 1, indexed: KNOWN + 2 });
    const refusal = await rejection(migrate(db, dialect, MIGRATIONS, systemClock));
    expect(refusal).toBeInstanceOf(StartupError);
    expect(String(refusal)).toContain("newer Parley");
    expect(await isBelowFloor(db, KNOWN)).toBe(true);
    await migrate(db, dialect, [...MIGRATIONS, ADDITION], systemClock);
  });

  test("the schema of a version that stored no floor is for versions with all of its migrations", async () => {
    await using opened = await open();
    const { db, dialect } = opened;
    await db.deleteFrom("meta").where("key", "in", ["schema_floor", "schema_indexed"]).execute();
    expect(await isBelowFloor(db, KNOWN)).toBe(false);
    expect(await isBelowFloor(db, KNOWN - 1)).toBe(true);
    await migrate(db, dialect, [...MIGRATIONS, ADDITION], systemClock);
    expect(await readSchema(db)).toMatchObject({ schema: KNOWN + 1, indexed: KNOWN + 1 });
  });

  test("indexes of a migration are built with it where no other node runs", async () => {
    await using opened = await open();
    const { db, dialect } = opened;
    const step: Migration = { ...ADDITION, indexes: [{ name: "users_probe", on: "users (created_at)" }] };
    await migrate(db, dialect, [...MIGRATIONS, step], systemClock);
    expect(await readSchema(db)).toMatchObject({ indexed: KNOWN + 1 });
    // Fails unless the index exists.
    await migrate(
      db,
      dialect,
      [...MIGRATIONS, step, { name: "9002", up: ({ run }) => run(["drop index users_probe"]) }],
      systemClock,
    );
  });

  if (name !== "postgres") return;

  test("nodes that start at once migrate once", async () => {
    await using opened = await open();
    const { db, dialect } = opened;
    let runs = 0;
    const next: Migration = {
      name: "9001-test",
      async up(step) {
        runs++;
        await ADDITION.up(step);
      },
    };
    const steps = [...MIGRATIONS, next];
    await Promise.all([1, 2, 3].map(() => migrate(db, dialect, steps, systemClock)));
    expect(runs).toBe(1);
  });

  test("a table is removed after the nodes that use it have ended", async () => {
    await using opened = await open();
    const { db, dialect } = opened;
    const told: unknown[] = [];
    const log = { info: (fields: unknown) => told.push(fields), warn: (fields: unknown) => told.push(fields) };
    await addNode(db, "old", KNOWN);
    const migrating = migrate(db, dialect, [...MIGRATIONS, ADDITION, REMOVAL], systemClock, { log });
    await eventually("the floor is raised", async () => (await readSchema(db)).floor === KNOWN + 1);
    await eventually("it waits", () => told.some((each) => (each as { nodes?: string[] }).nodes?.[0] === "old"));
    // The node's heartbeat finds the same.
    expect(await isBelowFloor(db, KNOWN)).toBe(true);
    await db.selectFrom("sticker_files").select("sticker_id").execute();
    await db.updateTable("nodes").set({ seen_at: 0 }).execute();
    await migrating;
    expect(await schemaNumber(db)).toBe(KNOWN + 2);
    expect(told).toContainEqual(expect.objectContaining({ migration: "9002-removal", of: KNOWN + 2 }));
  });
});

async function addNode(db: Db, name: string, knows: number): Promise<void> {
  const row = { id: name, name, version: "", shards: "", state: "ready" as const, seen_at: Date.now() };
  await db
    .insertInto("nodes")
    .values({ ...row, schema_number: knows })
    .execute();
}
