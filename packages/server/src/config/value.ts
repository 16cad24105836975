import { EVM_VARIABLES } from "./chains.ts";
import { oneOf, type Variable } from "./parse.ts";
import { PAYMENT_VARIABLES } from "./payments.ts";
import { PAYOUT_VARIABLES } from "./payouts.ts";
import { SOLANA_VARIABLES } from "./solana.ts";

const variable = <T>(spec: Variable<T>): Variable<T> => spec;

const SWITCH = {
  value: variable({
    name: "PARLEY_VALUE",
    meaning:
      "`off`: the server has no chains, wallets, payments, red packets and payouts, and ignores all settings of them. It refuses to start so while a red packet is open, a payout is unpaid or a payment is under way. Points, honor and budgets stay. All nodes of a cluster need the same.",
    byDefault: "on",
    parse: oneOf("on", "off"),
  }),
} as const;

const SWITCHED = {
  ...EVM_VARIABLES,
  ...PAYOUT_VARIABLES,
  ...PAYMENT_VARIABLES,
  ...SOLANA_VARIABLES,
} as const;

/** Settings of what has value outside of this server (protocol §10), part of the table of all settings. */
export const VALUE_VARIABLES = { ...SWITCH, ...SWITCHED } as const;

/** True if this environment switches value off. */
export const isValueOff = (env: Readonly<Record<string, string | undefined>>): boolean =>
  env[SWITCH.value.name]?.trim() === "off";

/** True for the field of a setting that has no effect while value is off. */
export const isOfValue = (field: string): boolean => field in SWITCHED;
