import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { CompiledQuery } from "kysely";
import { sqliteFiles } from "../../../test/support/faults/sqlite-files.ts";
import { eventually } from "../../../test/support/servers/test-server.ts";
import type { OpenDatabase } from "../database.ts";

const PAGES = 64;
const { newPath, open } = sqliteFiles();

/** A server's database whose connection never checkpoints, so any copied page was copied off the event loop. */
async function restless(path: string): Promise<OpenDatabase> {
  const opened = await open(path, { checkpointPages: PAGES });
  await opened.db.executeQuery(CompiledQuery.raw("pragma wal_autocheckpoint = 0"));
  return opened;
}

async function pagesInLog({ db }: OpenDatabase): Promise<number> {
  const answer = await db.executeQuery<{ log: number }>(CompiledQuery.raw("pragma wal_checkpoint(noop)"));
  return answer.rows[0]?.log ?? Number.NaN;
}

let rows = 0;
async function write({ db }: OpenDatabase): Promise<void> {
  const key = `row ${++rows}`;
  await db
    .insertInto("meta")
    .values({ key, value: key.padEnd(9_000, ".") })
    .execute();
}

/** Writes until the log restarts, which means that all of it is in the database. */
async function writeUntilNew(opened: OpenDatabase): Promise<void> {
  let before = 0;
  const step = async () => {
    await write(opened);
    const pages = await pagesInLog(opened);
    const isNew = pages < before;
    before = pages;
    return isNew;
  };
  // Each write waits for the disk, and a checkpoint for two syncs of it.
  await eventually("the log begins anew", step, 25_000);
}

test("the write-ahead log is copied back off the event loop and restarted, repeatedly", async () => {
  const path = newPath();
  const opened = await restless(path);
  for (let round = 0; round < 5; round++) await writeUntilNew(opened);
  using other = new Database(path, { readonly: true });
  expect(other.query("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
});

test("a reader of old pages delays no writer, and the log restarts when the reader is done", async () => {
  const path = newPath();
  const opened = await restless(path);
  await write(opened);
  using reader = new Database(path, { readonly: true });
  reader.run("begin");
  const seen = reader.query("select count(*) as n from meta").get();
  for (let pages = 0; pages < 20 * PAGES; pages = await pagesInLog(opened)) await write(opened);
  expect(reader.query("select count(*) as n from meta").get()).toEqual(seen);
  reader.run("commit");
  await writeUntilNew(opened);
});

test("closing during a checkpoint leaves no log behind and loses nothing", async () => {
  for (let round = 0; round < 5; round++) {
    const path = newPath();
    const opened = await restless(path);
    const first = rows;
    while ((await pagesInLog(opened)) < PAGES) await write(opened);
    await opened[Symbol.asyncDispose]();
    expect(existsSync(`${path}-wal`)).toBe(false);
    using other = new Database(path, { readonly: true });
    expect(other.query("select count(*) as n from meta where key like 'row %'").get()).toEqual({ n: rows - first });
  }
});
