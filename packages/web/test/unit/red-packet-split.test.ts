import { expect, test } from "bun:test";
import fc from "fast-check";
import { sharesOf } from "../../../server/src/red-packets/claim/split.ts";
import { sharesOf as pageShares } from "../../src/red-packets/fairness.ts";

test("the page computes the same shares as the server", () => {
  const terms = fc.record({
    split_type: fc.constantFrom("equal" as const, "random" as const),
    count: fc.integer({ min: 1, max: 200 }),
    minShare: fc.bigInt({ min: 1n, max: 10n ** 12n }),
    extra: fc.oneof(fc.bigInt({ min: 0n, max: 1_000n }), fc.bigInt({ min: 0n, max: 2n ** 200n })),
    seed: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  });
  fc.assert(
    fc.property(terms, ({ split_type, count, minShare, extra, seed }) => {
      const total = minShare * BigInt(count) + extra;
      const fairness = { algorithm: "parley-red-packet-1", min_share: String(minShare), commitment: "", seed: null };
      const found = pageShares({ split_type, count, total_amount: String(total), fairness }, seed);
      expect(found).toEqual(sharesOf({ type: split_type, total, count, minShare }, seed));
    }),
    { numRuns: 200 },
  );
});
