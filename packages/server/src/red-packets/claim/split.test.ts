import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AMOUNT_LIMIT, commitmentOf, SEED_BYTES, type SplitTerms, sharesOf } from "./split.ts";

const seeds = fc.uint8Array({ minLength: SEED_BYTES, maxLength: SEED_BYTES });
/** Of every magnitude, and as little as there may be. */
const terms = fc
  .record({
    type: fc.constantFrom("equal" as const, "random" as const),
    count: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 200 })),
    minShare: fc.oneof({ weight: 3, arbitrary: fc.constant(1n) }, fc.bigInt({ min: 1n, max: 10n ** 20n })),
    bits: fc.integer({ min: 0, max: 256 }),
    spare: fc.bigInt({ min: 0n, max: AMOUNT_LIMIT - 1n }),
  })
  .map(({ bits, spare, ...rest }): SplitTerms => {
    const least = rest.minShare * BigInt(rest.count);
    const total = least + (spare & ((1n << BigInt(bits)) - 1n));
    return { ...rest, total: total < AMOUNT_LIMIT ? total : AMOUNT_LIMIT - 1n };
  });

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
const seedOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.repeat(64).slice(0, 64), "hex"));

describe("the split of a red packet", () => {
  test("has the given number of shares, none below the minimum, summing to the amount, and depends on the seed only", () => {
    fc.assert(
      fc.property(terms, seeds, (terms, seed) => {
        const shares = sharesOf(terms, seed);
        expect(shares.length).toBe(terms.count);
        expect(shares.every((share) => share >= terms.minShare)).toBe(true);
        expect(sum(shares)).toBe(terms.total);
        expect(sharesOf(terms, seed)).toEqual(shares);
      }),
      { numRuns: 10_000 },
    );
  });

  test("that is equal differs by at most one unit, with the larger shares first", () => {
    fc.assert(
      fc.property(terms, seeds, (terms, seed) => {
        const shares = sharesOf({ ...terms, type: "equal" }, seed);
        expect(shares).toEqual(shares.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0)));
        expect((shares[0] ?? 0n) - (shares.at(-1) ?? 0n)).toBeLessThanOrEqual(1n);
      }),
      { numRuns: 2_000 },
    );
  });

  test("gives every rank the same expectation, within three sigma over 100,000 splits", () => {
    for (const [total, count] of [
      [4n, 3],
      [100n, 5],
    ] as const) {
      const rounds = 50_000;
      const totals = Array<number>(count).fill(0);
      const squares = Array<number>(count).fill(0);
      for (let round = 0; round < rounds; round += 1) {
        const seed = new Uint8Array(SEED_BYTES);
        new DataView(seed.buffer).setUint32(0, round);
        sharesOf({ type: "random", total, count, minShare: 1n }, seed).forEach((share, rank) => {
          totals[rank] = (totals[rank] ?? 0) + Number(share);
          squares[rank] = (squares[rank] ?? 0) + Number(share) ** 2;
        });
      }
      totals.forEach((all, rank) => {
        const mean = all / rounds;
        const sigma = Math.sqrt(((squares[rank] ?? 0) / rounds - mean ** 2) / rounds);
        expect(Math.abs(mean - Number(total) / count)).toBeLessThan(3 * sigma);
      });
    }
  });

  // A change of these values changes the split of past packets: that is another algorithm, with another name.
  test("never changes for a given seed", () => {
    const random = { type: "random", total: 1_000n, count: 5, minShare: 1n } as const;
    expect(sharesOf(random, seedOf("0123456789abcdef"))).toMatchInlineSnapshot(`
      [
        306n,
        110n,
        181n,
        11n,
        392n,
      ]
    `);
    expect(commitmentOf(random, seedOf("0123456789abcdef"))).toMatchInlineSnapshot(
      `"c80395c935d45b3e6067335970a34fd50f0cf1e7f646e41fa7af58d3302d63e8"`,
    );
    const large = { type: "random", total: AMOUNT_LIMIT - 1n, count: 3, minShare: 10n ** 15n } as const;
    expect(sharesOf(large, seedOf("ff")).map(String)).toMatchInlineSnapshot(`
      [
        "43617182420101902569729334556859650509786629669371801291684855238255936554881",
        "3194867662190247458386942640538800452078198526954589237648395961468197984019",
        "68980039155024045395454707811289456891405156469314173510124332808188995101035",
      ]
    `);
    expect(sharesOf({ ...random, type: "equal", count: 3 }, seedOf("00"))).toEqual([334n, 333n, 333n]);
  });

  test("of less than the minimum is a bug", () => {
    expect(() => sharesOf({ type: "equal", total: 2n, count: 3, minShare: 1n }, seedOf("00"))).toThrow();
    expect(() => sharesOf({ type: "random", total: 2n, count: 1, minShare: 0n }, seedOf("00"))).toThrow();
  });
});

describe("the commitment to a split", () => {
  test("depends on the seed and on each of the terms", () => {
    fc.assert(
      fc.property(terms, seeds, terms, seeds, (a, seedA, b, seedB) => {
        const same =
          Buffer.from(seedA).equals(seedB) &&
          a.type === b.type &&
          a.total === b.total &&
          a.count === b.count &&
          a.minShare === b.minShare;
        expect(commitmentOf(a, seedA) === commitmentOf(b, seedB)).toBe(same);
        expect(commitmentOf({ ...a, total: a.total + 1n }, seedA)).not.toBe(commitmentOf(a, seedA));
        expect(commitmentOf({ ...a, count: a.count + 1 }, seedA)).not.toBe(commitmentOf(a, seedA));
        expect(commitmentOf({ ...a, minShare: a.minShare + 1n }, seedA)).not.toBe(commitmentOf(a, seedA));
      }),
      { numRuns: 1_000 },
    );
  });
});
