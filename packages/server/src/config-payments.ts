import { boolean, list } from "./config-parse.ts";
import type { Variable } from "./config-variables.ts";

const variable = <T>(spec: Variable<T>): Variable<T> => spec;

/** A wallet's address; which chain's, and whether its checksum holds, is seen when the chains are started. */
function wallet(raw: string): string {
  if (/^(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/.test(raw)) return raw;
  throw new Error(`has "${raw}", which is no address of a wallet`);
}

/** Settings of payments (contract, sections 7 and 10); rows of the same table as all others. */
export const PAYMENT_VARIABLES = {
  paymentRecipients: variable<readonly string[]>({
    name: "PARLEY_PAYMENT_RECIPIENT",
    meaning:
      "Wallet that is paid for resources; by comma where there are several chains. Not set: the treasury's. A chain without either takes no payments.",
    byDefault: "",
    parse: list(wallet),
  }),
  paymentAllowUnbound: variable({
    name: "PARLEY_PAYMENT_ALLOW_UNBOUND",
    meaning:
      "Whether the bare hash of a transaction is proof enough. It is public, so whoever sees it first may use it; `false` wants the payer's signature, the address of the payer's profile, or the payment's id in the transaction.",
    byDefault: "true",
    parse: boolean,
  }),
} as const;
