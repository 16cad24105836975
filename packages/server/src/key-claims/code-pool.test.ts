import { describe, expect, test } from "bun:test";
import { code } from "../../test/support/actors.ts";
import { stillClock } from "../../test/support/clock.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { moreConnections } from "../../test/support/faults/more-connections.ts";
import { eventually } from "../../test/support/servers/test-server.ts";
import { systemClock } from "../clock.ts";
import type { AppContext } from "../context.ts";
import { createLog } from "../logging/log.ts";
import { fillPool, poolStatus, startCodePool } from "./code-pool.ts";
import { giveCode } from "./codes.service.ts";

const HERE = "192.0.2.1";

eachDatabase((name, open) => {
  describe("the pool of codes", () => {
    // PGlite takes milliseconds a draw, and has no second connection to race with.
    const codes = name === "pglite" ? 100 : 1_000;
    test(`of ${codes} gives each code once to concurrent requests, and none to the 50 others`, async () => {
      await using db = await open();
      await using others = await moreConnections(name, db, 30);
      const contexts = [db, ...others.list].map((open) => testContext(open, { config: { codePoolSize: 0 } }));
      const [ctx] = contexts as [AppContext];
      expect(await fillPool(ctx, codes)).toBe(codes);
      const draws = Array.from({ length: codes + 50 }, (_, n) => giveCode(contexts[n % contexts.length] ?? ctx, HERE));
      const settled = await Promise.allSettled(draws);
      const given = settled.filter((draw) => draw.status === "fulfilled").map(({ value }) => value);
      const refused = settled.filter((draw) => draw.status === "rejected").map(({ reason }) => reason);
      expect(new Set(given.map(({ verification_code }) => verification_code)).size).toBe(codes);
      expect(new Set(given.map(({ claim_token }) => claim_token)).size).toBe(codes);
      expect(refused).toEqual(Array(50).fill(code("code_pool_empty")));
      expect(await poolStatus(ctx)).toEqual({ waiting: 0, open: codes, used: 0, expired: 0 });
    });

    test("stores hashes only, no secret", async () => {
      await using db = await open();
      const ctx = testContext(db);
      await fillPool(ctx, 3);
      const { claim_token: token } = await giveCode(ctx, HERE);
      expect(JSON.stringify(await db.db.selectFrom("verification_codes").selectAll().execute())).not.toContain(token);
    });

    test("is filled at the start and topped up when half of it is used", async () => {
      await using db = await open();
      const ctx = testContext(db, { config: { codePoolSize: 300 } });
      await startCodePool(ctx);
      expect((await poolStatus(ctx)).waiting).toBe(300);
      for (let n = 0; n < 151; n++) await giveCode(ctx, HERE);
      await eventually("it is full again", async () => (await poolStatus(ctx)).waiting === 300);
      expect((await poolStatus(ctx)).open).toBe(151);
    });

    test("forgets a code one day after it expires, not earlier", async () => {
      await using db = await open();
      const clock = stillClock();
      const ctx = testContext(db, { clock, config: { codePoolSize: 10 } });
      await startCodePool(ctx);
      await giveCode(ctx, HERE);
      clock.advance(24.5 * 3_600_000);
      await startCodePool(ctx);
      expect(await poolStatus(ctx)).toEqual({ waiting: 10, open: 0, used: 0, expired: 1 });
      clock.advance(1);
      await startCodePool(ctx);
      expect(await poolStatus(ctx)).toEqual({ waiting: 10, open: 0, used: 0, expired: 0 });
    });

    test("does not add a code that chance draws again", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const clock = { ...systemClock, random: (length: number) => new Uint8Array(length) };
      expect(await fillPool({ db: ctx.db, clock }, 5)).toBe(1);
      expect(await fillPool({ db: ctx.db, clock }, 5)).toBe(0);
    });

    test("warns once below a tenth and reports its size in a metric", async () => {
      await using db = await open();
      const lines: string[] = [];
      const log = createLog({ level: "warn", readable: false, write: (line) => lines.push(line) });
      // Nothing is added to this pool: the command line filled it.
      const ctx = { ...testContext(db, { config: { codePoolSize: 0 } }), log };
      Object.defineProperty(ctx, "root", { value: ctx });
      await fillPool(ctx, 20);
      await startCodePool(ctx);
      for (let n = 0; n < 18; n++) await giveCode(ctx, HERE);
      expect(lines).toEqual([]);
      for (let n = 0; n < 2; n++) await giveCode(ctx, HERE);
      expect(lines.map((line) => JSON.parse(line).msg)).toEqual([expect.stringContaining("codes fill")]);
      await fillPool(ctx, 7);
      await startCodePool(ctx);
      expect(await ctx.metrics.render()).toMatch(/^parley_code_pool 7$/m);
    });
  });
});
