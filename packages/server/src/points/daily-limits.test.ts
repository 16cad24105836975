import { afterEach, beforeEach, expect, test } from "bun:test";
import { user } from "../../test/support/actors.ts";
import { type StillClock, stillClock } from "../../test/support/clock.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import type { AppContext } from "../context.ts";
import type { OpenDatabase } from "../db/database.ts";
import { transact } from "../db/transact.ts";
import { creditHour, creditHundred, creditLike } from "./earning.ts";
import { erasePoints } from "./erase.ts";
import { auditLedger } from "./ledger-audit.ts";
import { scoreOf } from "./score.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;

eachDatabase((_, open) => {
  let database: OpenDatabase;
  let clock: StillClock;
  let ctx: AppContext;
  let author: number;
  beforeEach(async () => {
    database = await open();
    clock = stillClock();
    ctx = testContext(database, { clock });
    author = (await user(ctx, "ann")).userId;
  }, 60_000);
  afterEach(async () => {
    expect((await auditLedger(ctx.db)).problems).toEqual([]);
    await database[Symbol.asyncDispose]();
  });

  const like = (messageId: number, likerId: number) =>
    transact(ctx, (ctx) => creditLike(ctx, { messageId, authorId: author, likerId }));
  const points = async () => (await scoreOf(ctx, author)).points;
  const counters = () => ctx.db.selectFrom("daily_earnings").select(["day", "source", "giver_id", "amount"]).execute();

  test("concurrent likes from one person pay for five", async () => {
    await Promise.all(Array.from({ length: 12 }, (_, message) => like(message + 1, 100)));
    expect(await points()).toBe(10);
    await like(50, 101);
    expect(await points()).toBe(12);
  });

  test("concurrent likes from many people pay 50 points", async () => {
    await Promise.all(Array.from({ length: 40 }, (_, liker) => like(1, 100 + liker)));
    expect(await points()).toBe(50);
  });

  test("a paid like does not count again, and a refused one can count on another day", async () => {
    for (let message = 1; message <= 7; message++) await like(message, 100);
    await like(1, 100);
    expect(await points()).toBe(10);
    clock.advance(DAY);
    for (const message of [1, 2, 6, 6]) await like(message, 100);
    expect(await points()).toBe(12);
  });

  test("a day begins at midnight UTC, and old counters are removed", async () => {
    clock.advance(DAY - 1);
    for (let message = 1; message <= 5; message++) await like(message, 100);
    await like(6, 100);
    clock.advance(1);
    await like(7, 100);
    expect(await points()).toBe(12);
    expect(await counters()).toHaveLength(4);
    clock.advance(2 * DAY);
    await like(8, 100);
    expect(new Set((await counters()).map(({ day }) => day)).size).toBe(1);
  });

  test("messages pay up to 100 points a day and hours online up to 24, separately", async () => {
    const earnAll = (from: number) =>
      transact(ctx, async (ctx) => {
        for (let n = from; n < from + 110; n++) await creditHundred(ctx, author, n);
        for (let n = from; n < from + 30; n++) await creditHour(ctx, author, n);
      });
    await earnAll(1);
    expect(await points()).toBe(124);
    clock.advance(23 * HOUR);
    await earnAll(200);
    expect(await points()).toBe(124);
    clock.advance(HOUR);
    await earnAll(400);
    expect(await points()).toBe(248);
  });

  test("a failed transaction leaves the daily limit unchanged", async () => {
    const failing = transact(ctx, async (ctx) => {
      await creditLike(ctx, { messageId: 1, authorId: author, likerId: 100 });
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await counters()).toEqual([]);
  });

  test("erasing an account removes its daily counters", async () => {
    await like(1, 100);
    await transact(ctx, (ctx) => erasePoints(ctx, { userId: author, username: "ann" }, { a: 0, b: 0 }));
    expect(await counters()).toEqual([]);
    expect(await points()).toBe(0);
  });
});
