import { expect, test } from "bun:test";
import { sql } from "kysely";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { systemClock } from "../clock.ts";
import { columnTypes } from "../db/columns.ts";
import type { OpenDatabase } from "../db/database.ts";
import { points } from "../db/migrations/0002-points.ts";
import { statements } from "../db/migrations/0015-statements.ts";
import { findHonor } from "../points/honor.store.ts";
import { auditLedger } from "../points/ledger-audit.ts";
import { scoreOf } from "../points/score.ts";

eachDatabase((_, open) => {
  test("users keep the points from before the ledger and are paid for the users they invited", async () => {
    await using database = await open();
    const ctx = testContext(database);
    await takeBack(database);
    const [ann, bob, cleo, dora] = [
      await user("ann"),
      await user("bob", 1),
      await user("cleo", 1),
      await user("dora", 2),
    ];
    await ctx.db.transaction().execute(async (db) => {
      const run = async (texts: readonly string[]) => {
        for (const text of texts) await sql.raw(text).execute(db);
      };
      const step = { db, columns: columnTypes(database.dialect), clock: systemClock, run };
      await points.up(step);
      await statements.up(step);
    });
    expect([ann, bob, cleo, dora]).toEqual([1, 2, 3, 4]);
    const scores = [];
    for (const id of [1, 2, 3, 4])
      scores.push((await scoreOf(ctx, id)).points, (await findHonor(ctx.db, id)).total_points);
    expect(scores).toEqual([120, 20, 110, 10, 100, 0, 100, 0]);
    expect(await findHonor(ctx.db, 1)).toMatchObject({ invite_count: 2, message_count: 0, online_ms: 0 });
    const proof = await auditLedger(ctx.db);
    expect({ problems: proof.problems, entries: proof.entries }).toEqual({ problems: [], entries: 14 });
    await expect(ctx.db.deleteFrom("ledger_entries").execute()).rejects.toThrow(/append-only/);

    async function user(name: string, invitedBy: number | null = null): Promise<number> {
      const row = { username: name, username_key: name, invite_code: name, created_at: 1, updated_at: 1 };
      const made = await ctx.db
        .insertInto("users")
        .values({ ...row, invited_by: invitedBy })
        .returning("id")
        .executeTakeFirstOrThrow();
      return made.id;
    }
  });
});

/** Restores the schema from before the ledger. */
async function takeBack({ db, dialect }: OpenDatabase): Promise<void> {
  for (const table of ["ledger_entries", "ledger_transfers", "ledger_balances", "honor"]) {
    await db.schema.dropTable(table).execute();
    if (dialect === "postgres") await sql.raw(`drop function if exists ${table}_append_only`).execute(db);
  }
}
