import type { Config } from "./config.ts";
import { isLoopback } from "./parse.ts";

/** Two servers of different operators must agree before the treasury pays: a single one could invent deposits. */
const SERVERS_MIN = 2;

/** A chain of the settings. */
interface ChainSettings {
  readonly rpcVariable: string;
  readonly rpcUrls: readonly string[];
  readonly keyVariable: string;
  readonly hasKey: boolean;
  readonly coin: string;
  /** Symbols of everything that can be paid out there, the native coin first. */
  readonly currencies: readonly string[];
}

const symbols = (tokens: readonly { readonly currency: string }[]) => tokens.map(({ currency }) => currency);

function chainsIn(config: Config): readonly ChainSettings[] {
  const { evmCurrency, evmTokens, solanaTokens } = config;
  return [
    {
      rpcVariable: "PARLEY_EVM_RPC_URL",
      rpcUrls: config.evmRpcUrls,
      keyVariable: "PARLEY_EVM_TREASURY_KEY",
      hasKey: config.evmTreasuryKey !== null,
      coin: evmCurrency.currency,
      currencies: [evmCurrency.currency, ...symbols(evmTokens)],
    },
    {
      rpcVariable: "PARLEY_SOLANA_RPC_URL",
      rpcUrls: config.solanaRpcUrls,
      keyVariable: "PARLEY_SOLANA_TREASURY_KEY",
      hasKey: config.solanaTreasuryKey !== null,
      coin: "SOL",
      currencies: ["SOL", ...symbols(solanaTokens)],
    },
  ];
}

const chainsWithKey = (config: Config) => chainsIn(config).filter(({ hasKey }) => hasKey);

/** Lists RPC servers that are reached over plaintext. Only the host is repeated: the path often is a credential. */
export function plaintextServers(config: Config): string[] {
  return chainsIn(config).flatMap(({ rpcVariable, rpcUrls }) =>
    rpcUrls
      .map((url) => new URL(url))
      .filter(({ protocol, hostname }) => protocol !== "https:" && !isLoopback(hostname))
      .map(
        ({ host }) =>
          `${rpcVariable} uses http for ${host}, so anyone on the network path can forge deposits and payments; use https`,
      ),
  );
}

/** Lists treasuries whose chain is read through fewer than two servers. Two URLs with one host are one server. */
export function lonelyTreasuries(config: Config): string[] {
  return chainsWithKey(config)
    .filter(({ rpcUrls }) => new Set(rpcUrls.map((url) => new URL(url).host)).size < SERVERS_MIN)
    .map(
      ({ rpcVariable, keyVariable }) =>
        `${rpcVariable} must name at least ${SERVERS_MIN} servers of different operators if ${keyVariable} is set: a single server could forge deposits and empty the wallet`,
    );
}

/** Lists currencies that a treasury can pay out without a daily limit. */
export function uncappedPayouts(config: Config): string[] {
  return chainsWithKey(config).flatMap(({ keyVariable, currencies }) =>
    currencies
      .filter((currency) => !config.payoutDailyMax.has(currency))
      .map(
        (currency) =>
          `PARLEY_PAYOUT_DAILY_MAX must have a limit for ${currency} if ${keyVariable} is set, such as ${currency}=10`,
      ),
  );
}

/** Lists tokens without a minimum share, so that the gas of a payout could exceed its value. */
export function tokensWithoutShareMin(config: Config): string[] {
  return chainsWithKey(config).flatMap(({ coin, currencies }) =>
    currencies.filter((currency) => currency !== coin && !config.packetShareMin.has(currency)),
  );
}

/** Lists native coins that payouts can spend on gas without a daily limit. */
export function uncappedGas(config: Config): string[] {
  return chainsWithKey(config)
    .filter(({ coin }) => !config.payoutGasDailyMax.has(coin))
    .map(
      ({ coin, keyVariable }) =>
        `PARLEY_PAYOUT_GAS_DAILY_MAX must have a limit for ${coin} if ${keyVariable} is set, such as ${coin}=0.1`,
    );
}
