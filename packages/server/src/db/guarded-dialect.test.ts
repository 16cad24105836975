import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { Kysely } from "kysely";
import { eventually } from "../../test/support/servers/test-server.ts";
import { systemClock } from "../clock.ts";
import { guardedDialect } from "./guarded-dialect.ts";
import { bunSqliteDialect } from "./sqlite/driver.ts";

interface Notes {
  notes: { text: string };
}

const refusal = (act: Promise<unknown>): Promise<string> =>
  act.then(
    () => "none",
    (error) => String(error),
  );

/** A database whose commits reach the disk when the test says so. */
function setUp() {
  const file = new Database(":memory:");
  file.run("create table notes (text text primary key) strict");
  const disk: { commits: number; settled: Promise<void> | undefined } = { commits: 0, settled: undefined };
  const inner = bunSqliteDialect(file, systemClock, {
    onFatal: (error) => expect.unreachable(String(error)),
    onCommit: () => disk.commits++,
  });
  const db = new Kysely<Notes>({ dialect: guardedDialect(inner, { single: true, settled: () => disk.settled }) });
  const commitsOf = async (act: () => Promise<unknown>): Promise<number> => {
    disk.commits = 0;
    await act();
    return disk.commits;
  };
  return { file, db, disk, commitsOf, put: (text: string) => db.insertInto("notes").values({ text }) };
}

test("each commit is reported, of a single write or a transaction, and no read or failed write", async () => {
  const { db, commitsOf, put } = setUp();
  expect(await commitsOf(() => put("a").execute())).toBe(1);
  expect(await commitsOf(() => put("b").returning("text").execute())).toBe(1);
  expect(await commitsOf(() => db.updateTable("notes").set({ text: "c" }).where("text", "=", "b").execute())).toBe(1);
  const two = () =>
    db.transaction().execute(async (trx) => {
      for (const text of ["d", "e"]) await trx.insertInto("notes").values({ text }).execute();
    });
  expect(await commitsOf(two)).toBe(1);
  expect(await commitsOf(() => db.selectFrom("notes").selectAll().execute())).toBe(0);
  expect(await commitsOf(async () => expect(await refusal(put("a").execute())).toContain("UNIQUE"))).toBe(0);
});

test("no result is returned before its data is on disk, and the connection is free in the meantime", async () => {
  const { file, db, disk, put } = setUp();
  const synced = Promise.withResolvers<void>();
  disk.settled = synced.promise;
  const told: string[] = [];
  const work = [
    put("a")
      .execute()
      .then(() => told.push("alone")),
    db
      .transaction()
      .execute((trx) => trx.insertInto("notes").values({ text: "b" }).execute())
      .then(() => told.push("transaction")),
    db
      .selectFrom("notes")
      .selectAll()
      .execute()
      .then((rows) => told.push(`read ${rows.length}`)),
  ];
  await eventually(
    "both are committed",
    () => !file.inTransaction && file.query("select 1 from notes where text = 'b'").get() !== null,
  );
  expect(told).toEqual([]);
  synced.resolve();
  await Promise.all(work);
  expect(told.sort()).toEqual(["alone", "read 2", "transaction"]);
});

test("when the disk fails, the write fails, and so does any read of its data", async () => {
  const { db, disk, put } = setUp();
  const broken = new Error("the disk is broken");
  const failed = Promise.reject(broken);
  failed.catch(() => {});
  disk.settled = failed;
  await expect(put("a").execute()).rejects.toBe(broken);
  await expect(db.selectFrom("notes").selectAll().execute()).rejects.toBe(broken);
  await expect(db.transaction().execute(async () => {})).rejects.toBe(broken);
});
