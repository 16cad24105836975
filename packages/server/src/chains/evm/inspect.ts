import { encodeFunctionData, parseAbi } from "viem";
import { AppError } from "../../errors.ts";
import { type EvmOptions, evmChain, evmNetwork } from "./evm.ts";
import { type EvmNetwork, expectChain } from "./network.ts";
import { Data } from "./shapes.ts";

const TOKEN = parseAbi(["function decimals() view returns (uint8)"]);
const CALL = encodeFunctionData({ abi: TOKEN, functionName: "decimals" });

/** Facts about the chain that an operator checks before opening the server. */
export interface EvmFacts {
  /** null without a key: payouts are then impossible. */
  treasury: { address: string; coins: bigint | null } | null;
  /** The number of decimals that each token itself reports; null if it gives no answer, so the address is no token. */
  tokens: readonly { currency: string; expected: number; found: number | null }[];
}

/**
 * Reads the treasury and the tokens. A fact that no majority answers is null. @throws StartupError if a setting cannot
 * be right
 */
export async function inspectEvm(options: EvmOptions): Promise<EvmFacts> {
  const [chain, network] = [evmChain(options), evmNetwork(options)];
  const { treasury, assets } = chain;
  const [native, ...tokens] = assets;
  return {
    treasury:
      treasury === null || native === undefined
        ? null
        : { address: treasury, coins: await orNull(chain.balance(native, treasury)) },
    tokens: await Promise.all(
      tokens.map(async ({ currency, decimals, tokenAddress }) => ({
        currency,
        expected: decimals,
        found: await orNull(decimalsOf(network, tokenAddress)),
      })),
    ),
  };
}

async function decimalsOf(network: EvmNetwork, to: string | null): Promise<number | null> {
  const answer = await network.quorum.agree(async (server, signal) => {
    await expectChain(network, server, signal);
    return server.call(Data, "eth_call", [{ to, data: CALL }, "latest"], signal);
  });
  return answer.length === 66 ? Number(BigInt(answer)) : null;
}

async function orNull<T>(act: Promise<T>): Promise<T | null> {
  try {
    return await act;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
