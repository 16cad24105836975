import { list } from "./parse.ts";

/** Amounts by currency symbol, in whole units: `ETH=0.5,USDC=1000`. */
export type UnitAmounts = ReadonlyMap<string, string>;

/** Parses amounts by symbol, in whole units: `ETH=0.5,USDC=1000`. */
export function unitAmounts(raw: string): UnitAmounts {
  const entries = list((entry): [string, string] => {
    const [, currency = "", amount = ""] = /^([A-Za-z][A-Za-z0-9.]{0,15})=(\d{1,60}(?:\.\d{1,36})?)$/.exec(entry) ?? [];
    if (currency === "") throw new Error(`has "${entry}", which does not have the form ETH=0.5`);
    return [currency, amount];
  })(raw);
  const amounts = new Map(entries);
  if (amounts.size < entries.length) throw new Error("names a currency twice");
  return amounts;
}

/** Converts a decimal text in whole units to smallest units; finer digits are truncated. */
export function smallestUnits(text: string, decimals: number): bigint {
  const [whole = "0", fraction = ""] = text.split(".");
  return BigInt(whole) * 10n ** BigInt(decimals) + BigInt(`0${fraction.padEnd(decimals, "0").slice(0, decimals)}`);
}

/** Returns the limit set for an asset, in its smallest unit; null if there is none. */
export function limitOf(limits: UnitAmounts, asset: { currency: string; decimals: number }): bigint | null {
  const text = limits.get(asset.currency);
  return text === undefined ? null : smallestUnits(text, asset.decimals);
}
