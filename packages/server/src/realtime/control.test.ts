import { describe, expect, test } from "bun:test";
import { stillClock } from "../../test/support/clock.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { ManualScheduler } from "../base/scheduler.ts";
import { transact } from "../db/transact.ts";
import { ControlPoll, onControl, publishControl, recordControl, startControlPoll } from "./control.ts";

describe("control announcements", () => {
  eachDatabase((_, open) => {
    async function start() {
      const clock = stillClock();
      const database = await open(clock);
      const ctx = testContext(database, { clock });
      const heard: string[] = [];
      onControl(ctx, "key_revoked", (subject) => heard.push(`key ${subject}`));
      onControl(ctx, "session_ended", (subject) => heard.push(`session ${subject}`));
      return { clock, ctx, heard, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
    }

    test("are received at once, inside a transaction after the commit, and never after a rollback", async () => {
      await using t = await start();
      publishControl(t.ctx, "session_ended", 7);
      expect(t.heard).toEqual(["session 7"]);
      await transact(t.ctx, async (ctx) => {
        publishControl(ctx, "key_revoked", "abc");
        expect(t.heard).toHaveLength(1);
      });
      expect(t.heard).toEqual(["session 7", "key abc"]);
      const failing = transact(t.ctx, async (ctx) => {
        publishControl(ctx, "session_ended", 8);
        throw new Error("rolled back");
      });
      await expect(failing).rejects.toThrow("rolled back");
      expect(t.heard).toHaveLength(2);
    });

    test("reach every handler even if one throws", async () => {
      await using t = await start();
      onControl(t.ctx, "user_changed", () => {
        throw new Error("a handler fails");
      });
      onControl(t.ctx, "user_changed", (subject) => t.heard.push(`user ${subject}`));
      publishControl(t.ctx, "user_changed", 3);
      expect(t.heard).toEqual(["user 3"]);
    });

    test("from other processes are received once, and older ones are ignored at the start", async () => {
      await using t = await start();
      await recordControl(t.ctx.db, t.clock, "key_revoked", "old");
      const floor = await t.ctx.db.selectFrom("control_log").select("id").executeTakeFirstOrThrow();
      const poll = new ControlPoll(t.ctx, Number(floor.id));
      await poll.run();
      await recordControl(t.ctx.db, t.clock, "key_revoked", "one");
      await recordControl(t.ctx.db, t.clock, "session_ended", 2);
      await poll.run();
      await poll.run();
      expect(t.heard).toEqual(["key one", "session 2"]);
      t.clock.advance(60_000);
      await poll.run();
      await recordControl(t.ctx.db, t.clock, "key_revoked", "three");
      await poll.run();
      expect(t.heard).toEqual(["key one", "session 2", "key three"]);
    });

    test("are received even if a row with a lower number commits later", async () => {
      await using t = await start();
      const poll = new ControlPoll(t.ctx, 0);
      const late = { id: 5, kind: "key_revoked", subject: "late", created_at: t.clock.now() };
      await t.ctx.db
        .insertInto("control_log")
        .values({ ...late, id: 6, subject: "early" })
        .execute();
      await poll.run();
      await t.ctx.db.insertInto("control_log").values(late).execute();
      await poll.run();
      expect(t.heard).toEqual(["key early", "key late"]);
    });

    test("are removed after a day", async () => {
      await using t = await start();
      await recordControl(t.ctx.db, t.clock, "key_revoked", "old");
      t.clock.advance(24 * 3_600_000 + 1);
      await recordControl(t.ctx.db, t.clock, "key_revoked", "new");
      await new ControlPoll(t.ctx, 0).run();
      const rows = await t.ctx.db.selectFrom("control_log").select("subject").execute();
      expect(rows).toEqual([{ subject: "new" }]);
    });

    test("are polled twice a second, and polling survives an unavailable database", async () => {
      await using t = await start();
      const scheduler = new ManualScheduler();
      let isAway = true;
      const { db } = t.ctx;
      const flaky = new Proxy(t.ctx, {
        get: (ctx, key) => {
          if (key !== "db") return Reflect.get(ctx, key);
          if (isAway && scheduler.now > 0) throw new Error("the database is away");
          return db;
        },
      });
      await startControlPoll(flaky, scheduler);
      await recordControl(db, t.clock, "key_revoked", "one");
      const round = async () => {
        scheduler.advance(500);
        while (scheduler.waiting === 0) await new Promise(setImmediate);
      };
      await round();
      expect(t.heard).toEqual([]);
      isAway = false;
      await round();
      expect(t.heard).toEqual(["key one"]);
    });
  });
});
