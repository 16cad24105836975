import { rpcUrls, type TokenSetting, tokens } from "./chains.ts";
import type { Variable } from "./parse.ts";

/** A Solana cluster, identified by the hash of its first block. */
export interface ClusterSetting {
  /** `own` for a cluster that is known only by its hash. */
  readonly name: "mainnet-beta" | "testnet" | "devnet" | "own";
  readonly genesisHash: string;
  /** Solana has no chain numbers; these are from the old token list, which wallets know. */
  readonly chainId: number;
}

const CLUSTERS: readonly ClusterSetting[] = [
  { name: "mainnet-beta", genesisHash: "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d", chainId: 101 },
  { name: "testnet", genesisHash: "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY", chainId: 102 },
  { name: "devnet", genesisHash: "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG", chainId: 103 },
];
const OWN_CHAIN_ID = 104;

/** Approximately base58 of 32 bytes; the exact check runs when the chain is started. */
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Returns a cluster's readable name by its genesis hash. */
export function clusterName(genesisHash: string): string {
  return CLUSTERS.find((known) => known.genesisHash === genesisHash)?.name ?? `the cluster ${genesisHash}`;
}

function cluster(raw: string): ClusterSetting {
  const known = CLUSTERS.find(({ name, genesisHash }) => raw === name || raw === genesisHash);
  if (known !== undefined) return known;
  if (ADDRESS.test(raw)) return { name: "own", genesisHash: raw, chainId: OWN_CHAIN_ID };
  throw new Error("must be mainnet-beta, testnet, devnet, or the genesis hash of another cluster");
}

/**
 * Parses 64 bytes, private key before public key, as written by `solana-keygen` (a JSON array) and wallets (base58).
 * Errors do not repeat them.
 */
function keyPair(raw: string): Uint8Array {
  const bytes = raw.startsWith("[") ? byteList(raw) : fromBase58(raw);
  if (bytes?.length === 64) return Uint8Array.from(bytes);
  throw new Error("must be a key pair: 64 bytes in base58, or a JSON array as solana-keygen writes it");
}

function byteList(raw: string): readonly number[] | null {
  const list = /^\[\s*\d{1,3}(\s*,\s*\d{1,3})*\s*\]$/.test(raw) ? raw.slice(1, -1).split(",").map(Number) : null;
  return list?.every((byte) => byte <= 255) ? list : null;
}

function fromBase58(raw: string): readonly number[] | null {
  let number = 0n;
  for (const digit of raw) {
    const value = DIGITS.indexOf(digit);
    if (value < 0 || raw.length > 88) return null;
    number = number * 58n + BigInt(value);
  }
  const hex = number === 0n ? "" : number.toString(16);
  const zeros = /^1*/.exec(raw)?.[0].length ?? 0;
  return [...new Uint8Array(zeros), ...Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex")];
}

const variable = <T>(spec: Variable<T>): Variable<T> => spec;

/** Settings of Solana (protocol §10), part of the table of all settings. */
export const SOLANA_VARIABLES = {
  solanaRpcUrls: variable<readonly string[]>({
    name: "PARLEY_SOLANA_RPC_URL",
    meaning:
      "JSON-RPC servers of one Solana cluster, separated by commas. As for EVM, decisions about money need a majority of them.",
    byDefault: "",
    parse: rpcUrls,
    secret: true,
  }),
  solanaCluster: variable<ClusterSetting>({
    name: "PARLEY_SOLANA_CLUSTER",
    meaning:
      "The cluster those servers must be on: `mainnet-beta`, `testnet`, `devnet`, or the genesis hash of another one. The server refuses to start if they are on another cluster. Their `chain_id`s are 101, 102, 103 and 104.",
    byDefault: "mainnet-beta",
    parse: cluster,
  }),
  solanaTokens: variable<readonly TokenSetting[]>({
    name: "PARLEY_SOLANA_TOKENS",
    meaning:
      "Accepted SPL tokens, separated by commas: `USDC=<mint>:6`. All others are ignored. Tokens of the Token-2022 program are not supported.",
    byDefault: "",
    parse: tokens(ADDRESS, "<mint in base58>"),
  }),
  solanaTreasuryKey: variable<Uint8Array | null>({
    name: "PARLEY_SOLANA_TREASURY_KEY",
    meaning:
      "Key pair of the wallet that receives the funding of red packets and pays claims: 64 bytes in base58, or the JSON array of `solana-keygen`.",
    byDefault: null,
    parse: keyPair,
    secret: true,
  }),
} as const;

/** Wrapped SOL: a second name for the native coin would count it twice. */
const WRAPPED_SOL = "So11111111111111111111111111111111111111112";

/** Returns the problems of settings that need others which are missing. */
export function solanaProblems(config: {
  readonly solanaRpcUrls: readonly string[];
  readonly solanaTokens: readonly TokenSetting[];
  readonly solanaTreasuryKey: Uint8Array | null;
}): string[] {
  const problems: string[] = [];
  if (config.solanaRpcUrls.length === 0 && (config.solanaTreasuryKey !== null || config.solanaTokens.length > 0)) {
    problems.push("PARLEY_SOLANA_RPC_URL must be set if other Solana settings are set");
  }
  if (config.solanaTokens.some(({ currency, address }) => currency === "SOL" || address === WRAPPED_SOL)) {
    problems.push("PARLEY_SOLANA_TOKENS must not contain SOL, which is the native coin");
  }
  return problems;
}
