import { expect, test } from "bun:test";
import { type Kysely, sql } from "kysely";
import { eachDatabase } from "../../test/support/databases.ts";
import { readEpoch } from "./database.ts";
import { isSqlite } from "./is-sqlite.ts";
import type { Tables } from "./tables.ts";
import { unsynced } from "./unsynced.ts";

const SYNCED = 2;

/** SQLite's setting; null on PostgreSQL. */
async function setting(db: Kysely<Tables>): Promise<number | null> {
  if (!isSqlite(db)) return null;
  const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(db);
  return rows[0]?.synchronous ?? null;
}

const put = (db: Kysely<Tables>, key: string) => db.insertInto("meta").values({ key, value: "" }).execute();

eachDatabase((name, open) => {
  const usual = name === "sqlite" ? SYNCED : null;

  test("one write does not wait for the disk; what others do meanwhile, and everything after it, does", async () => {
    await using database = await open();
    const { db } = database;
    const [inside, beside] = await Promise.all([
      unsynced(db, async (db) => {
        await put(db, "written");
        await readEpoch(db);
        return setting(db);
      }),
      setting(db),
    ]);
    expect(inside).toBe(name === "sqlite" ? 1 : null);
    expect(beside).toBe(usual);
    expect(await setting(db)).toBe(usual);
    expect(await db.selectFrom("meta").select("key").where("key", "=", "written").execute()).toHaveLength(1);
  });

  test("a write that fails leaves nothing behind", async () => {
    await using database = await open();
    const { db } = database;
    await put(db, "taken");
    await expect(unsynced(db, (db) => put(db, "taken"))).rejects.toThrow();
    expect(await setting(db)).toBe(usual);
    await db.transaction().execute((trx) => put(trx, "more"));
    expect(await db.selectFrom("meta").select("key").where("key", "=", "more").execute()).toHaveLength(1);
  });
});
