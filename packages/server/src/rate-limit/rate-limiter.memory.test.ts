import { expect, test } from "bun:test";
import type { RatePolicy } from "@parley/protocol/limits";
import fc from "fast-check";
import { type Clock, systemClock } from "../clock.ts";
import { rateLimiterSuite } from "./rate-limiter.conformance.ts";
import { MemoryRateLimiter, SUBJECTS_MAX } from "./rate-limiter.memory.ts";

const policy: RatePolicy = { name: "test", quota: 6, window: 12, store: "shared" };

function start(config: { rateLimits?: "on" | "off"; rateFactor?: number } = {}) {
  let now = 1_000;
  const clock = { monotonic: () => now } as Clock;
  const refused: string[] = [];
  const limiter = new MemoryRateLimiter({ rateLimits: "on", rateFactor: 1, ...config }, clock, (name) =>
    refused.push(name),
  );
  const taken = (count: number, subject = "a") =>
    Array.from({ length: count }, () => limiter.take(policy, subject)).filter((decision) => decision.allowed).length;
  const advance = (ms: number) => {
    now += ms;
  };
  return { limiter, taken, advance, refused };
}

test("a full quota can be used at once, then one act each window / quota", () => {
  const { limiter, taken, advance, refused } = start();
  expect(taken(20)).toBe(6);
  expect(refused).toEqual(Array(14).fill("test"));
  expect(limiter.take(policy, "a")).toMatchObject({ allowed: false, remaining: 0, reset: 12, retryAfter: 2 });
  advance(1_999);
  expect(limiter.take(policy, "a")).toMatchObject({ allowed: false, retryAfter: 0.001 });
  advance(1);
  expect(taken(5)).toBe(1);
  advance(12_000);
  expect(taken(20)).toBe(6);
});

test("each act reports what is left and when the quota is full", () => {
  const { limiter, advance } = start();
  expect(limiter.take(policy, "a")).toEqual({ allowed: true, policy, remaining: 5, reset: 2, retryAfter: 0 });
  expect(limiter.take(policy, "a")).toMatchObject({ remaining: 4, reset: 4 });
  advance(3_000);
  expect(limiter.take(policy, "a")).toMatchObject({ remaining: 4, reset: 3 });
});

test("a refusal costs nothing, and subjects and policies are separate", () => {
  const { limiter, taken, advance } = start();
  expect(taken(1_000)).toBe(6);
  expect(taken(6, "b")).toBe(6);
  expect(limiter.take({ ...policy, name: "other" }, "a").allowed).toBe(true);
  advance(2_000);
  expect(taken(3)).toBe(1);
});

test('the factor multiplies quotas and is reported, and "off" allows everything', () => {
  expect(start({ rateFactor: 100 }).taken(1_000)).toBe(600);
  expect(start({ rateFactor: 100 }).limiter.take(policy, "a").policy).toEqual({ ...policy, quota: 600 });
  expect(start({ rateLimits: "off" }).taken(1_000)).toBe(1_000);
});

test('a fixed quota is the same in every profile, and "off" lifts it, too', () => {
  const fixed = { ...policy, fixed: true };
  const allowed = (limiter: MemoryRateLimiter) =>
    Array.from({ length: 20 }, () => limiter.take(fixed, "a").allowed).filter(Boolean).length;
  expect(allowed(start({ rateFactor: 100 }).limiter)).toBe(6);
  expect(allowed(start({ rateLimits: "off" }).limiter)).toBe(20);
});

test("a returned act can be used again, without exceeding the quota", () => {
  const { limiter, taken, advance } = start();
  limiter.giveBack(policy, "a");
  expect(taken(20)).toBe(6);
  limiter.giveBack(policy, "a");
  expect(taken(20)).toBe(1);
  advance(12_000);
  limiter.giveBack(policy, "a");
  expect(taken(20)).toBe(6);
});

test("subjects with a full quota are forgotten", () => {
  const { limiter, advance } = start();
  for (let i = 0; i < 50_000; i++) {
    advance(1);
    limiter.take(policy, `subject ${i}`);
  }
  // A subject's quota is full again after 2 s, so 2,000 subjects are active at any time; the map may hold twice that.
  expect(limiter.subjects(policy)).toBeLessThan(4_100);
});

test("the number of subjects is bounded, and those seen last keep their quotas", () => {
  const { limiter, taken } = start();
  for (let i = 0; i < SUBJECTS_MAX; i++) limiter.take(policy, `subject ${i}`);
  expect(taken(20, "last")).toBe(6);
  for (let i = 0; i < SUBJECTS_MAX / 2; i++) limiter.take(policy, `other subject ${i}`);
  expect(limiter.subjects(policy)).toBeLessThanOrEqual(SUBJECTS_MAX);
  expect(taken(20, "last")).toBe(0);
});

test("no more acts pass in any period than the quota and what was refilled (property)", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5_000), { minLength: 1, maxLength: 80 }), (steps) => {
      const { limiter, advance } = start();
      let passed = 0;
      let time = 0;
      for (const step of steps) {
        advance(step);
        time += step;
        if (limiter.take(policy, "a").allowed) passed += 1;
        expect(passed).toBeLessThanOrEqual(6 + Math.floor(time / 2_000));
      }
    }),
  );
});

rateLimiterSuite("shared", 1, async (_, config) => ({
  limiters: [new MemoryRateLimiter({ rateLimits: "on", rateFactor: 1, ...config }, systemClock)],
  [Symbol.asyncDispose]: async () => {},
}));
