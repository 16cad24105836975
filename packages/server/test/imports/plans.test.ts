import { expect, test } from "bun:test";
import { userItems } from "../../src/imports/map.store.ts";
import { readThreads } from "../../src/messages/threads/history.ts";
import { eachDatabase } from "../support/databases.ts";
import { planOf } from "../support/plan.ts";

/** How statements of imports run whose tables are as long as the whole history. */
eachDatabase((dialect, open) => {
  test("what became a user is found by the index that has no messages", async () => {
    await using opened = await open();
    const { db } = opened;
    expect(await planOf(db, dialect, userItems(db, 1))).toContain("import_items_by_parley");
  });

  test("the threads of an import are read by their roots, without its messages", async () => {
    await using opened = await open();
    const { db } = opened;
    const query = readThreads(db, { channelIds: [1, 2], firstId: 10, lastId: 20 });
    expect(query.compile().sql).not.toContain("messages");
    // The driver of SQLite cannot end a transaction in which a change was explained.
    if (dialect === "postgres") expect(await planOf(db, dialect, query)).toContain("thread_follows_root");
  });
});
