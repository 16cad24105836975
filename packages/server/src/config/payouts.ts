import { type UnitAmounts, unitAmounts } from "./amounts.ts";
import type { CoinSetting } from "./chains.ts";
import { integer, oneOf } from "./parse.ts";
import type { Variable } from "./variables.ts";

const variable = <T>(spec: Variable<T>): Variable<T> => spec;

/** Settings of payouts (protocol §6, §10), part of the table of all settings. */
export const PAYOUT_VARIABLES = {
  payouts: variable({
    name: "PARLEY_PAYOUTS",
    meaning:
      "`off`: what is owed on chains is written down and not paid. `parley payouts stop` does the same beside a running server.",
    byDefault: "on",
    parse: oneOf("on", "off"),
  }),
  payoutTransferMax: variable({
    name: "PARLEY_PAYOUT_TRANSFER_MAX",
    meaning:
      "The most that one payout may move, by currency in whole units, by comma: `ETH=0.5,USDC=1000`. More waits for you.",
    byDefault: "",
    parse: unitAmounts,
  }),
  payoutDailyMax: variable({
    name: "PARLEY_PAYOUT_DAILY_MAX",
    meaning:
      "The most that payouts may move on a day (UTC), by currency in the same form. More waits for the next day.",
    byDefault: "",
    parse: unitAmounts,
  }),
  payoutGasDailyMax: variable({
    name: "PARLEY_PAYOUT_GAS_DAILY_MAX",
    meaning: "The most that payouts may cost in gas on a day (UTC), by native coin: `ETH=0.1`.",
    byDefault: "",
    parse: unitAmounts,
  }),
  payoutReserve: variable({
    name: "PARLEY_PAYOUT_RESERVE",
    meaning:
      "Below this the treasury's wallet is low, by currency: an alarm, and no new packets on that chain while its native coin is.",
    byDefault: "",
    parse: unitAmounts,
  }),
  packetShareMin: variable({
    name: "PARLEY_PACKET_SHARE_MIN",
    meaning:
      "The smallest share of a red packet on a chain, by currency in the same form. Set one for each token, at least three times the gas of a payout: Parley does not know what a token is worth, and allows shares of a hundredth of one. Shares of a native coin are never below three times the most a payout can cost.",
    byDefault: "",
    parse: unitAmounts,
  }),
  payoutBumpMinutes: variable({
    name: "PARLEY_PAYOUT_BUMP_MINUTES",
    meaning: "Minutes until the fee of a payout that no block takes is raised; at most three times.",
    byDefault: "5",
    parse: integer(1, 1_440),
  }),
} as const;

interface Assets {
  readonly evmRpcUrls: readonly string[];
  readonly evmCurrency: CoinSetting;
  readonly evmTokens: readonly CoinSetting[];
  readonly solanaRpcUrls: readonly string[];
  readonly solanaTokens: readonly CoinSetting[];
}

type Limits = {
  readonly [F in
    | "payoutTransferMax"
    | "payoutDailyMax"
    | "payoutGasDailyMax"
    | "payoutReserve"
    | "packetShareMin"]: UnitAmounts;
};

/** Rejects limits of unknown currencies: with a typo, the treasury would have no limit. */
export function payoutProblems(config: Assets & Limits): string[] {
  const coins = [
    ...(config.evmRpcUrls.length > 0 ? [config.evmCurrency.currency] : []),
    ...(config.solanaRpcUrls.length > 0 ? ["SOL"] : []),
  ];
  const all = [...coins, ...[...config.evmTokens, ...config.solanaTokens].map(({ currency }) => currency)];
  const { payoutTransferMax, payoutDailyMax, payoutGasDailyMax, payoutReserve, packetShareMin } = PAYOUT_VARIABLES;
  return [
    ...strangers(payoutTransferMax.name, config.payoutTransferMax, all),
    ...strangers(payoutDailyMax.name, config.payoutDailyMax, all),
    ...strangers(payoutGasDailyMax.name, config.payoutGasDailyMax, coins),
    ...strangers(payoutReserve.name, config.payoutReserve, all),
    ...strangers(packetShareMin.name, config.packetShareMin, all),
  ];
}

function strangers(name: string, limits: UnitAmounts, known: readonly string[]): string[] {
  const unknown = [...limits.keys()].filter((currency) => !known.includes(currency));
  const there = known.length === 0 ? "there is none: no chain is set" : `there are ${known.join(", ")}`;
  return unknown.map((currency) => `${name} has ${currency}, which is not among its currencies; ${there}`);
}
