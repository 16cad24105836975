import { clusterName } from "../config/solana.ts";
import { type AppContext, perServer } from "../context.ts";
import { StartupError } from "../db/startup-error.ts";
import { chainsOf } from "./chains.ts";
import { askServers } from "./rpc/check.ts";
import { RpcServer } from "./rpc/server.ts";

/**
 * Starts the chains that the settings name, and loads their libraries only then. Silent servers do not block startup:
 * requests that need the chain answer `chain_unavailable` until the servers respond.
 * @throws StartupError if half or more of a chain's servers are on another chain, or a setting cannot be right
 */
export async function startChains(ctx: AppContext): Promise<void> {
  await startEvm(ctx);
  await startSolana(ctx);
}

/** Resolves when this server's chains are loaded; the first call starts that. Rejects as `startChains` does. */
export const loadedChains = perServer(startChains);

async function startEvm(ctx: AppContext): Promise<void> {
  const { evmChainId, evmRpcUrls } = ctx.config;
  if (evmRpcUrls.length === 0 || evmChainId === null) return;
  const [{ evmChain }] = await Promise.all([import("./evm/evm.ts"), checkEvmServers(ctx, evmRpcUrls, evmChainId)]);
  chainsOf(ctx).add(evmChain({ ...ctx, config: { ...ctx.config, evmChainId } }));
}

async function checkEvmServers(ctx: AppContext, urls: readonly string[], chainId: number): Promise<void> {
  const words = await askServers(urls.map((url) => new RpcServer({ ...ctx, url })));
  expectMost(
    ctx,
    words.map((word) => ({ server: word.server, on: word.chainId === null ? null : String(word.chainId) })),
    {
      wanted: String(chainId),
      name: (place) => place,
      problem: (where) =>
        `PARLEY_EVM_CHAIN_ID is ${chainId}, but in PARLEY_EVM_RPC_URL ${where}. Correct one of the two.`,
    },
  );
}

async function startSolana(ctx: AppContext): Promise<void> {
  const { solanaRpcUrls, solanaCluster } = ctx.config;
  if (solanaRpcUrls.length === 0) return;
  const [{ solanaChain, solanaNetwork }, { askClusters }] = await Promise.all([
    import("./solana/solana.ts"),
    import("./solana/inspect.ts"),
  ]);
  const network = solanaNetwork(ctx);
  expectMost(ctx, await askClusters(network.quorum.servers), {
    wanted: solanaCluster.genesisHash,
    problem: (where) =>
      `PARLEY_SOLANA_CLUSTER is ${clusterName(solanaCluster.genesisHash)}, but in PARLEY_SOLANA_RPC_URL ${where}. Correct one of the two.`,
    name: clusterName,
  });
  chainsOf(ctx).add(await solanaChain(network, ctx.config));
}

/** Logs servers that are silent or on another chain. @throws StartupError if half or more are on another chain */
function expectMost(
  ctx: AppContext,
  words: readonly { server: string; on: string | null }[],
  { wanted, name, problem }: { wanted: string; name(place: string): string; problem(where: string): string },
): void {
  const strayed = words.filter(({ on }) => on !== null && on !== wanted);
  if (strayed.length * 2 >= words.length) {
    throw new StartupError(problem(strayed.map(({ server, on }) => `${server} is on ${name(on ?? "")}`).join(", ")));
  }
  for (const { server, on } of strayed) {
    ctx.log.error({ server, chain: on }, "a chain's server is on another chain; it is ignored");
  }
  for (const { server } of words.filter(({ on }) => on === null)) {
    ctx.log.warn({ server }, "a chain's server does not respond");
  }
}
