import { expect, test } from "bun:test";
import fc from "fast-check";
import { transferCall } from "../../src/wallets/evm-wallet.ts";
import { solanaPayLink } from "../../src/wallets/solana-pay.ts";
import { formatUnits, parseUnits } from "../../src/wallets/units.ts";

/** Amounts are money: no unit may be lost between the typed text and the payment. */
test("every amount is converted to units and back without a loss (property)", () => {
  const amount = fc.bigInt(1n, 10n ** 60n).map(String);
  fc.assert(
    fc.property(amount, fc.integer({ min: 0, max: 36 }), (smallest, decimals) => {
      const text = formatUnits(smallest, decimals);
      expect(parseUnits(text, decimals)).toBe(smallest);
      const comma = text.replace(".", ",");
      const isAmbiguous = /^[1-9]\d{0,2},\d{3}$/.test(comma);
      expect(parseUnits(` ${comma} `, decimals)).toBe(isAmbiguous ? null : smallest);
    }),
  );
});

test.each([
  ["1.5", 6, "1500000"],
  ["0.000001", 6, "1"],
  ["1.", 0, "1"],
  ["007", 2, "700"],
  ["0.0000001", 6, null],
  ["0", 18, null],
  ["0.0", 18, null],
  ["", 6, null],
  [".5", 6, null],
  ["-1", 6, null],
  ["1e3", 6, null],
  ["1 000", 6, null],
  ["0x10", 6, null],
  ["1.2.3", 6, null],
  ["1,000.5", 6, null],
  ["1,000", 6, null],
  ["0,125", 6, "125000"],
  ["2,50", 6, "2500000"],
  ["9".repeat(79), 0, null],
])("%p with %d digits is %p", (text, decimals, smallest) => {
  expect(parseUnits(text, decimals)).toBe(smallest);
});

test("a transfer of the coin carries the reference alone, and one of a token carries it behind the call", () => {
  const wanted = { to: `0x${"aB".repeat(20)}`, amount: "1000000000000000000000", chainId: 1, reference: "0xfeed" };
  expect(transferCall({ ...wanted, tokenAddress: null })).toEqual({
    to: wanted.to,
    value: "0x3635c9adc5dea00000",
    data: "0xfeed",
  });
  expect(transferCall({ ...wanted, tokenAddress: "0xToken" })).toEqual({
    to: "0xToken",
    value: "0x0",
    data: `0xa9059cbb${"0".repeat(24)}${"ab".repeat(20)}${"0".repeat(46)}3635c9adc5dea00000feed`,
  });
});

test("a link for Solana wallets contains all fields, escaped", () => {
  const link = solanaPayLink({
    to: "Wa11et",
    amount: "1",
    decimals: 9,
    mint: "M1nt",
    reference: "Ref",
    label: "a b&c",
  });
  expect(link).toBe("solana:Wa11et?amount=0.000000001&spl-token=M1nt&reference=Ref&label=a%20b%26c");
});
