import { decodeFunctionResult, encodeFunctionData, getAddress, type Hex, parseAbi } from "viem";
import { type Asset, TransferRefused } from "../chain.ts";
import type { Refused } from "../rpc/broadcast-transaction.ts";
import { RpcFailure, RpcRefusal } from "../rpc/failure.ts";
import type { RpcServer } from "../rpc/server.ts";
import { type EvmNetwork, expectChain } from "./network.ts";
import type { MarketPrice } from "./price.ts";
import { meaningOf } from "./refusals.ts";
import { Data, Quantity, RpcHeader } from "./shapes.ts";

const TOKEN = parseAbi(["function transfer(address to, uint256 amount) returns (bool)"]);

export const GWEI = 1_000_000_000n;
/** The exact gas of a native-coin transfer to an ordinary account. */
const PLAIN_GAS = 21_000n;

/** The fields of a transaction that make a transfer. */
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

/**
 * Returns the current price, as high as a majority vouches for, so no lying server can make the treasury waste its
 * coins. @throws chain_unavailable
 */
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
 * Returns the gas limit of a transfer: the estimate plus a fifth for changes before inclusion, at most `gasMax`. The
 * recipient's code runs at the platform's cost, so the smallest share is calculated with that bound (protocol §7).
 * @throws TransferRefused as `would_fail` if the transfer needs more; chain_unavailable
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

/**
 * The gas that a transfer takes: the highest amount that a majority vouches for, and the highest that any server
 * reports within the bound.
 */
interface GasNeed {
  readonly vouched: bigint;
  /** Sets the limit, so that no server can make payouts run out of gas by reporting too little. */
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

/** Some tokens return `false` instead of reverting; some return no data on success. */
function saysNo(result: Hex): boolean {
  if (result === "0x") return false;
  try {
    return !decodeFunctionResult({ abi: TOKEN, functionName: "transfer", data: result });
  } catch {
    return true;
  }
}
