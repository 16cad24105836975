import { integer, list, type Variable } from "./parse.ts";

/** A coin or token of the settings. */
export interface CoinSetting {
  readonly currency: string;
  /** Digits after the decimal point. */
  readonly decimals: number;
}

/** A token of the allow-list, by its contract address as written. */
export interface TokenSetting extends CoinSetting {
  readonly address: string;
}

const SYMBOL = /^[A-Za-z][A-Za-z0-9.]{0,15}$/;

function coin(text: string): CoinSetting {
  const [currency = "", digits = "18", ...rest] = text.split(":");
  const decimals = /^\d{1,2}$/.test(digits) ? Number(digits) : Number.NaN;
  if (rest.length === 0 && SYMBOL.test(currency) && decimals <= 36) return { currency, decimals };
  throw new Error("must be a symbol and its decimal places, such as ETH:18");
}

/**
 * Returns a parser of comma-separated tokens such as `USDC=<address>:6`. `pattern` is the form of an address; `example`
 * shows it to people.
 */
export function tokens(pattern: RegExp, example: string): (raw: string) => readonly TokenSetting[] {
  return (raw) => {
    const found = list((entry): TokenSetting => {
      const [, currency = "", address = "", digits = ""] = /^([^=]+)=([^:]+):(\d{1,2})$/.exec(entry) ?? [];
      const decimals = digits === "" ? Number.NaN : Number(digits);
      if (SYMBOL.test(currency) && pattern.test(address) && decimals <= 36) return { currency, address, decimals };
      throw new Error(`has "${entry}", which does not have the form USDC=${example}:6`);
    })(raw);
    for (const part of [found.map(({ currency }) => currency), found.map(({ address }) => address.toLowerCase())]) {
      const twice = part.find((text, i) => part.indexOf(text) !== i);
      if (twice !== undefined) throw new Error(`names ${twice} twice`);
    }
    return found;
  };
}

/** Mixed-case checksums are verified when the chain is started: that needs a library. */
const evmTokens = tokens(/^0x[0-9a-fA-F]{40}$/, "0x<40 hex digits>");

/** Parses the URLs of JSON-RPC servers. Their paths often are credentials, so errors do not repeat them. */
export function rpcUrls(raw: string): readonly string[] {
  const urls = list((text) => {
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol) || `${url.username}${url.password}${url.hash}` !== "") {
      throw new Error("must be URLs such as https://rpc.example.org/v1/<key>, separated by commas");
    }
    return url.href;
  })(raw);
  if (new Set(urls).size === urls.length) return urls;
  throw new Error("names a server twice, which would give it two votes");
}

function evmKey(raw: string): string {
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(raw)) return `0x${raw.replace(/^0x/, "").toLowerCase()}`;
  throw new Error("must be a private key: 64 hex digits");
}

function confirmations(raw: string): number | "finalized" {
  if (raw === "finalized") return raw;
  try {
    return integer(1, 100_000)(raw);
  } catch {
    throw new Error("must be finalized, or a number of blocks from 1 to 100000");
  }
}

const variable = <T>(spec: Variable<T>): Variable<T> => spec;

/** Settings of the EVM chain (protocol §10), part of the table of all settings. */
export const EVM_VARIABLES = {
  evmRpcUrls: variable<readonly string[]>({
    name: "PARLEY_EVM_RPC_URL",
    meaning:
      "JSON-RPC servers of one EVM chain, separated by commas. Decisions about money need a majority of servers, so three servers tolerate one that lies or is down. Requires `PARLEY_EVM_CHAIN_ID`.",
    byDefault: "",
    parse: rpcUrls,
    secret: true,
  }),
  evmChainId: variable<number | null>({
    name: "PARLEY_EVM_CHAIN_ID",
    meaning: "The chain of those servers, such as 8453. Parley refuses to start if they are on another chain.",
    byDefault: null,
    parse: integer(1),
  }),
  evmConfirmations: variable({
    name: "PARLEY_EVM_CONFIRMATIONS",
    meaning:
      "When a transaction counts: `finalized`, as the chain defines it, or a number of blocks including the transaction's own.",
    byDefault: "finalized",
    parse: confirmations,
  }),
  evmCurrency: variable({
    name: "PARLEY_EVM_CURRENCY",
    meaning: "Symbol of the chain's native coin and its decimal places.",
    byDefault: "ETH:18",
    parse: coin,
  }),
  evmTokens: variable({
    name: "PARLEY_EVM_TOKENS",
    meaning:
      "Accepted ERC-20 tokens, separated by commas: `USDC=0x…:6`. All others are ignored. Do not list tokens that charge a fee on transfers or change balances by themselves.",
    byDefault: "",
    parse: evmTokens,
  }),
  evmTreasuryKey: variable<string | null>({
    name: "PARLEY_EVM_TREASURY_KEY",
    meaning: "Private key of the wallet that receives the funding of red packets and pays claims.",
    byDefault: null,
    parse: evmKey,
    secret: true,
  }),
  evmMaxFeeGwei: variable({
    name: "PARLEY_EVM_MAX_FEE_GWEI",
    meaning:
      "Highest price the treasury pays for a unit of gas, in billionths of the native coin. Three times this times `PARLEY_EVM_PAYOUT_GAS_MAX` is the smallest share of a red packet in that coin, so set it to the price on your chain when it is busy.",
    byDefault: "100",
    parse: integer(1, 1_000_000_000),
  }),
  evmPayoutGasMax: variable({
    name: "PARLEY_EVM_PAYOUT_GAS_MAX",
    meaning:
      "Most gas that one payout may use. A recipient whose contract needs more is not paid. A transfer of a common token takes about 65,000.",
    byDefault: "100000",
    parse: integer(21_000, 10_000_000),
  }),
} as const;

/** Returns the problems of settings that need others which are missing. */
export function chainProblems(config: {
  readonly evmRpcUrls: readonly string[];
  readonly evmChainId: number | null;
  readonly evmCurrency: CoinSetting;
  readonly evmTokens: readonly TokenSetting[];
  readonly evmTreasuryKey: string | null;
}): string[] {
  const problems: string[] = [];
  const hasServers = config.evmRpcUrls.length > 0;
  if (hasServers && config.evmChainId === null) {
    problems.push("PARLEY_EVM_CHAIN_ID must be set if PARLEY_EVM_RPC_URL is set");
  }
  if (!hasServers && (config.evmTreasuryKey !== null || config.evmChainId !== null || config.evmTokens.length > 0)) {
    problems.push("PARLEY_EVM_RPC_URL must be set if other settings of the EVM chain are set");
  }
  if (config.evmTokens.some(({ currency }) => currency === config.evmCurrency.currency)) {
    problems.push(
      `PARLEY_EVM_TOKENS must not contain ${config.evmCurrency.currency}, which is the native coin's symbol`,
    );
  }
  return problems;
}
