import { expect, test } from "bun:test";
import { sql } from "kysely";
import { user } from "../../../test/support/actors.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDialect } from "../../../test/support/databases.ts";
import { systemClock } from "../../clock.ts";
import { columnTypes } from "../columns.ts";
import { reading } from "./0005-reading.ts";

eachDialect((_name, open) => {
  test("existing members have read everything after the migration", async () => {
    await using database = await open();
    const { db, dialect } = database;
    const { userId } = await user(testContext(database), "ann");
    await sql`drop table direct_channels`.execute(db);
    await sql`alter table channel_members drop column last_read_seq`.execute(db);
    await sql`insert into channel_members (channel_id, user_id, role, joined_at) values (1, ${userId}, 'member', 0)`.execute(
      db,
    );
    await db.updateTable("channels").set({ last_seq: 7 }).where("id", "=", 1).execute();
    const run = async (statements: readonly string[]) => {
      for (const statement of statements) await sql.raw(statement).execute(db);
    };
    await reading.up({ db, columns: columnTypes(dialect), clock: systemClock, run });
    const rows = await db.selectFrom("channel_members").select(["user_id", "last_read_seq"]).execute();
    expect(rows).toEqual([{ user_id: userId, last_read_seq: 7 }]);
    expect(await db.selectFrom("direct_channels").selectAll().execute()).toEqual([]);
  });
});
