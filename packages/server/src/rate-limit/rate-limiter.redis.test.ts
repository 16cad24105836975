import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { RatePolicy } from "@parley/protocol/limits";
import { type StillClock, stillClock } from "../../test/support/clock.ts";
import { openFreshSqlite } from "../../test/support/databases.ts";
import { RedisServer } from "../../test/support/servers/redis-server.ts";
import { eventually } from "../../test/support/servers/test-server.ts";
import { type Clock, systemClock } from "../clock.ts";
import type { OpenDatabase } from "../db/database.ts";
import { RedisShards } from "../redis/shards.ts";
import { ClusterRateLimiter } from "./rate-limiter.cluster.ts";
import { type LimiterConfig, passed, rateLimiterSuite, takeAll } from "./rate-limiter.conformance.ts";

const silent = { warn: () => {} };
/** Longer than the product waits, so that a busy machine does not make a node count alone. */
const BRIEF_MS = 2_000;
const ON: LimiterConfig = { rateLimits: "on", rateFactor: 1 };

describe("limits in Redis", () => {
  let server: RedisServer;
  let database: OpenDatabase;
  let epochs = 0;
  beforeAll(async () => {
    server = await RedisServer.start();
    database = await openFreshSqlite();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  async function open(count: number, config: Partial<LimiterConfig> = {}, clock: Clock = systemClock, log = silent) {
    const epoch = `test-${++epochs}`;
    const stack = new AsyncDisposableStack();
    const limiters: ClusterRateLimiter[] = [];
    for (let n = 0; n < count; n++) {
      const redis = stack.use(new RedisShards([server.url], { epoch, briefMs: BRIEF_MS, onDown: () => {} }));
      await redis.start();
      const parts = { config: { ...ON, ...config }, clock, db: database.db, redis, log, onRefused: () => {} };
      limiters.push(new ClusterRateLimiter(parts));
    }
    return { limiters, prefix: `parley:${epoch}:`, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  }

  rateLimiterSuite("shared", 3, open);

  const policy: RatePolicy = { name: "test", quota: 60, window: 3_600, store: "shared" };

  describe("a node", () => {
    let clock: StillClock;
    beforeEach(() => {
      clock = stillClock();
    });

    test("decides without asking while borrowed acts remain, and borrows no more than a twentieth", async () => {
      await using opened = await open(1, {}, clock);
      const [limiter] = opened.limiters as [ClusterRateLimiter];
      expect(limiter.take(policy, "a")).toBeInstanceOf(Promise);
      await limiter.take(policy, "b");
      expect(limiter.take(policy, "b")).toMatchObject({ allowed: true, remaining: 58 });
      expect(limiter.take(policy, "b")).toMatchObject({ allowed: true, remaining: 57 });
      expect(limiter.take(policy, "b")).toBeInstanceOf(Promise);
    });

    test("gives back what an idle subject has not used", async () => {
      await using opened = await open(2, {}, clock);
      const [one, two] = opened.limiters as [ClusterRateLimiter, ClusterRateLimiter];
      await one.take(policy, "a");
      expect(passed(await takeAll([two], policy, 60))).toBe(57);
      clock.advance(1_900);
      await one.shared?.returnIdle();
      expect(passed(await takeAll([two], policy, 60))).toBe(0);
      clock.advance(1_100);
      await one.shared?.returnIdle();
      expect(passed(await takeAll([two], policy, 60))).toBe(2);
    });

    test("leaves nothing behind: keys expire, and an unused one is deleted", async () => {
      await using opened = await open(1, {}, clock);
      const [limiter] = opened.limiters as [ClusterRateLimiter];
      await limiter.take(policy, "a");
      const key = `${opened.prefix}test a`;
      const ttl = Number(await server.command("PTTL", key));
      expect(ttl).toBeGreaterThan(170_000);
      expect(ttl).toBeLessThanOrEqual(180_000);
      limiter.giveBack(policy, "a");
      clock.advance(2_100);
      await limiter.shared?.returnIdle();
      expect(await server.command("EXISTS", key)).toBe(0);
    });

    test("counts alone while Redis is silent, from where it was, and together again afterwards", async () => {
      const told: unknown[] = [];
      await using opened = await open(2, {}, clock, { warn: (...line: unknown[]) => void told.push(line) });
      const [one, two] = opened.limiters as [ClusterRateLimiter, ClusterRateLimiter];
      expect(passed(await takeAll([one], policy, 20))).toBe(20);
      server.pause();
      try {
        expect(passed(await takeAll([one], policy, 60))).toBe(40);
        // Once it is known to be silent, nobody waits for it.
        expect(one.take(policy, "b")).toMatchObject({ allowed: true, remaining: 59 });
        expect(passed(await takeAll([two], policy, 100))).toBe(60);
      } finally {
        server.resume();
      }
      expect(told.length).toBe(2);
      clock.advance(1_001);
      await eventually("the nodes count together", async () => {
        clock.advance(1_001);
        await takeAll([one], policy, 60, "c");
        return passed(await takeAll([two], policy, 60, "c")) === 0;
      });
    });

    test("counts alone when its key holds something else", async () => {
      await using opened = await open(1, {}, clock);
      await server.command("LPUSH", `${opened.prefix}test a`, "x");
      expect(passed(await takeAll(opened.limiters, policy, 100))).toBe(60);
    });

    test("is not shut out by a key from the future, or without a number", async () => {
      await using opened = await open(1, {}, clock);
      await server.command("SET", `${opened.prefix}test a`, "99999999999999999");
      expect(await opened.limiters[0]?.take(policy, "a")).toMatchObject({ allowed: false, retryAfter: 60 });
      expect(Number(await server.command("PTTL", `${opened.prefix}test a`))).toBeWithin(3_500_000, 3_600_001);
      await server.command("SET", `${opened.prefix}test b`, "nonsense");
      expect(passed(await takeAll(opened.limiters, policy, 100, "b"))).toBe(60);
    });
  });

  test("without a connection, each node counts alone", async () => {
    await using opened = await open(2);
    await server.stop();
    try {
      for (const limiter of opened.limiters) expect(passed(await takeAll([limiter], policy, 100))).toBe(60);
    } finally {
      await server.start();
    }
  });

  test("each node counts alone while Redis has no free memory", async () => {
    await using opened = await open(1);
    await server.command("CONFIG", "SET", "maxmemory", "1");
    try {
      expect(passed(await takeAll(opened.limiters, policy, 100))).toBe(60);
    } finally {
      await server.command("CONFIG", "SET", "maxmemory", "0");
    }
  });
});
