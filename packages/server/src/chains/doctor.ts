import { systemClock } from "../clock.ts";
import { limitOf } from "../config/amounts.ts";
import type { Config } from "../config/config.ts";
import { clusterName } from "../config/solana.ts";
import { StartupError } from "../db/startup-error.ts";
import { createLog } from "../logging/log.ts";
import type { Finding } from "../module.ts";
import type { EvmFacts } from "./evm/inspect.ts";
import { askServers } from "./rpc/check.ts";
import { RpcServer } from "./rpc/server.ts";

/** Single calls are not logged here: the findings report everything. */
const PLATFORM = {
  clock: systemClock,
  log: createLog({ level: "silent", readable: false }),
  metrics: { chainServerFailed() {}, chainServersDisagreed() {} },
};

/** A chain of the settings to inspect. */
interface Subject {
  check: string;
  /** The settings a finding can name as the cause. */
  settings: Record<"servers" | "place" | "tokens" | "key", string>;
  currency: string;
  /** Below this the treasury is low, in the smallest unit; null: no reserve is set. */
  reserve: bigint | null;
  /** Where the servers must be, and where each says it is; null: it does not answer. */
  wanted: string;
  words: readonly { server: string; on: string | null }[];
  /** Returns the readable name of a place. */
  name(place: string): string;
  inspect(): Promise<EvmFacts>;
}

/**
 * Checks the EVM chain: which servers are on it, whether they are enough, whether the tokens match the settings, and
 * the treasury's balance.
 */
export async function checkEvmChain(config: Config): Promise<Finding[]> {
  const { evmRpcUrls, evmChainId } = config;
  if (config.value === "off") return [];
  const check = "EVM chain";
  if (evmRpcUrls.length === 0 || evmChainId === null) {
    return [{ check, state: "ok", text: "not configured; to enable it, set PARLEY_EVM_RPC_URL" }];
  }
  const words = await askServers(evmRpcUrls.map((url) => new RpcServer({ ...PLATFORM, url })));
  return checkChain({
    check,
    settings: {
      servers: "PARLEY_EVM_RPC_URL",
      place: "PARLEY_EVM_CHAIN_ID",
      tokens: "PARLEY_EVM_TOKENS",
      key: "PARLEY_EVM_TREASURY_KEY",
    },
    currency: config.evmCurrency.currency,
    reserve: limitOf(config.payoutReserve, config.evmCurrency),
    wanted: String(evmChainId),
    words: words.map(({ server, chainId }) => ({ server, on: chainId === null ? null : String(chainId) })),
    name: (chainId) => `chain ${chainId}`,
    // The library is loaded only when there is something to inspect.
    async inspect() {
      const { inspectEvm } = await import("./evm/inspect.ts");
      return inspectEvm({ ...PLATFORM, config: { ...config, evmChainId } });
    },
  });
}

/** Does the same for Solana. */
export async function checkSolana(config: Config): Promise<Finding[]> {
  const { solanaRpcUrls, solanaCluster } = config;
  if (config.value === "off") return [];
  const check = "Solana";
  if (solanaRpcUrls.length === 0) {
    return [{ check, state: "ok", text: "not configured; to enable it, set PARLEY_SOLANA_RPC_URL" }];
  }
  const { askClusters, inspectSolana } = await import("./solana/inspect.ts");
  return checkChain({
    check,
    settings: {
      servers: "PARLEY_SOLANA_RPC_URL",
      place: "PARLEY_SOLANA_CLUSTER",
      tokens: "PARLEY_SOLANA_TOKENS",
      key: "PARLEY_SOLANA_TREASURY_KEY",
    },
    currency: "SOL",
    reserve: limitOf(config.payoutReserve, { currency: "SOL", decimals: 9 }),
    wanted: solanaCluster.genesisHash,
    words: await askClusters(solanaRpcUrls.map((url) => new RpcServer({ ...PLATFORM, url }))),
    name: clusterName,
    inspect: () => inspectSolana({ ...PLATFORM, config }),
  });
}

async function checkChain(subject: Subject): Promise<Finding[]> {
  const found = (state: Finding["state"], text: string): Finding => ({ check: subject.check, state, text });
  const findings = [
    ...subject.words.map(({ server, on }) => found(...serverFinding(subject, server, on))),
    ...numberFinding(subject).map((text) => found("advice", text)),
  ];
  if (subject.words.filter(({ on }) => on === subject.wanted).length * 2 <= subject.words.length) return findings;
  try {
    const facts = await subject.inspect();
    return [...findings, ...factFindings(subject, facts).map((finding) => found(...finding))];
  } catch (error) {
    if (error instanceof StartupError) return [...findings, found("problem", error.message)];
    throw error;
  }
}

type Told = [state: Finding["state"], text: string];

function serverFinding({ settings, wanted, name }: Subject, server: string, on: string | null): Told {
  if (on === null) {
    return ["advice", `${server} does not respond; check ${settings.servers}, and that this machine can reach it`];
  }
  if (on === wanted) return ["ok", `${server} is on ${name(wanted)}`];
  return [
    "problem",
    `${server} is on ${name(on)}, not ${name(wanted)}; correct ${settings.servers} or ${settings.place}`,
  ];
}

function numberFinding({ settings, words }: Subject): string[] {
  if (words.length > 2) return [];
  const now = words.length === 1 ? "a single server is trusted alone" : "with two servers, both must respond and agree";
  return [`${now}; name three in ${settings.servers}, so that one can fail or lie`];
}

function factFindings({ settings, currency, reserve }: Subject, { treasury, tokens }: EvmFacts): Told[] {
  const findings = tokens.map(({ currency: token, expected, found: digits }): Told => {
    if (digits === expected) return ["ok", `${token} is a token with ${digits} decimal places`];
    const what = digits === null ? "is not a token on this chain" : `has ${digits} decimal places, not ${expected}`;
    return ["problem", `${token} ${what}; correct ${settings.tokens}`];
  });
  return [...findings, treasuryFinding(settings.key, { currency, reserve }, treasury)];
}

function treasuryFinding(
  key: string,
  { currency, reserve }: Pick<Subject, "currency" | "reserve">,
  treasury: EvmFacts["treasury"],
): Told {
  if (treasury === null) return ["advice", `there is no treasury, so nothing can be paid out; set ${key}`];
  const { address, coins } = treasury;
  if (coins === 0n) return ["advice", `the treasury ${address} has no ${currency} for fees; send it some`];
  if (coins !== null && reserve !== null && coins < reserve) {
    return ["problem", `the treasury ${address} has less ${currency} than PARLEY_PAYOUT_RESERVE; refill it`];
  }
  const amount = coins === null ? "an unknown amount" : `${coins} of the smallest unit`;
  return ["ok", `the treasury ${address} has ${amount} of ${currency}`];
}
