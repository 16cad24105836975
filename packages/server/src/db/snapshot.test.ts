import { expect, test } from "bun:test";
import { join } from "node:path";
import { sql } from "kysely";
import { temporaryFolder } from "../../test/support/config.ts";
import { eachDialect, POSTGRES_URL } from "../../test/support/databases.ts";
import { systemClock } from "../clock.ts";
import type { DatabaseConfig } from "../config/config.ts";
import { readSnapshot } from "./snapshot.ts";
import { openSqlite } from "./sqlite/sqlite.ts";

const number = sql<{ n: number }>`select cast(5 as bigint) as n`;
const write = sql`create table never (id integer)`;

async function looks(config: DatabaseConfig): Promise<void> {
  const seen = await readSnapshot(config, systemClock, async (db) => (await number.execute(db)).rows);
  expect(seen).toEqual([{ n: 5 }]);
  await expect(readSnapshot(config, systemClock, (db) => write.execute(db))).rejects.toThrow(/read-?only/);
  await expect(readSnapshot(config, systemClock, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
}

eachDialect((name) => {
  if (name !== "postgres") return;
  test("a snapshot of PostgreSQL can read but not write", () => looks({ kind: "postgres", url: POSTGRES_URL }));
});

test("a snapshot of SQLite reads the state at its beginning beside a server, and cannot write", async () => {
  const path = join(temporaryFolder(), "parley.sqlite");
  const { db, close } = await openSqlite(path, systemClock, { mode: "server", onFatal: () => {} });
  await looks({ kind: "sqlite", path });
  await readSnapshot({ kind: "sqlite", path }, systemClock, async (snapshot) => {
    const keys = () => snapshot.selectFrom("meta").select("key").orderBy("key").execute();
    const before = await keys();
    await db.insertInto("meta").values({ key: "later", value: "1" }).execute();
    expect(await keys()).toEqual(before);
  });
  await close();
});
