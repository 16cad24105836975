import { expect, test } from "bun:test";
import { sql } from "kysely";
import { user } from "../../../test/support/actors.ts";
import { stillClock } from "../../../test/support/clock.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDialect } from "../../../test/support/databases.ts";
import { auditNames } from "../../accounts/doctor.ts";
import { claimName } from "../../accounts/names/names.ts";
import { bindAgentName } from "../../agents/name-binding.ts";
import { columnTypes } from "../columns.ts";
import { nameSkeletons } from "./0024-name-skeletons.ts";

eachDialect((_name, open) => {
  test("the oldest of several look-alike names keeps the skeleton, and the others stay usable", async () => {
    await using database = await open();
    const { db, dialect } = database;
    const clock = stillClock();
    const ctx = testContext(database, { clock });
    await sql`drop index names_by_skeleton`.execute(db);
    await sql`alter table names drop column skeleton`.execute(db);
    const named = async (name: string) => {
      clock.advance(1_000);
      const agentId = await insertAgent();
      await sql`insert into names (name_key, name, kind, agent_id) values (${name.toLowerCase()}, ${name}, 'agent', ${agentId})`.execute(
        db,
      );
      return agentId;
    };
    const insertAgent = async () => {
      const row = { owner_user_id: null, owner_verified: 0, paused: 0, last_seen_at: null, dropped_mentions: 0 };
      const made = await db
        .insertInto("agents")
        .values({ ...row, created_at: clock.now() })
        .returning("id")
        .executeTakeFirstOrThrow();
      return made.id;
    };
    await named("Zoe1");
    const younger = await named("ZoeI");
    const mixed = await named("\u0430lice");
    for (let i = 0; i < 450; i += 1) await named(`bot ${i}`);
    await named("adm1n");

    await db.transaction().execute((db) =>
      nameSkeletons.up({
        db,
        columns: columnTypes(dialect),
        clock,
        async run(texts) {
          for (const text of texts) await sql.raw(text).execute(db);
        },
      }),
    );

    const rows = await db
      .selectFrom("names")
      .select(["name", "skeleton"])
      .where("name", "like", "Zoe%")
      .orderBy("name")
      .execute();
    expect(rows).toEqual([
      { name: "Zoe1", skeleton: "zoel" },
      { name: "ZoeI", skeleton: null },
    ]);
    const blank = await db.selectFrom("names").select("name").where("skeleton", "is", null).execute();
    expect(blank).toEqual([{ name: "ZoeI" }]);
    expect(await claimName(db, "Zoel", { kind: "agent", agentId: younger })).toBe(false);
    expect(await bindAgentName(ctx, younger, "zoei")).toBe("ZoeI");
    expect(await bindAgentName(ctx, mixed, "\u0430lice")).toBe("\u0430lice");
    expect((await auditNames(db)).problems).toEqual([
      'the agent "adm1n" looks like a reserved name',
      'the agent "ZoeI" looks like "Zoe1"',
      'the agent "\u0430lice": a name must not mix the scripts Cyrillic, Latin',
    ]);
    await user(ctx, "ann");
    expect((await auditNames(db)).names).toBe(455);
  });
});
