import type { RedPacket } from "@parley/protocol/red-packets";
import type { WindowTexts } from "../texts/window-texts.ts";

/** An amount of a packet's currency, for a person. */
export function amountOf(
  texts: WindowTexts,
  amount: string,
  { currency, decimals, chain }: Pick<RedPacket, "currency" | "decimals" | "chain">,
): string {
  return chain === "ledger" ? texts.packets.points(amount) : `${inUnits(amount, decimals)} ${currency}`;
}

/** Out of the smallest unit: `1500`, 3 → `1.5`. */
export function inUnits(amount: string, decimals: number): string {
  const digits = amount.padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const rest = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return rest === "" ? whole : `${whole}.${rest}`;
}
