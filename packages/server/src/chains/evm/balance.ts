import { encodeFunctionData, getAddress, parseAbi } from "viem";
import { type EvmNetwork, expectChain } from "./network.ts";
import { Data, Quantity } from "./shapes.ts";

const TOKEN = parseAbi(["function balanceOf(address owner) view returns (uint256)"]);

/**
 * Returns the balance of an address in a token (null: the native coin): the highest amount that a majority vouches for.
 * @throws chain_unavailable
 */
export function balanceOf(network: EvmNetwork, tokenAddress: string | null, address: string): Promise<bigint> {
  const owner = getAddress(address);
  return network.quorum.vouched(async (server, signal) => {
    const [balance] = await Promise.all([
      tokenAddress === null
        ? server.call(Quantity, "eth_getBalance", [owner, "latest"], signal)
        : server.call(Data, "eth_call", [{ to: tokenAddress, data: balanceCall(owner) }, "latest"], signal),
      expectChain(network, server, signal),
    ]);
    return tokenAddress === null ? BigInt(balance) : wordOf(balance);
  });
}

const balanceCall = (owner: `0x${string}`) =>
  encodeFunctionData({ abi: TOKEN, functionName: "balanceOf", args: [owner] });

/** Reads one 32-byte word. An address without code returns no data, so its balance is zero. */
const wordOf = (data: string): bigint => (data.length < 66 ? 0n : BigInt(data.slice(0, 66)));
