import type { RedPacket } from "@parley/protocol/red-packets";
import type { WindowTexts } from "../i18n/texts.ts";
import { formatUnits } from "../wallets/units.ts";

/** Formats an amount of a packet's currency. */
export function amountOf(
  texts: WindowTexts,
  amount: string,
  { currency, decimals, chain }: Pick<RedPacket, "currency" | "decimals" | "chain">,
): string {
  return chain === "ledger" ? texts.packets.points(amount) : `${formatUnits(amount, decimals)} ${currency}`;
}
