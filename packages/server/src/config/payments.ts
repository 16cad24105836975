import { apiBase, boolean, list, type Variable } from "./parse.ts";

const variable = <T>(spec: Variable<T>): Variable<T> => spec;

/** Parses a wallet address. Its chain and its checksum are checked when the chains are started. */
function wallet(raw: string): string {
  if (/^(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/.test(raw)) return raw;
  throw new Error(`has "${raw}", which is not a wallet address`);
}

/** Parses the value of an Authorization header, such as `Bearer …`. Errors do not repeat it. */
function authorization(raw: string): string {
  if (/^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(raw) && raw.length <= 4_096) return raw;
  throw new Error("must be the value of an Authorization header, such as Bearer <key>");
}

/** Settings of payments (protocol §7, §10), part of the table of all settings. */
export const PAYMENT_VARIABLES = {
  paymentRecipients: variable<readonly string[]>({
    name: "PARLEY_PAYMENT_RECIPIENT",
    meaning:
      "Wallet that receives payments for resources; separated by commas for several chains. Default: the treasury. A chain with neither takes no payments.",
    byDefault: "",
    parse: list(wallet),
  }),
  paymentAllowUnbound: variable({
    name: "PARLEY_PAYMENT_ALLOW_UNBOUND",
    meaning:
      "Whether a transaction hash alone is accepted as proof when nothing identifies the payer. A hash is public, so the first caller who sends it gets what it paid for. `false` requires the exact amount quoted to the caller, the payer's signature, the payment's id in the transaction, or the caller's proven address.",
    byDefault: { development: "true", production: "false" },
    parse: boolean,
  }),
  x402Default: variable({
    name: "PARLEY_X402_DEFAULT",
    meaning:
      "Whether `PAYMENT-REQUIRED` and `PAYMENT-RESPONSE` have the form of x402 version 2, in base64, unless a request asks for the other by `?x402=false`. Otherwise they are plain JSON, and clients of x402 use the address with `?x402=true`, which every 402 names.",
    byDefault: "false",
    parse: boolean,
  }),
  facilitatorUrl: variable<string | null>({
    name: "PARLEY_X402_FACILITATOR_URL",
    meaning:
      "URL of a facilitator of x402 version 2, such as `https://x402.org/facilitator`; `/verify` and `/settle` are appended. With it, wallets that only sign can pay in tokens of `PARLEY_EVM_TOKENS` that support EIP-3009. Its statements are checked on the chain.",
    byDefault: null,
    parse: apiBase,
  }),
  facilitatorAuthorization: variable<string | null>({
    name: "PARLEY_X402_FACILITATOR_AUTHORIZATION",
    meaning: "`Authorization` header for that facilitator, such as `Bearer <key>`.",
    byDefault: null,
    parse: authorization,
    secret: true,
  }),
} as const;

/** Returns the problems of settings that need others which are missing. */
export function paymentProblems(config: {
  readonly facilitatorUrl: string | null;
  readonly facilitatorAuthorization: string | null;
  readonly evmTokens: readonly unknown[];
}): string[] {
  const { facilitatorUrl, facilitatorAuthorization, evmTokens } = config;
  const problems: string[] = [];
  if (facilitatorUrl !== null && evmTokens.length === 0) {
    problems.push("PARLEY_X402_FACILITATOR_URL works only with tokens; set PARLEY_EVM_TOKENS");
  }
  if (facilitatorUrl === null && facilitatorAuthorization !== null) {
    problems.push("PARLEY_X402_FACILITATOR_AUTHORIZATION requires PARLEY_X402_FACILITATOR_URL");
  }
  return problems;
}
