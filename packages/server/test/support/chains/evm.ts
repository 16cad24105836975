import type { Address } from "viem";
import type { Chain } from "../../../src/chains/chain.ts";
import { type EvmOptions, evmChain } from "../../../src/chains/evm/evm.ts";
import { type Clock, systemClock } from "../../../src/clock.ts";
import type { Config } from "../../../src/config/config.ts";
import { createLog } from "../../../src/logging/log.ts";
import { ANVIL_CHAIN_ID, TREASURY_KEY } from "./anvil.ts";

/** Returns settings for a server on this anvil: its coin is ETH, its token USDC. */
export function evmSettings(urls: string | readonly string[], usdc?: Address): Partial<Config> & EvmOptions["config"] {
  return {
    evmRpcUrls: typeof urls === "string" ? [urls] : urls,
    evmChainId: ANVIL_CHAIN_ID,
    evmConfirmations: 3,
    evmCurrency: { currency: "ETH", decimals: 18 },
    evmTokens: usdc === undefined ? [] : [{ currency: "USDC", address: usdc, decimals: 6 }],
    evmTreasuryKey: TREASURY_KEY,
    evmMaxFeeGwei: 10,
    evmPayoutGasMax: 100_000,
  };
}

interface EvmTestOptions {
  usdc?: Address;
  settings?: Partial<EvmOptions["config"]>;
  callMs?: number;
  clock?: Clock;
  /** Receives failures and disagreements. */
  onTrouble?: (what: string) => void;
}

/** Returns a chain client for these servers, without a Parley server. */
export function evmOver(
  urls: string | readonly string[],
  { usdc, settings, callMs = 4_000, clock = systemClock, onTrouble = () => {} }: EvmTestOptions = {},
): Chain {
  return evmChain({
    clock,
    log: createLog({ level: "silent", readable: false }),
    metrics: {
      chainServerFailed: (_, reason) => onTrouble(reason),
      chainServersDisagreed: () => onTrouble("disagreement"),
    },
    config: { ...evmSettings(urls, usdc), ...settings },
    callMs,
  });
}
