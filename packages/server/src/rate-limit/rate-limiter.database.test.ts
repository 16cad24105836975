import { describe, expect, test } from "bun:test";
import type { RatePolicy } from "@parley/protocol/limits";
import { stillClock } from "../../test/support/clock.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { eventually } from "../../test/support/servers/test-server.ts";
import { type Clock, systemClock } from "../clock.ts";
import { ClusterRateLimiter } from "./rate-limiter.cluster.ts";
import { type LimiterConfig, passed, rateLimiterSuite, takeAll } from "./rate-limiter.conformance.ts";

const silent = { warn: () => {} };
const ON: LimiterConfig = { rateLimits: "on", rateFactor: 1 };

describe("limits in the database", () => {
  eachDatabase((_, openFresh) => {
    const open = async (count: number, config: Partial<LimiterConfig> = {}, clock: Clock = systemClock) => {
      const database = await openFresh();
      const parts = {
        config: { ...ON, ...config },
        clock,
        db: database.db,
        redis: null,
        log: silent,
        onRefused: () => {},
      };
      const limiters = Array.from({ length: count }, () => new ClusterRateLimiter(parts));
      return { limiters, database, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
    };

    rateLimiterSuite("database", 3, open);

    test("a refused subject costs no statement for a second", async () => {
      const clock = stillClock();
      await using opened = await open(2, {}, clock);
      const [one, two] = opened.limiters as [ClusterRateLimiter, ClusterRateLimiter];
      const policy: RatePolicy = { name: "test", quota: 10, window: 3_600, store: "database" };
      expect(passed(await takeAll([one], policy, 20))).toBe(10);
      expect(passed(await takeAll([two], policy, 1))).toBe(0);
      expect(two.take(policy, "a")).toMatchObject({ allowed: false });
      clock.advance(1_001);
      const asked = two.take(policy, "a");
      expect(asked).toBeInstanceOf(Promise);
      await asked;
    });

    test("an act that the database could not count costs nothing on the node, either", async () => {
      const opened = await open(1);
      await opened[Symbol.asyncDispose]();
      const policy: RatePolicy = { name: "test", quota: 3, window: 3_600, store: "database" };
      for (let n = 0; n < 10; n++) {
        const failed = Promise.resolve(opened.limiters[0]?.take(policy, "a")).catch((error: unknown) => error);
        expect(await failed).toBeInstanceOf(Error);
      }
    });

    test("a clock that was set back shuts nobody out for longer than a window", async () => {
      await using opened = await open(1);
      const { db } = opened.database;
      const policy: RatePolicy = { name: "test", quota: 60, window: 3_600, store: "database" };
      await db
        .insertInto("rate_limits")
        .values({ key: "test a", full_at: Date.now() + 86_400_000 })
        .execute();
      const decision = await opened.limiters[0]?.take(policy, "a");
      expect(decision).toMatchObject({ allowed: false, retryAfter: 60 });
      const { full_at } = await db.selectFrom("rate_limits").select("full_at").executeTakeFirstOrThrow();
      // The database's clock decides; it may be a little ahead of this one.
      expect(Number(full_at) - Date.now()).toBeLessThanOrEqual(3_600_000 + 1_000);
    });

    test("the sweep deletes quotas that are full again", async () => {
      await using opened = await open(1);
      const [limiter] = opened.limiters as [ClusterRateLimiter];
      await limiter.take({ name: "short", quota: 1_000, window: 1, store: "database" }, "a");
      await limiter.take({ name: "long", quota: 1, window: 3_600, store: "database" }, "a");
      const keys = () => opened.database.db.selectFrom("rate_limits").select("key").execute();
      await eventually("only the long one is left", async () => {
        await limiter.database.sweep();
        return (await keys()).length === 1;
      });
      expect(await keys()).toEqual([{ key: "long a" }]);
    });
  });
});
