import { expect, test } from "bun:test";
import { sql } from "kysely";
import { testContext } from "../../../test/support/context.ts";
import { eachDialect } from "../../../test/support/databases.ts";
import { systemClock } from "../../clock.ts";
import { fillPool } from "../../key-claims/code-pool.ts";
import { giveCode } from "../../key-claims/codes.service.ts";
import { columnTypes } from "../columns.ts";
import { codePurposes } from "./0022-code-purposes.ts";

eachDialect((_name, open) => {
  test("codes that were given out before remain valid for claims, and each recovery is bound to an agent", async () => {
    await using database = await open();
    const { db, dialect } = database;
    const ctx = testContext(database);
    await fillPool(ctx, 2);
    const { verification_code } = await giveCode(ctx, "192.0.2.1");
    // Restore the earlier schema.
    for (const column of ["agent_name", "agent_id", "purpose"])
      await sql.raw(`alter table verification_codes drop column ${column}`).execute(db);

    const run = async (statements: readonly string[]) => {
      for (const statement of statements) await sql.raw(statement).execute(db);
    };
    await codePurposes.up({ db, columns: columnTypes(dialect), clock: systemClock, run });

    const issued = db.selectFrom("verification_codes").selectAll().where("issued_at", "is not", null);
    expect(await issued.execute()).toMatchObject([
      { code: verification_code.replace("-", ""), purpose: "claim", agent_id: null, agent_name: null },
    ]);
    const change = db.updateTable("verification_codes").where("issued_at", "is not", null);
    for (const wrong of [{ purpose: "recover" }, { agent_id: 1 }, { agent_name: "Fox" }] as const)
      await expect(change.set(wrong).execute()).rejects.toThrow();
  });
});
