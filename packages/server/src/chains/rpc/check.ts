import { Quantity } from "../evm/shapes.ts";
import { RpcFailure, RpcRefusal } from "./failure.ts";
import type { RpcServer } from "./server.ts";

/** The chain that a server reports. */
export interface ServerWord {
  /** The server's name in logs. */
  readonly server: string;
  /** null if it gave no answer. */
  readonly chainId: bigint | null;
}

/** Asks each server for its EVM chain id. Takes as long as one call may. */
export function askServers(servers: readonly RpcServer[]): Promise<ServerWord[]> {
  return Promise.all(servers.map(async (server) => ({ server: server.name, chainId: await chainIdOf(server) })));
}

async function chainIdOf(server: RpcServer): Promise<bigint | null> {
  try {
    return BigInt(await server.call(Quantity, "eth_chainId", []));
  } catch (error) {
    if (error instanceof RpcFailure || error instanceof RpcRefusal) return null;
    throw error;
  }
}
