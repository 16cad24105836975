import { AppError } from "../../errors.ts";
import { RpcFailure, RpcRefusal } from "../rpc/failure.ts";
import type { RpcServer } from "../rpc/server.ts";
import { mintDecimals } from "./accounts.ts";
import { Hash } from "./shapes.ts";
import { type SolanaOptions, solanaChain, solanaNetwork } from "./solana.ts";

/** Asks each server for its cluster's genesis hash; null if it gives no answer. Takes as long as one call may. */
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

/** Facts about the cluster that an operator checks before opening the server. */
export interface SolanaFacts {
  /** null without a key: payouts are then impossible. */
  treasury: { address: string; coins: bigint | null } | null;
  /**
   * The number of decimals that each token itself reports; null if it gives no answer, or is no mint of the Token
   * program.
   */
  tokens: readonly { currency: string; expected: number; found: number | null }[];
}

/**
 * Reads the treasury and the tokens. A fact that no majority answers is null. @throws StartupError if a setting cannot
 * be right
 */
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
