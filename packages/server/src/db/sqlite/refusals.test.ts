import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { closeSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/support/config.ts";
import { sqliteFiles } from "../../../test/support/faults/sqlite-files.ts";
import { StartupError } from "../startup-error.ts";
import { isFatalStorageError } from "./driver.ts";
import { refuseOldSqlite } from "./sqlite.ts";

const { newPath, open, refusal } = sqliteFiles();

/** A file whose second half, the rows of one table, is garbage. */
async function damagedFile(table: "meta" | "control_log"): Promise<string> {
  const path = newPath();
  const { db, ...rest } = await open(path);
  const text = "x".repeat(200);
  const numbers = Array.from({ length: 8_000 }, (_, i) => i);
  if (table === "meta") {
    await db
      .insertInto("meta")
      .values(numbers.map((i) => ({ key: `k${i}`, value: text })))
      .execute();
  } else {
    await db
      .insertInto("control_log")
      .values(numbers.map((i) => ({ kind: text, subject: text, created_at: i })))
      .execute();
  }
  await rest[Symbol.asyncDispose]();
  const file = openSync(path, "r+");
  const garbage = new Uint8Array(4096).fill(0xa5);
  const pages = statSync(path).size / 4096;
  for (let page = Math.floor(pages / 2); page < pages; page++) writeSync(file, garbage, 0, 4096, page * 4096);
  closeSync(file);
  return path;
}

test("damage that is found while running stops the server: it answers nothing more", async () => {
  const heard: unknown[] = [];
  const { db } = await open(await damagedFile("control_log"), { onFatal: (error) => heard.push(error) });
  const error = await db
    .selectFrom("control_log")
    .selectAll()
    .execute()
    .catch((error) => error);
  expect(isFatalStorageError(error)).toBe(true);
  expect(heard).toEqual([error]);
  const later = await db
    .selectFrom("channels")
    .select("id")
    .execute()
    .catch((error) => error);
  expect(later).toBe(error);
  expect(heard).toHaveLength(1);
});

test("damage that is found at the start refuses the start", async () => {
  const heard: unknown[] = [];
  const message = await refusal(await damagedFile("meta"), { onFatal: (error) => heard.push(error) });
  expect(message).toContain("cannot be used as a database: database disk image is malformed");
  expect(heard).toEqual([]);
});

test("a file that another process is writing is not reported as damaged", async () => {
  const path = join(temporaryFolder(), "parley.sqlite");
  using other = new Database(path);
  other.run("create table meta (key text)");
  other.run("begin exclusive");
  const message = await refusal(path, { mode: "tool" });
  expect(message).toContain("is busy");
  expect(message).not.toContain("move it away");
});

test("a start waits for another process that is about to close the file, such as the backup of a killed server", async () => {
  const path = newPath();
  await (await open(path))[Symbol.asyncDispose]();
  const holds = `const db = new (require("bun:sqlite").Database)(${JSON.stringify(path)});
    db.run("pragma locking_mode = exclusive");
    db.run("begin exclusive");
    db.run("update meta set value = value");
    console.log("held");
    setTimeout(() => db.run("rollback"), 300);
    setTimeout(() => process.exit(), 310);`;
  await using other = Bun.spawn([process.execPath, "-e", holds], { stdout: "pipe" });
  const said = await other.stdout.getReader().read();
  expect(new TextDecoder().decode(said.value)).toBe("held\n");
  await using opened = await open(path);
  expect(await opened.db.selectFrom("meta").select("key").limit(1).execute()).toHaveLength(1);
});

test("unusable paths are refused with a reason", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "file"), "");
  expect(await refusal(join(folder, "file", "parley.sqlite"))).toContain("The data folder");
  expect(await refusal(folder)).toContain("The database file");
  // No user, root included, can write here.
  const message = await refusal("/proc/parley.sqlite");
  expect(message).toContain("cannot be written");
  expect(message).toContain("PARLEY_DATA_DIR");
});

test("a file that is no database, or belongs to another program, is not changed", async () => {
  const folder = temporaryFolder();
  const text = join(folder, "notes.txt");
  writeFileSync(text, "Dear diary, ".repeat(1_000));
  const before = readFileSync(text, "utf8");
  expect(await refusal(text)).toContain("cannot be used as a database");
  expect(readFileSync(text, "utf8")).toBe(before);

  mkdirSync(join(folder, "app"));
  const foreign = new Database(join(folder, "app", "app.sqlite"));
  foreign.run("create table users (x)");
  foreign.close();
  expect(await refusal(join(folder, "app", "app.sqlite"))).toContain("another program's database");
});

test("an SQLite version that can lose commits is refused", () => {
  expect(() => refuseOldSqlite("3.51.2")).toThrow(StartupError);
  expect(() => refuseOldSqlite("3.9.9")).toThrow(StartupError);
  for (const version of ["3.51.3", "3.52.0", "4.0.0"]) refuseOldSqlite(version);
});
