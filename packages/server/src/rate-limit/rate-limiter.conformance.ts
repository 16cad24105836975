import { describe, expect, test } from "bun:test";
import type { RatePolicy } from "@parley/protocol/limits";
import { eventually } from "../../test/support/servers/test-server.ts";
import type { RateDecision, RateLimiter } from "./rate-limiter.ts";

/** Limiters that count together, as those of the nodes of one cluster; dispose of them with their store. */
export interface OpenLimiters extends AsyncDisposable {
  limiters: readonly RateLimiter[];
}

/** Opens limiters with the same settings on a new store. */
export type OpenLimitersOf = (count: number, config?: Partial<LimiterConfig>) => Promise<OpenLimiters>;

export interface LimiterConfig {
  rateLimits: "on" | "off";
  rateFactor: number;
}

/** Takes `count` acts, in turn from each limiter, all at once. */
export async function takeAll(
  limiters: readonly RateLimiter[],
  policy: RatePolicy,
  count: number,
  subject = "a",
): Promise<RateDecision[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, n) => (limiters[n % limiters.length] as RateLimiter).take(policy, subject)),
  );
}

export const passed = (decisions: readonly RateDecision[]): number => decisions.filter(({ allowed }) => allowed).length;

/** Tests the promises of every limiter. Windows are long, so that nothing refills during a test. */
export function rateLimiterSuite(store: RatePolicy["store"], maxNodes: number, open: OpenLimitersOf): void {
  const policy: RatePolicy = { name: "conformance", quota: 60, window: 36_000, store };

  for (let nodes = 1; nodes <= maxNodes; nodes++) {
    describe(`${nodes} nodes`, () => {
      test("let a quota pass, whether tried at once or one by one", async () => {
        await using opened = await open(nodes);
        expect(passed(await takeAll(opened.limiters, policy, 120))).toBe(60);
        let alone = 0;
        for (let n = 0; n < 120; n++)
          alone += passed(await takeAll([opened.limiters[n % nodes] as RateLimiter], policy, 1, "b"));
        expect(alone).toBe(60);
      });

      test("count as well with a state that the caller keeps", async () => {
        await using opened = await open(nodes);
        const [limiter] = opened.limiters as [RateLimiter];
        let state = 0;
        for (let n = 0; n < 60; n++) state = limiter.takeHere(policy, state) ?? Number.NaN;
        expect(state).toBeGreaterThan(0);
        expect(limiter.takeHere(policy, state)).toBe(null);
        expect(limiter.takeHere(policy, 0)).not.toBe(null);
        expect(passed(await takeAll(opened.limiters, policy, 61))).toBe(60);
      });

      test("count subjects and policies separately, and long subjects as well", async () => {
        await using opened = await open(nodes);
        const other = { ...policy, name: "other" };
        await takeAll(opened.limiters, policy, 100);
        expect(passed(await takeAll(opened.limiters, policy, 61, "b"))).toBe(60);
        expect(passed(await takeAll(opened.limiters, other, 61))).toBe(60);
        const [one, two] = ["1", "2"].map((end) => "x".repeat(10_000) + end);
        expect(passed(await takeAll(opened.limiters, policy, 61, one))).toBe(60);
        expect(passed(await takeAll(opened.limiters, policy, 61, two))).toBe(60);
      });
    });
  }

  test("an act reports what is left, and a refusal when the next one passes", async () => {
    await using opened = await open(1);
    const [limiter] = opened.limiters as [RateLimiter];
    expect(await limiter.take(policy, "a")).toMatchObject({ allowed: true, remaining: 59, reset: 600, retryAfter: 0 });
    expect(await limiter.take(policy, "a")).toMatchObject({ allowed: true, remaining: 58, reset: 1_200, policy });
    await takeAll([limiter], policy, 58);
    const refused = await limiter.take(policy, "a");
    expect(refused).toMatchObject({ allowed: false, remaining: 0, reset: 36_000 });
    expect(refused.retryAfter).toBeGreaterThan(590);
    expect(refused.retryAfter).toBeLessThanOrEqual(600);
  });

  test("an act that is given back can be taken again", async () => {
    await using opened = await open(1);
    const [limiter] = opened.limiters as [RateLimiter];
    expect(passed(await takeAll([limiter], policy, 60))).toBe(60);
    limiter.giveBack(policy, "a");
    // Giving back may take a moment.
    await eventually("one passes", async () => passed(await takeAll([limiter], policy, 1)) === 1);
    expect(passed(await takeAll([limiter], policy, 5))).toBe(0);
  });

  test("a quota refills one act at a time", async () => {
    await using opened = await open(1);
    const quick = { ...policy, name: "quick", quota: 4, window: 2 };
    expect(passed(await takeAll(opened.limiters, quick, 4))).toBe(4);
    await eventually("one is refused", async () => passed(await takeAll(opened.limiters, quick, 1)) === 0);
    await eventually("one passes", async () => passed(await takeAll(opened.limiters, quick, 1)) === 1);
  });

  test("the factor multiplies quotas, except fixed ones", async () => {
    await using many = await open(1, { rateFactor: 2 });
    expect(passed(await takeAll(many.limiters, policy, 200))).toBe(120);
    expect(passed(await takeAll(many.limiters, { ...policy, name: "fixed", fixed: true }, 200))).toBe(60);
  });

  test('"off" allows everything', async () => {
    await using off = await open(1, { rateLimits: "off" });
    expect(passed(await takeAll(off.limiters, policy, 200))).toBe(200);
  });
}
