import { AppError } from "../errors.ts";
import { RpcFailure, RpcRefusal } from "./rpc-failure.ts";
import type { RpcServer } from "./rpc-server.ts";
import { type SolanaOptions, solanaChain, solanaNetwork } from "./solana.ts";
import { mintDecimals } from "./solana-accounts.ts";
import { Hash } from "./solana-shapes.ts";

/** On which cluster each server says it is, by its genesis hash; null: it gives no answer. Takes as long as one call may. */
export function askClusters(servers: readonly RpcServer[]): Promise<{ server: string; on: string | null }[]> {
  return Promise.all(
    servers.map(async (server) => ({
      server: server.name,
      on: await server.call(Hash, "getGenesisHash", []).catch((error: unknown) => {
        if (error instanceof RpcFailure || error instanceof RpcRefusal) return null;
        throw error;
      }),
    })),
  );
}

/** What an operator should know of the cluster before he opens the doors. */
export interface SolanaFacts {
  /** null: without a key, nothing can be paid. */
  treasury: { address: string; coins: bigint | null } | null;
  /** How many digits each token itself says it has; null: it gives no answer, or is no mint of the Token program. */
  tokens: readonly { currency: string; expected: number; found: number | null }[];
}

/** Looks at the treasury and the tokens. What nobody answers is null. @throws StartupError when a setting cannot be right */
export async function inspectSolana(options: SolanaOptions): Promise<SolanaFacts> {
  const network = solanaNetwork(options);
  const { treasury, assets, balance } = await solanaChain(network, options.config);
  const [native, ...tokens] = assets;
  return {
    treasury:
      treasury === null || native === undefined
        ? null
        : { address: treasury, coins: await orNull(balance(native, treasury)) },
    tokens: await Promise.all(
      tokens.map(async ({ currency, decimals, tokenAddress }) => ({
        currency,
        expected: decimals,
        found: tokenAddress === null ? null : await orNull(mintDecimals(network, tokenAddress)),
      })),
    ),
  };
}

async function orNull<T>(act: Promise<T>): Promise<T | null> {
  try {
    return await act;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
