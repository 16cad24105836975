import { expect, test } from "bun:test";
import { stillClock } from "../../test/support/clock.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import type { WebFile } from "./bundle.ts";
import { deleteFilesBefore, SharedFiles, storedPaths, storeFiles } from "./shared-files.ts";

const fileOf = (path: string, text = "let ü = 1;"): WebFile => ({ path, type: "text/javascript; charset=utf-8", text });
const OLD = fileOf("/assets/app-0123456789ab.js");
const PART = fileOf("/assets/admin-window-tvarmbs2.js");

eachDatabase((_, open) => {
  test("a node finds the files that another has stored, at once", async () => {
    await using database = await open();
    const [one, other] = [new SharedFiles(testContext(database)), new SharedFiles(testContext(database))];
    expect(await other.find(OLD.path)).toBeNull();
    await one.store([OLD, PART, OLD]);
    expect(await other.find(OLD.path)).toEqual(OLD);
    expect(await other.find(PART.path)).toEqual(PART);
  });

  test("files are stored once a day, and kept for as long as a node serves them", async () => {
    await using database = await open();
    const clock = stillClock();
    const files = new SharedFiles(testContext(database, { clock }));
    const storedAt = async () =>
      (await database.db.selectFrom("web_files").select("stored_at").execute())[0]?.stored_at;
    await files.store([OLD]);
    const first = clock.now();
    clock.advance(23 * 60 * 60_000);
    await files.store([OLD]);
    expect(await storedAt()).toBe(first);
    clock.advance(2 * 60 * 60_000);
    await files.store([OLD]);
    expect(await storedAt()).toBe(clock.now());
    await storeFiles(database.db, [PART], clock.now() - 1);
    await deleteFilesBefore(database.db, clock.now());
    expect([...(await storedPaths(database.db))]).toEqual([OLD.path]);
  });
});

eachDatabase((name, open) => {
  if (name !== "sqlite") return;

  test("names that no release gives cost no query, and any number of other names share few", async () => {
    await using database = await open();
    const lists: string[] = [];
    const db = database.db.withPlugin({
      transformQuery({ node }) {
        lists.push(node.kind);
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const files = new SharedFiles(testContext({ ...database, db }));
    const strange = [
      "/assets/x.js",
      "/assets/../parley.sqlite",
      "/assets/app-0123456789ab.html",
      `/assets/${"a".repeat(99)}`,
    ];
    for (const path of strange) expect(await files.find(path)).toBeNull();
    expect(lists).toEqual([]);
    for (let round = 0; round < 3; round++) {
      const found = Array.from({ length: 500 }, (_, n) => files.find(`/assets/app-${String(n).padStart(12, "0")}.js`));
      expect((await Promise.all(found)).filter((file) => file !== null)).toEqual([]);
    }
    // All who ask during a list share the next one.
    expect(lists.length).toBeLessThanOrEqual(2 * 3);
  });

  test("a page is served although its files cannot be stored", async () => {
    const database = await open();
    const clock = stillClock();
    const files = new SharedFiles(testContext(database, { clock }));
    await database[Symbol.asyncDispose]();
    await files.store([OLD]);
    await using again = await open();
    const other = new SharedFiles(testContext(again, { clock }));
    expect(await other.find(OLD.path)).toBeNull();
  });
});
