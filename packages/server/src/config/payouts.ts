import { type UnitAmounts, unitAmounts } from "./amounts.ts";
import type { CoinSetting } from "./chains.ts";
import { integer, oneOf, type Variable } from "./parse.ts";

const variable = <T>(spec: Variable<T>): Variable<T> => spec;

/** Settings of payouts (protocol §6, §10), part of the table of all settings. */
export const PAYOUT_VARIABLES = {
  payouts: variable({
    name: "PARLEY_PAYOUTS",
    meaning:
      "`off`: payouts on chains are recorded but not paid. `parley payouts stop` does the same for running servers.",
    byDefault: "on",
    parse: oneOf("on", "off"),
  }),
  payoutTransferMax: variable({
    name: "PARLEY_PAYOUT_TRANSFER_MAX",
    meaning:
      "Largest amount of one payout, per currency in whole units, separated by commas: `ETH=0.5,USDC=1000`. Larger payouts wait for the operator.",
    byDefault: "",
    parse: unitAmounts,
  }),
  payoutDailyMax: variable({
    name: "PARLEY_PAYOUT_DAILY_MAX",
    meaning:
      "Largest sum of payouts per day (UTC), per currency in the same form. Further payouts wait for the next day.",
    byDefault: "",
    parse: unitAmounts,
  }),
  payoutGasDailyMax: variable({
    name: "PARLEY_PAYOUT_GAS_DAILY_MAX",
    meaning: "Largest gas cost of payouts per day (UTC), per native coin: `ETH=0.1`.",
    byDefault: "",
    parse: unitAmounts,
  }),
  payoutReserve: variable({
    name: "PARLEY_PAYOUT_RESERVE",
    meaning:
      "Reserve of the treasury's wallet, per currency. Below it Parley logs an alarm and, for the native coin, refuses new red packets on that chain.",
    byDefault: "",
    parse: unitAmounts,
  }),
  packetShareMin: variable({
    name: "PARLEY_PACKET_SHARE_MIN",
    meaning:
      "Smallest share of a red packet on a chain, per currency in the same form. Set one for each token, worth at least three times the gas of a payout: Parley does not know what a token is worth and by default allows shares of a hundredth. Shares of a native coin are never below three times the maximum cost of a payout.",
    byDefault: "",
    parse: unitAmounts,
  }),
  payoutBumpMinutes: variable({
    name: "PARLEY_PAYOUT_BUMP_MINUTES",
    meaning: "Minutes until the fee of a payout that no block includes is raised; at most three times.",
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
  const there = known.length === 0 ? "it has none, because no chain is configured" : `they are ${known.join(", ")}`;
  return unknown.map((currency) => `${name} has ${currency}, which is not one of the server's currencies; ${there}`);
}
