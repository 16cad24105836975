import { expect, test } from "bun:test";
import { CompiledQuery, sql } from "kysely";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase } from "../../../test/support/databases.ts";
import { membersOf } from "./member-list.store.ts";

eachDatabase((dialect, open) => {
  test("a page of members is read in the order of an index, and never all members of a role are sorted", async () => {
    await using database = await open();
    const { db } = testContext(database);
    const { sql: text, parameters } = membersOf(db, 1, { limit: 50, offset: 0 }).compile();
    const explain = dialect === "sqlite" ? "explain query plan " : "explain ";
    // PostgreSQL prefers to read and sort a small table from end to end.
    const plan = await db.transaction().execute(async (trx) => {
      if (dialect !== "sqlite") {
        await sql`set local enable_seqscan = off`.execute(trx);
        await sql`set local enable_bitmapscan = off`.execute(trx);
        await sql`set local enable_sort = off`.execute(trx);
      }
      return trx.executeQuery(CompiledQuery.raw(explain + text, [...parameters]));
    });
    const uses = JSON.stringify(plan.rows).match(/channel_members_in_order/g) ?? [];
    expect(uses.length).toBeGreaterThanOrEqual(3);
  });
});
