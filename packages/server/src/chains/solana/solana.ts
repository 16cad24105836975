import { getAddressDecoder, isAddress, isSignature } from "@solana/kit";
import type { Clock } from "../../clock.ts";
import type { Config } from "../../config/config.ts";
import { StartupError } from "../../db/startup-error.ts";
import type { Log } from "../../logging/log.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import type { Asset, Chain, Observed, Payer } from "../chain.ts";
import { RpcQuorum } from "../rpc/quorum.ts";
import { RpcServer } from "../rpc/server.ts";
import { balanceOf, canReceive, usualCost, walletRent, worstCost } from "./accounts.ts";
import { blockOf, type SolanaNetwork, sight } from "./network.ts";
import { solanaPayer } from "./payer.ts";

const SOL: Asset = { currency: "SOL", tokenAddress: null, decimals: 9 };
/** The account for price queries if there is no treasury: any account will do. */
const SYSTEM_PROGRAM = "11111111111111111111111111111111";

/** `isSignature` throws on other letters. */
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/** The options of a cluster of Solana. */
export interface SolanaOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "chainServerFailed" | "chainServersDisagreed">;
  readonly config: Pick<Config, "solanaRpcUrls" | "solanaCluster" | "solanaTokens" | "solanaTreasuryKey">;
  /** Milliseconds one call to a server may take. */
  readonly callMs?: number;
}

/** Returns the cluster and its servers. Sends no requests yet. @throws StartupError if a token's address is invalid */
export function solanaNetwork({ config, callMs, ...platform }: SolanaOptions): SolanaNetwork {
  const servers = config.solanaRpcUrls.map(
    (url) => new RpcServer({ ...platform, url, ...(callMs === undefined ? {} : { callMs }) }),
  );
  return {
    genesisHash: config.solanaCluster.genesisHash,
    assets: [SOL, ...config.solanaTokens.map(tokenOf)],
    quorum: new RpcQuorum(servers, platform),
    clock: platform.clock,
  };
}

/** Returns Solana behind its JSON-RPC servers (protocol §6). @throws StartupError if the treasury's key is invalid */
export async function solanaChain(
  network: SolanaNetwork,
  { solanaCluster, solanaTreasuryKey }: SolanaOptions["config"],
): Promise<Chain> {
  const payer = await payerOf(network, solanaTreasuryKey);
  return {
    kind: "solana",
    chainId: solanaCluster.chainId,
    assets: network.assets,
    treasury: payer?.address ?? null,
    payer,
    observe: (signature) => observe(network, signature),
    isAddress: (text) => isAddress(text),
    normalAddress: (text) => (isAddress(text) ? text : null),
    normalHash: (text) => (BASE58.test(text) && isSignature(text) ? text : null),
    reference: (random) => getAddressDecoder().decode(random),
    estimateTransferFee: (asset) => usualCost(network, asset, payer?.address ?? SYSTEM_PROGRAM),
    worstTransferFee: worstCost,
    leastTransfer: async ({ tokenAddress }) => (tokenAddress === null ? walletRent(network) : 0n),
    canReceive: (asset, address) => canReceive(network, asset, address),
    balance: (asset, address) => balanceOf(network, asset, address),
  };
}

function tokenOf({ currency, address, decimals }: Config["solanaTokens"][number]): Asset {
  if (isAddress(address)) return { currency, tokenAddress: address, decimals };
  throw new StartupError(`PARLEY_SOLANA_TOKENS: the mint of ${currency} is not an address. Check the mint.`);
}

async function payerOf(network: SolanaNetwork, key: Uint8Array | null): Promise<Payer | null> {
  if (key === null) return null;
  try {
    return await solanaPayer(network, key);
  } catch {
    // The cause could repeat the key.
    throw new StartupError(
      "PARLEY_SOLANA_TREASURY_KEY is not an ed25519 key pair: its public half does not match its private half.",
    );
  }
}

const NOTHING = { isFinal: false, block: null, payer: null, transfers: [], references: [] } as const;

async function observe(network: SolanaNetwork, signature: string): Promise<Observed> {
  const sighting = await sight(network, signature);
  if (sighting.seen === "nothing") return { state: "unknown", ...NOTHING };
  if (sighting.seen === "waiting") return { state: "pending", ...NOTHING };
  const { landed, isFinal } = sighting;
  const { succeeded, payer, transfers, references, data } = landed;
  const state = succeeded ? (isFinal ? "final" : "confirming") : "failed";
  return { state, isFinal, block: blockOf(landed), payer, transfers, references, data };
}
