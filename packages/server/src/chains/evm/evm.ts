import { getAddress, isAddress, toHex } from "viem";
import type { Clock } from "../../clock.ts";
import type { Config } from "../../config/config.ts";
import { StartupError } from "../../db/startup-error.ts";
import type { Log } from "../../logging/log.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import type { Asset, Chain, Observed } from "../chain.ts";
import { RpcQuorum } from "../rpc/quorum.ts";
import { RpcServer } from "../rpc/server.ts";
import { evmAuthorizations } from "./authorizations.ts";
import { balanceOf } from "./balance.ts";
import { GWEI, marketPrice } from "./fees.ts";
import { type EvmNetwork, sight, standingOf } from "./network.ts";
import { evmPayer } from "./payer.ts";

/** The options of an EVM chain. */
export interface EvmOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "chainServerFailed" | "chainServersDisagreed">;
  readonly config: Pick<
    Config,
    | "evmRpcUrls"
    | "evmConfirmations"
    | "evmCurrency"
    | "evmTokens"
    | "evmTreasuryKey"
    | "evmMaxFeeGwei"
    | "evmPayoutGasMax"
  > & { readonly evmChainId: number };
  /** Milliseconds one call to a server may take. */
  readonly callMs?: number;
}

/**
 * Returns an EVM chain behind its JSON-RPC servers (protocol §6). Sends no requests yet.
 * @throws StartupError if a token's address or the treasury's key is invalid
 */
export function evmChain(options: EvmOptions): Chain {
  const network = evmNetwork(options);
  const payer = payerOf(network, options.config);
  const gasMax = BigInt(options.config.evmPayoutGasMax);
  const worstFee = gasMax * BigInt(options.config.evmMaxFeeGwei) * GWEI;
  return {
    kind: "evm",
    chainId: network.chainId,
    assets: network.assets,
    treasury: payer?.address ?? null,
    payer,
    observe: (hash) => observe(network, hash),
    isAddress: (text) => normalAddress(text) !== null,
    normalAddress,
    normalHash: (text) => (/^0x[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : null),
    reference: toHex,
    async estimateTransferFee() {
      const { base, tip } = await marketPrice(network);
      return gasMax * (base + tip);
    },
    worstTransferFee: () => worstFee,
    leastTransfer: async () => 0n,
    canReceive: async () => true,
    balance: ({ tokenAddress }, address) => balanceOf(network, tokenAddress, address),
    authorizations: evmAuthorizations(network),
  };
}

/** Returns the chain and its servers, without a signer. @throws StartupError if a token's address is invalid */
export function evmNetwork({ config, callMs, ...platform }: EvmOptions): EvmNetwork {
  const servers = config.evmRpcUrls.map(
    (url) => new RpcServer({ ...platform, url, ...(callMs === undefined ? {} : { callMs }) }),
  );
  return {
    chainId: config.evmChainId,
    assets: assetsOf(config),
    confirmations: config.evmConfirmations,
    quorum: new RpcQuorum(servers, platform),
  };
}

/** Mixed case is a checksum and must be correct (EIP-55). */
function normalAddress(text: string): string | null {
  const digits = text.slice(2);
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  const candidate = oneCase ? text.toLowerCase() : text;
  return text.startsWith("0x") && isAddress(candidate) ? getAddress(candidate) : null;
}

function assetsOf({ evmCurrency, evmTokens }: EvmOptions["config"]): readonly Asset[] {
  const tokens = evmTokens.map(({ currency, address, decimals }) => {
    const tokenAddress = normalAddress(address);
    if (tokenAddress === null) {
      throw new StartupError(`PARLEY_EVM_TOKENS: the address of ${currency} has a wrong checksum. Check the address.`);
    }
    return { currency, tokenAddress, decimals };
  });
  return [{ ...evmCurrency, tokenAddress: null }, ...tokens];
}

function payerOf(network: EvmNetwork, config: EvmOptions["config"]) {
  const { evmTreasuryKey: key, evmMaxFeeGwei: maxFeeGwei, evmPayoutGasMax } = config;
  if (key === null) return null;
  try {
    return evmPayer({ network, key, maxFeeGwei, gasMax: BigInt(evmPayoutGasMax) });
  } catch {
    // The cause would repeat the key.
    throw new StartupError("PARLEY_EVM_TREASURY_KEY is not a secp256k1 private key.");
  }
}

const NOTHING = { isFinal: false, block: null, payer: null, transfers: [], references: [] } as const;

async function observe(network: EvmNetwork, hash: string): Promise<Observed> {
  const sighting = await sight(network, hash);
  if (sighting.seen === "nothing") return { state: "unknown", ...NOTHING };
  if (sighting.seen === "waiting") return { state: "pending", ...NOTHING };
  const { succeeded, payer, transfers, references, data, authorizations } = sighting.mined;
  const { stands, isFinal, block } = await standingOf(network, sighting.mined);
  if (!stands) return { state: "pending", ...NOTHING };
  const state = succeeded ? (isFinal ? "final" : "confirming") : "failed";
  const signed = authorizations.length === 0 ? {} : { authorizations };
  return { state, isFinal, block, payer, transfers, references, data, ...signed };
}
