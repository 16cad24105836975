import { describe, expect, test } from "bun:test";
import { stillClock } from "../../../test/support/clock.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase } from "../../../test/support/databases.ts";
import { ManualScheduler } from "../../base/scheduler.ts";
import { onControl, onControlLost, recordControl } from "./control.ts";
import { ControlPoll, controlSweep, startControlPoll } from "./control-poll.ts";

const DAY_MS = 24 * 3_600_000;

describe("the poll of the control log", () => {
  eachDatabase((_, open) => {
    async function start() {
      const clock = stillClock();
      const database = await open(clock);
      const ctx = testContext(database, { clock });
      const heard: string[] = [];
      onControl(ctx, "key_revoked", (subject) => heard.push(`key ${subject}`));
      onControl(ctx, "session_ended", (subject) => heard.push(`session ${subject}`));
      const record = (id: number, subject: string) =>
        ctx.db
          .insertInto("control_log")
          .values({ id, kind: "key_revoked", subject, created_at: clock.now() })
          .execute();
      return { clock, ctx, heard, record, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
    }

    test("hears of other processes once, and not of what is older than the start", async () => {
      await using t = await start();
      await recordControl(t.ctx.db, t.clock, "key_revoked", "old");
      const poll = await ControlPoll.start(t.ctx);
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

    test("passes over a kind that only a newer release knows", async () => {
      await using t = await start();
      const poll = await ControlPoll.start(t.ctx);
      const row = { id: 6, kind: "moon_eclipsed", subject: "1", created_at: t.clock.now() };
      await t.ctx.db.insertInto("control_log").values(row).execute();
      await t.record(7, "after it");
      await poll.run();
      expect(t.heard).toEqual(["key after it"]);
    });

    test("hears of a row that is committed after one with a higher number, for a minute", async () => {
      await using t = await start();
      const poll = await ControlPoll.start(t.ctx);
      await t.record(6, "early");
      await poll.run();
      t.clock.advance(59_999);
      await poll.run();
      await t.record(5, "late");
      await poll.run();
      t.clock.advance(1);
      await poll.run();
      await t.record(4, "too late");
      await poll.run();
      expect(t.heard).toEqual(["key early", "key late"]);
    });

    test("reads on until it has caught up", async () => {
      await using t = await start();
      const poll = await ControlPoll.start(t.ctx);
      const created_at = t.clock.now();
      const rows = Array.from({ length: 500 }, (_, at) => ({ kind: "key_revoked", subject: String(at), created_at }));
      for (let n = 0; n < 5; n++) await t.ctx.db.insertInto("control_log").values(rows).execute();
      await poll.run();
      expect(t.heard).toHaveLength(2_500);
    });

    test("forgets everything when the log has gone back", async () => {
      await using t = await start();
      let losses = 0;
      onControlLost(t.ctx, () => losses++);
      const poll = await ControlPoll.start(t.ctx);
      await t.record(9, "nine");
      await poll.run();
      await t.ctx.db.deleteFrom("control_log").execute();
      await t.record(8, "another eight");
      await poll.run();
      expect(losses).toBe(1);
      await t.record(10, "ten");
      await poll.run();
      expect({ heard: t.heard, losses }).toEqual({ heard: ["key nine", "key ten"], losses: 1 });
    });

    test("old messages are removed, but never the newest", async () => {
      await using t = await start();
      await recordControl(t.ctx.db, t.clock, "key_revoked", "old");
      t.clock.advance(DAY_MS + 1);
      const sweep = controlSweep(t.ctx, DAY_MS);
      await sweep();
      await recordControl(t.ctx.db, t.clock, "key_revoked", "new");
      const subjects = async () =>
        (await t.ctx.db.selectFrom("control_log").select("subject").execute()).map((row) => row.subject);
      expect(await subjects()).toEqual(["old", "new"]);
      await sweep();
      expect(await subjects()).toEqual(["new"]);
    });

    test("a message that looks old to a clock that is early stays until others have read it", async () => {
      await using t = await start();
      const early = { ...t.ctx, clock: { ...t.clock, now: () => t.clock.now() + 2 * DAY_MS } };
      const sweep = controlSweep(early, DAY_MS);
      const poll = await ControlPoll.start(t.ctx);
      await sweep();
      for (const subject of ["one", "two"]) await recordControl(t.ctx.db, t.clock, "key_revoked", subject);
      await sweep();
      await poll.run();
      expect(t.heard).toEqual(["key one", "key two"]);
    });

    test("runs twice a second, and survives an unavailable database", async () => {
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
      await startControlPoll(flaky, {
        scheduler,
        read: (from) => flaky.db.selectFrom("control_log").selectAll().where("id", ">=", from).execute(),
      });
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
