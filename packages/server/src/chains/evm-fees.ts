import { decodeFunctionResult, encodeFunctionData, getAddress, type Hex, parseAbi } from "viem";
import { type Asset, TransferRefused } from "./chain.ts";
import { type EvmNetwork, expectChain } from "./evm-network.ts";
import type { MarketPrice } from "./evm-price.ts";
import { meaningOf } from "./evm-refusals.ts";
import { Data, Quantity, RpcHeader } from "./evm-shapes.ts";
import { RpcFailure, RpcRefusal } from "./rpc-failure.ts";
import type { Refused } from "./rpc-hand-over.ts";
import type { RpcServer } from "./rpc-server.ts";

const TOKEN = parseAbi(["function transfer(address to, uint256 amount) returns (bool)"]);

export const GWEI = 1_000_000_000n;
/** A transfer of the native coin to an ordinary account takes exactly this. */
const PLAIN_GAS = 21_000n;

/** A transfer as the chain takes it. */
export interface Call {
  to: Hex;
  value: bigint;
  data: Hex;
}

export function callOf({ tokenAddress }: Asset, to: string, amount: bigint): Call {
  if (tokenAddress === null) return { to: getAddress(to), value: amount, data: "0x" };
  const data = encodeFunctionData({ abi: TOKEN, functionName: "transfer", args: [getAddress(to), amount] });
  return { to: getAddress(tokenAddress), value: 0n, data };
}

/** Today's price: none that a majority does not vouch for, so no liar can make the treasury burn its coins. @throws chain_unavailable */
export function marketPrice(network: EvmNetwork): Promise<MarketPrice> {
  const { quorum } = network;
  return quorum.poll(
    (server, signal) => priceBy(network, server, signal),
    (prices, outstanding) => {
      if (outstanding > 0) return undefined;
      const base = quorum.highest(prices.map((price) => price.base));
      const tip = quorum.highest(prices.map((price) => price.tip));
      return base === undefined || tip === undefined ? undefined : { base, tip };
    },
  );
}

async function priceBy(network: EvmNetwork, server: RpcServer, signal: AbortSignal): Promise<MarketPrice> {
  const [header, price] = await Promise.all([
    server.call(RpcHeader, "eth_getBlockByNumber", ["latest", false], signal),
    server.call(Quantity, "eth_gasPrice", [], signal),
    expectChain(network, server, signal),
  ]);
  // A chain without EIP-1559 is not supported.
  if (header.baseFeePerGas === undefined) throw new RpcFailure("malformed");
  const base = BigInt(header.baseFeePerGas);
  const tip = BigInt(price) - base;
  return { base, tip: tip > 0n ? tip : 0n };
}

/**
 * Returns the gas limit of a transfer: what it takes, and a fifth more for what may change until it is included, but never more than `gasMax`.
 * The recipient's code runs at the platform's cost, so that bound is what the smallest share is reckoned with (protocol §7).
 * @throws TransferRefused as `would_fail` when the transfer needs more; chain_unavailable
 */
export async function gasFor(network: EvmNetwork, from: string, call: Call, gasMax: bigint): Promise<bigint> {
  const { quorum } = network;
  const gas = await quorum.poll<bigint | Refused, GasNeed | Refused>(
    (server, signal) => gasBy(network, server, { from, call }, signal),
    (answers, outstanding) => {
      if (outstanding > 0) return undefined;
      const refusals = Object.groupBy(
        answers.filter((answer) => typeof answer === "string"),
        (refused) => refused,
      );
      const refused = Object.values(refusals).find((same) => same.length >= quorum.majority);
      if (refused !== undefined) return refused[0];
      const amounts = answers.filter((answer) => typeof answer === "bigint");
      const vouched = quorum.highest(amounts);
      return vouched === undefined ? undefined : { vouched, most: highestUpTo(gasMax, amounts) };
    },
  );
  if (typeof gas === "string") throw new TransferRefused(gas === "insufficient_funds" ? gas : "would_fail");
  if (gas.vouched > gasMax) throw new TransferRefused("would_fail");
  const withRoom = gas.most === PLAIN_GAS ? gas.most : (gas.most * 6n) / 5n;
  return withRoom < gasMax ? withRoom : gasMax;
}

/** How much gas a transfer takes: so much or more as a majority says, and the most that any server says within the bound. */
interface GasNeed {
  readonly vouched: bigint;
  /** Decides the limit, so that no server can make payouts run out of gas by saying too little. */
  readonly most: bigint;
}

const highestUpTo = (bound: bigint, amounts: readonly bigint[]): bigint =>
  amounts.reduce((most, amount) => (amount > most && amount <= bound ? amount : most), 0n);

async function gasBy(
  network: EvmNetwork,
  server: RpcServer,
  { from, call }: { from: string; call: Call },
  signal: AbortSignal,
): Promise<bigint | Refused> {
  const request = { from, to: call.to, value: `0x${call.value.toString(16)}`, data: call.data };
  try {
    const [gas, result] = await Promise.all([
      server.call(Quantity, "eth_estimateGas", [request], signal),
      call.data === "0x" ? "0x" : server.call(Data, "eth_call", [request, "latest"], signal),
      expectChain(network, server, signal),
    ]);
    return saysNo(result as Hex) ? "would_fail" : BigInt(gas);
  } catch (error) {
    const refused = error instanceof RpcRefusal ? meaningOf(error) : null;
    if (refused === null) throw error;
    return refused;
  }
}

/** Some tokens do not revert but answer `false`; some answer nothing at all when it worked. */
function saysNo(result: Hex): boolean {
  if (result === "0x") return false;
  try {
    return !decodeFunctionResult({ abi: TOKEN, functionName: "transfer", data: result });
  } catch {
    return true;
  }
}
