import { expect, test } from "bun:test";
import { sql } from "kysely";
import { user } from "../../../test/support/actors.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDialect } from "../../../test/support/databases.ts";
import { systemClock } from "../../clock.ts";
import { columnTypes } from "../columns.ts";
import { accountSecurity } from "./0023-account-security.ts";

eachDialect((_name, open) => {
  test("all accounts keep their email addresses, and two accounts can name the same address", async () => {
    await using database = await open();
    const { db, dialect } = database;
    const ctx = testContext(database);
    const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
    // Restore the earlier schema.
    for (const table of ["login_devices", "security_notices", "user_blocks"])
      await sql.raw(`drop table ${table}`).execute(db);
    await sql.raw("alter table users add column email_key text").execute(db);
    await sql.raw("create unique index users_email_key on users (email_key)").execute(db);
    await sql`update users set email = 'Ann@Example.org', email_key = 'ann@example.org' where id = ${ann.userId}`.execute(
      db,
    );

    const run = async (statements: readonly string[]) => {
      for (const statement of statements) await sql.raw(statement).execute(db);
    };
    await accountSecurity.up({ db, columns: columnTypes(dialect), clock: systemClock, run });

    await db.updateTable("users").set({ email: "Ann@Example.org" }).where("id", "=", bob.userId).execute();
    const rows = await db.selectFrom("users").selectAll().orderBy("id").execute();
    expect(rows.map(({ username, email }) => [username, email])).toEqual([
      ["ann", "Ann@Example.org"],
      ["bob", "Ann@Example.org"],
    ]);
    expect(rows[0]).not.toHaveProperty("email_key");
    const own = { blocker_id: ann.userId, blocked_key: "u9", user_id: null, agent_id: null, created_at: 0 };
    await expect(db.insertInto("user_blocks").values(own).execute()).rejects.toThrow();
  });
});
