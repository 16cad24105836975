import { expect, test } from "bun:test";
import { user } from "../../test/support/actors.ts";
import { stillClock } from "../../test/support/clock.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { planOf } from "../../test/support/plan.ts";
import { login, register } from "./accounts.service.ts";
import { usersOfLevel } from "./accounts.store.ts";
import { changeStanding } from "./levels-and-suspensions.ts";
import { authenticateSession } from "./sessions/sessions.ts";

const HOUR = 3_600_000;
const PASSWORD = "correct horse battery";
const origin = { address: "192.0.2.1", userAgent: null };

eachDatabase((dialect, open) => {
  test("a suspension ends all concurrent logins, in the cache, too", async () => {
    const clock = stillClock();
    await using database = await open(clock);
    const ctx = testContext(database, { clock });
    const ruth = await user(ctx, "ruth", 2);
    const { identity } = await register(ctx, { username: "mallory", password: PASSWORD, ...origin });
    for (let round = 0; round < 4; round += 1) {
      const logins = Array.from({ length: 3 }, () =>
        login(ctx, { username: "mallory", password: PASSWORD, ...origin }),
      );
      const suspended = logins[round % 3]
        ?.catch(() => null)
        .then(() => changeStanding(ctx, ruth, "mallory", { suspendedUntil: clock.now() + HOUR }));
      const done = await Promise.allSettled(logins);
      await suspended;
      for (const result of done) {
        if (result.status === "fulfilled") expect(await authenticateSession(ctx, result.value.token)).toBeNull();
      }
      const sessions = await ctx.db
        .selectFrom("sessions")
        .select("id")
        .where("user_id", "=", identity.userId)
        .execute();
      expect(sessions).toEqual([]);
      clock.advance(HOUR);
      expect((await login(ctx, { username: "mallory", password: PASSWORD, ...origin })).user.username).toBe("mallory");
    }
  });

  test("an update that changes nothing is not logged", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const olga = await user(ctx, "olga", 3);
    await user(ctx, "bob");
    await changeStanding(ctx, olga, "bob", { suspendedUntil: null, adminLevel: null });
    await changeStanding(ctx, olga, "bob", { adminLevel: 1 });
    await changeStanding(ctx, olga, "bob", { adminLevel: 1 });
    const lines = await ctx.db.selectFrom("audit_log").select(["actor", "action", "details"]).execute();
    expect(lines).toEqual([{ actor: "olga", action: "user_level", details: '{"from":null,"to":1}' }]);
  });

  test("users with a level are found without a walk through all users", async () => {
    await using database = await open();
    const { db } = testContext(database);
    expect(await planOf(db, dialect, usersOfLevel(db, 3))).toContain("users_with_level");
  });
});
