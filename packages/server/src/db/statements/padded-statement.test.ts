import { expect, test } from "bun:test";
import { eachDialect } from "../../../test/support/databases.ts";
import { PaddedStatement } from "./padded-statement.ts";
import { Prepared } from "./prepared.ts";

const INSERT = new Prepared((db, of: { id: number }) =>
  db.insertInto("audit_log").values({
    id: of.id,
    actor: "test",
    action: "test",
    subject: "test",
    details: null,
    created_at: of.id,
  }),
);
const IDS = new PaddedStatement((db, ids) => db.selectFrom("audit_log").select("id").where("id", "in", ids));
/** Has values before the list and after it, and the list twice. */
const BETWEEN = new PaddedStatement((db, ids, of: { from: number; before: number; actor: string }) =>
  db
    .selectFrom("audit_log")
    .select("id")
    .where("created_at", ">=", of.from)
    .where("id", "in", ids)
    .where("actor", "=", of.actor)
    .where("action", "=", "test")
    .where("created_at", "in", ids)
    .where("created_at", "<", of.before)
    .orderBy("id"),
);

const numbers = (from: number, length: number): number[] => Array.from({ length }, (_, i) => from + i);

eachDialect((_, open) => {
  test("finds the rows of any number of ids, each once", async () => {
    await using database = await open();
    const { db } = database;
    for (const id of [1, 8, 9, 64, 513, 600]) await INSERT.changes(db, { id });
    for (const length of [0, 1, 2, 8, 9, 64, 65, 512, 513, 1_100]) {
      const found = (await IDS.all(db, numbers(1, length))).map(({ id }) => id);
      expect(found.toSorted((a, b) => a - b)).toEqual([1, 8, 9, 64, 513, 600].filter((id) => id <= length));
    }
  });

  test("other values may stand before the list and after it, and the list may repeat", async () => {
    await using database = await open();
    const { db } = database;
    for (const id of numbers(1, 20)) await INSERT.changes(db, { id });
    const between = async (from: number, before: number, actor = "test") =>
      (await BETWEEN.all(db, numbers(5, 10), { from, before, actor })).map(({ id }) => id);
    expect(await between(1, 100)).toEqual(numbers(5, 10));
    expect(await between(7, 10)).toEqual([7, 8, 9]);
    expect(await between(1, 100, "nobody")).toEqual([]);
  });
});
