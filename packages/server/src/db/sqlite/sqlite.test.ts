import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { CompiledQuery, Kysely } from "kysely";
import { temporaryFolder } from "../../../test/support/config.ts";
import { sqliteFiles } from "../../../test/support/faults/sqlite-files.ts";
import { transactional } from "../../../test/support/transactional.ts";
import { systemClock } from "../../clock.ts";
import { isStorageFull, isUnavailable, type OpenDatabase, readEpoch } from "../database.ts";
import { migrate } from "../migrate.ts";
import { MIGRATIONS } from "../migrations/migrations.ts";
import { schemaNumber } from "../schema-number.ts";
import type { Tables } from "../tables/tables.ts";
import { transact } from "../transact.ts";
import { bunSqliteDialect, isFatalStorageError } from "./driver.ts";

const HOLDER = join(import.meta.dir, "../../../test/support/faults/hold-database.ts");

const { newPath, open, refusal, cleanUp } = sqliteFiles();

/** Starts another process that holds the file as its server. */
async function holder(path: string) {
  const child = Bun.spawn([process.execPath, HOLDER, path], { stdout: "pipe", stderr: "pipe" });
  cleanUp(() => child.kill("SIGKILL"));
  const reader = child.stdout.getReader();
  let said = "";
  while (!said.includes("committed")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The other process ended: ${await new Response(child.stderr).text()}`);
    said += new TextDecoder().decode(value);
  }
  return child;
}

const epochOf = ({ db }: OpenDatabase) => readEpoch(db);

test("the folder, the file and its side files are private to this user", async () => {
  const path = newPath();
  await open(path);
  const mode = (file: string) => (statSync(file).mode & 0o777).toString(8);
  expect(mode(join(path, ".."))).toBe("700");
  expect(["", "-wal", "-shm", ".lock"].map((end) => mode(path + end))).toEqual(["600", "600", "600", "600"]);
});

test("a server syncs the write-ahead log itself, a tool leaves it to SQLite; foreign keys are enforced", async () => {
  const path = newPath();
  for (const [mode, synchronous] of [
    ["server", 1],
    ["tool", 2],
  ] as const) {
    const { db } = await open(path, { mode });
    const pragma = async (name: string) =>
      Object.values((await db.executeQuery<object>(CompiledQuery.raw(`pragma ${name}`))).rows[0] ?? {})[0];
    expect(await pragma("journal_mode")).toBe("wal");
    expect(await pragma("synchronous")).toBe(synchronous);
    expect(await pragma("foreign_keys")).toBe(1);
  }
});

test("data and epoch survive a restart", async () => {
  const path = newPath();
  const first = await open(path);
  const epoch = await epochOf(first);
  await first.db.insertInto("meta").values({ key: "k", value: "v" }).execute();
  await first[Symbol.asyncDispose]();
  const second = await open(path);
  expect(await epochOf(second)).toBe(epoch);
  expect(await second.db.selectFrom("meta").select("value").where("key", "=", "k").execute()).toEqual([{ value: "v" }]);
});

test("two databases have different epochs", async () => {
  expect(await epochOf(await open(newPath()))).not.toBe(await epochOf(await open(newPath())));
});

test("a second server on the file is refused within a second, in this process or another one", async () => {
  const path = newPath();
  await open(path);
  const started = systemClock.monotonic();
  expect(await refusal(path)).toContain("Another Parley server is using");
  expect(systemClock.monotonic() - started).toBeLessThan(1_000);

  const child = Bun.spawn([process.execPath, HOLDER, path], { stdout: "ignore", stderr: "pipe" });
  expect(await new Response(child.stderr).text()).toContain("Another Parley server is using");
  expect(await child.exited).toBe(1);
});

test("another path to the same file does not bypass the lock", async () => {
  const path = newPath();
  await open(path);
  const alias = join(temporaryFolder(), "alias.sqlite");
  symlinkSync(path, alias);
  expect(await refusal(alias)).toContain("Another Parley server is using");
});

test("a killed server leaves no lock behind and loses no commit", async () => {
  const path = newPath();
  for (let round = 0; round < 3; round++) {
    const other = await holder(path);
    expect(await refusal(path)).toContain("Another Parley server is using");
    other.kill("SIGKILL");
    await other.exited;
    const mine = await open(path);
    expect(await mine.db.selectFrom("meta").select("value").where("key", "=", "held").execute()).toEqual([
      { value: "yes" },
    ]);
    await mine[Symbol.asyncDispose]();
  }
});

test("a refused start releases everything", async () => {
  const path = newPath();
  const first = await open(path);
  const numbers = first.db.updateTable("meta").where("key", "in", ["schema", "schema_floor"]);
  await numbers.set({ value: "99" }).execute();
  await first[Symbol.asyncDispose]();
  expect(await refusal(path)).toContain("newer Parley (schema 99");
  expect(await refusal(path, { mode: "tool" })).toContain("newer Parley (schema 99");
  // No connection is left: the last one to close would delete the log.
  const other = new Database(path);
  other.run("update meta set value = ? where key in ('schema', 'schema_floor')", [String(MIGRATIONS.length)]);
  other.close();
  await open(path);
});

test("the command line reads and writes beside a running server", async () => {
  const path = newPath();
  await holder(path);
  const tool = await open(path, { mode: "tool" });
  await tool.db.insertInto("control_log").values({ kind: "key_revoked", subject: "1", created_at: 1 }).execute();
  expect(await tool.db.selectFrom("control_log").selectAll().execute()).toHaveLength(1);
});

test("the command line creates a database and lets a server take it", async () => {
  const path = newPath();
  const tool = await open(path, { mode: "tool" });
  const epoch = await epochOf(tool);
  expect(await epochOf(await open(path))).toBe(epoch);
});

test("a new file is filled in one transaction or not at all", async () => {
  const file = new Database(":memory:");
  const db = new Kysely<Tables>({
    dialect: bunSqliteDialect(file, systemClock, { onFatal: () => {}, onCommit: () => {} }),
  });
  cleanUp(() => file.close());
  const broken = { name: "broken", up: () => Promise.reject(new Error("pulled the plug")) };
  await expect(migrate(db, "sqlite", [...MIGRATIONS, broken], systemClock)).rejects.toThrow("pulled the plug");
  expect(file.query("select name from sqlite_schema").all()).toEqual([]);
  await migrate(db, "sqlite", MIGRATIONS, systemClock);
  expect(await schemaNumber(db)).toBe(MIGRATIONS.length);
});

test("the command line does not migrate under a running server", async () => {
  const path = newPath();
  const server = await open(path);
  await server.db.updateTable("meta").set({ value: "0" }).where("key", "=", "schema").execute();
  expect(await refusal(path, { mode: "tool" })).toContain("starting or has an older version");
});

test("a write waits for another process's transaction without blocking the event loop", async () => {
  const path = newPath();
  // With this clock no wait is ever too long, however slow the machine.
  const { db } = await open(path, {}, { ...systemClock, monotonic: () => 0 });
  const ctx = transactional({ db } as OpenDatabase);
  const other = new Database(path);
  cleanUp(() => other.close());
  for (const write of [
    () => db.insertInto("meta").values({ key: "plain", value: "" }).execute(),
    () => transact(ctx, (ctx) => ctx.db.insertInto("meta").values({ key: "transaction", value: "" }).execute()),
  ]) {
    other.run("begin immediate");
    const written = write();
    // Runs only if the event loop is not blocked.
    setTimeout(() => other.run("commit"), 20);
    await written;
  }
  expect(await db.selectFrom("meta").select("key").where("value", "=", "").execute()).toHaveLength(2);
});

test("a write fails as unavailable if the file stays locked", async () => {
  const path = newPath();
  let now = 0;
  // Each reading of the clock is a second later, so that nobody waits.
  const { db } = await open(path, {}, { ...systemClock, monotonic: () => (now += 1_000) });
  const other = new Database(path);
  cleanUp(() => other.close());
  other.run("begin immediate");
  const error = await db
    .deleteFrom("control_log")
    .execute()
    .catch((error) => error);
  expect(isUnavailable(error)).toBe(true);
  expect(await db.selectFrom("channels").select("slug").execute()).toEqual([{ slug: "general" }]);
  other.run("rollback");
  await db.deleteFrom("control_log").execute();
});

test("writes that queue behind a lock share one wait, and a later lock gets a wait of its own", async () => {
  const path = newPath();
  let now = 0;
  const { db } = await open(path, {}, { ...systemClock, monotonic: () => now });
  const other = new Database(path);
  cleanUp(() => other.close());
  const write = () => db.deleteFrom("control_log").execute();
  other.run("begin immediate");
  // The wait expires once, for the first caller; the clock does not move for the others.
  setTimeout(() => (now += 2_000), 20);
  const refusals = await Promise.allSettled([write(), write(), write()]);
  expect(refusals.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  other.run("commit");
  now += 3_000;
  other.run("begin immediate");
  setTimeout(() => other.run("commit"), 20);
  await write();
});

test("a full disk refuses writes, allows reads, and recovers", async () => {
  const { db } = await open(newPath());
  const ctx = transactional({ db } as OpenDatabase);
  const limit = async (pages: number) => db.executeQuery(CompiledQuery.raw(`pragma max_page_count = ${pages}`));
  const fill = () =>
    transact(ctx, (ctx) =>
      ctx.db
        .insertInto("meta")
        .values({ key: "big", value: "x".repeat(1_000_000) })
        .execute(),
    );
  await limit(1);
  const error = await fill().catch((error) => error);
  expect(isStorageFull(error)).toBe(true);
  expect(isFatalStorageError(error)).toBe(false);
  expect(await db.selectFrom("channels").select("slug").execute()).toEqual([{ slug: "general" }]);
  await limit(1_000_000);
  await fill();
});

test("more distinct statements can be used than are kept prepared", async () => {
  const { db } = await open(":memory:");
  for (let i = 0; i < 1_200; i++) {
    const { rows } = await db.executeQuery<{ n: number }>(CompiledQuery.raw(`select ${i % 600} as n`));
    expect(rows).toEqual([{ n: i % 600 }]);
  }
});
