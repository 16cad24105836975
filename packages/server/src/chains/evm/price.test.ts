import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { priceOf, raisedPrice } from "./price.ts";

const amount = fc.bigInt({ min: 0n, max: 10n ** 24n });

describe("a price", () => {
  test("leaves room for the base fee to double, up to the limit", () => {
    expect(priceOf({ base: 10n, tip: 2n }, 100n)).toEqual({ maxFeePerGas: 22n, maxPriorityFeePerGas: 2n });
    expect(priceOf({ base: 10n, tip: 2n }, 15n)).toEqual({ maxFeePerGas: 15n, maxPriorityFeePerGas: 2n });
    expect(priceOf({ base: 10n, tip: 2n }, 12n)).toEqual({ maxFeePerGas: 12n, maxPriorityFeePerGas: 2n });
    expect(priceOf({ base: 10n, tip: 2n }, 11n)).toBeNull();
  });
});

describe("a raised price", () => {
  test.each([
    // The market has not moved: an eighth more, rounded up.
    [{ maxFeePerGas: 22n, maxPriorityFeePerGas: 2n }, { base: 10n, tip: 2n }, 100n, 25n, 3n],
    [{ maxFeePerGas: 1n, maxPriorityFeePerGas: 0n }, { base: 0n, tip: 0n }, 100n, 2n, 1n],
    // The market has risen above that: the current price.
    [{ maxFeePerGas: 22n, maxPriorityFeePerGas: 2n }, { base: 50n, tip: 9n }, 500n, 109n, 9n],
    [{ maxFeePerGas: 22n, maxPriorityFeePerGas: 2n }, { base: 50n, tip: 9n }, 60n, 60n, 9n],
  ])(
    "is an eighth higher, or the market price if that is higher, within the limit (case %#)",
    (old, market, limit, maxFeePerGas, maxPriorityFeePerGas) => {
      expect(raisedPrice(old, market, limit)).toEqual({ maxFeePerGas, maxPriorityFeePerGas });
    },
  );

  test("replaces the old price at servers, can be included and respects the limit, or does not exist", () => {
    fc.assert(
      fc.property(amount, amount, amount, amount, amount, (fee, oldTip, base, tip, limit) => {
        const old = { maxFeePerGas: fee > oldTip ? fee : oldTip, maxPriorityFeePerGas: oldTip };
        const raised = raisedPrice(old, { base, tip }, limit);
        if (raised === null) return;
        expect(raised.maxFeePerGas * 8n >= old.maxFeePerGas * 9n).toBe(true);
        expect(raised.maxPriorityFeePerGas * 8n >= oldTip * 9n).toBe(true);
        expect(raised.maxFeePerGas > old.maxFeePerGas).toBe(true);
        expect(raised.maxFeePerGas >= base + raised.maxPriorityFeePerGas).toBe(true);
        expect(raised.maxFeePerGas <= limit).toBe(true);
      }),
    );
  });
});
