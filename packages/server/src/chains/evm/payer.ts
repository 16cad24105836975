import { getAddress, type Hex, keccak256, parseTransaction } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type Outcome, type Payer, type SignedTransfer, type TransferOrder, TransferRefused } from "../chain.ts";
import { handOver } from "../rpc/broadcast-transaction.ts";
import type { Read } from "../rpc/quorum.ts";
import type { RpcServer } from "../rpc/server.ts";
import { balanceOf } from "./balance.ts";
import { type Call, callOf, GWEI, gasFor, marketPrice } from "./fees.ts";
import { type EvmNetwork, expectChain, settledHeight, sight, standingOf } from "./network.ts";
import { type GasPrice, priceOf, raisedPrice } from "./price.ts";
import { meaningOf } from "./refusals.ts";
import { Hash, Quantity } from "./shapes.ts";
import type { Mined } from "./transaction.ts";

interface PayerOptions {
  network: EvmNetwork;
  /** Hex with 0x. Never leaves this module. */
  key: string;
  maxFeeGwei: number;
  /** The highest gas limit of one transfer. */
  gasMax: bigint;
}

/**
 * Returns the treasury's signer on an EVM chain. It signs EIP-1559 transactions with consecutive nonces. @throws an
 * Error if the key is invalid
 */
export function evmPayer({ network, key, maxFeeGwei, gasMax }: PayerOptions): Payer {
  const account = privateKeyToAccount(key as Hex);
  const { address } = account;

  /** Returns the highest price of a unit of gas, by the setting and by the caller's limit for the whole fee. */
  const limitPerGas = (gas: bigint, feeMax: bigint | undefined): bigint => {
    const bySetting = BigInt(maxFeeGwei) * GWEI;
    return feeMax === undefined || feeMax / gas > bySetting ? bySetting : feeMax / gas;
  };

  async function signCall(call: Call, nonce: bigint, gas: bigint, price: GasPrice | null): Promise<SignedTransfer> {
    if (price === null) throw new TransferRefused("fee_above_limit");
    const { chainId } = network;
    const bytes = await account.signTransaction({
      type: "eip1559",
      chainId,
      nonce: Number(nonce),
      gas,
      ...call,
      ...price,
    });
    return { bytes, hash: keccak256(bytes), nonce, fee: gas * price.maxFeePerGas, validUntil: null };
  }

  return {
    address,
    nextNonce: () => nonceAt(network, address, async () => "latest"),

    async sign({ asset, to, amount, nonce, feeMax }: TransferOrder) {
      if (nonce === null) throw new TypeError("An EVM transfer must have a nonce.");
      const call = callOf(asset, to, amount);
      const [market, gas, held, coins] = await Promise.all([
        marketPrice(network),
        gasFor(network, address, call, gasMax).catch(asRefusal),
        balanceOf(network, asset.tokenAddress, address),
        balanceOf(network, null, address),
      ]);
      // Check the balance first: a revert would not give the reason.
      if (held < amount) throw new TransferRefused("insufficient_funds");
      if (gas instanceof TransferRefused) throw gas;
      const signed = await signCall(call, nonce, gas, priceOf(market, limitPerGas(gas, feeMax)));
      if (coins < call.value + signed.fee) throw new TransferRefused("insufficient_funds");
      return signed;
    },

    async replaceByFee({ bytes }, { feeMax } = {}) {
      const { to, value = 0n, data = "0x", nonce, gas = 0n, ...old } = parseTransaction(bytes as Hex);
      const { maxFeePerGas, maxPriorityFeePerGas = 0n } = old;
      if (to == null || nonce === undefined || maxFeePerGas === undefined || gas === 0n) {
        throw new TypeError("These are not the bytes of one of our transfers.");
      }
      const market = await marketPrice(network);
      const price = raisedPrice({ maxFeePerGas, maxPriorityFeePerGas }, market, limitPerGas(gas, feeMax));
      return signCall({ to, value, data }, BigInt(nonce), gas, price);
    },

    broadcast: (signed) => broadcast(network, signed),
    outcome: (signed) => outcome(network, address, signed),
  };
}

function asRefusal(error: unknown): TransferRefused {
  if (error instanceof TransferRefused) return error;
  throw error;
}

/** Returns the number of transactions of the address up to a block, as a majority vouches for. */
function nonceAt(
  network: EvmNetwork,
  address: string,
  block: (server: RpcServer, signal: AbortSignal) => Promise<string>,
): Promise<bigint> {
  return network.quorum.vouched(async (server, signal) => {
    await expectChain(network, server, signal);
    const at = await block(server, signal);
    return BigInt(await server.call(Quantity, "eth_getTransactionCount", [address, at], signal));
  });
}

async function broadcast(network: EvmNetwork, { bytes, hash }: SignedTransfer): Promise<void> {
  const send: Read<string> = (server, signal) => server.call(Hash, "eth_sendRawTransaction", [bytes], signal);
  const refused = await handOver(network.quorum, send, meaningOf);
  if (refused === null) return;
  // This very transaction may have used the nonce.
  if (refused === "nonce_used" && (await sight(network, hash)).seen !== "nothing") return;
  throw new TransferRefused(refused);
}

/**
 * Returns true if the token booked nothing. Some tokens return `false` instead of reverting, which the chain counts as
 * success.
 */
function movedNothing(
  { assets }: EvmNetwork,
  address: string,
  { bytes }: SignedTransfer,
  { transfers }: Mined,
): boolean {
  const { to, data = "0x" } = parseTransaction(bytes as Hex);
  const token = to == null || data === "0x" ? null : getAddress(to);
  // Transfers of a token that is no longer configured were not read.
  if (token === null || !assets.some(({ tokenAddress }) => tokenAddress === token)) return false;
  return !transfers.some(({ asset, sender }) => asset.tokenAddress === token && sender === address);
}

const NOWHERE = { isFinal: false, block: null, feePaid: null } as const;

async function outcome(network: EvmNetwork, address: string, signed: SignedTransfer): Promise<Outcome> {
  const { hash, nonce } = signed;
  if (nonce === null) throw new TypeError("An EVM transfer must have a nonce.");
  const sighting = await sight(network, hash);
  if (sighting.seen === "mined") {
    const { mined } = sighting;
    const { stands, isFinal, block } = await standingOf(network, mined);
    if (!stands) return { state: "pending", ...NOWHERE };
    const hasPaid = mined.succeeded && !movedNothing(network, address, signed, mined);
    const state = hasPaid ? (isFinal ? "final" : "confirming") : "failed";
    return { state, isFinal, block, feePaid: mined.feePaid };
  }
  const seen = { state: sighting.seen === "waiting" ? "pending" : "unknown", ...NOWHERE } as const;
  if ((await nonceAt(network, address, async () => "latest")) <= nonce) return seen;
  // Query this only now: servers without history cannot answer for an older block.
  const used = await nonceAt(network, address, async (server, signal) => {
    const height = await settledHeight(network, server, signal);
    return `0x${Math.max(0, height).toString(16)}`;
  });
  if (used <= nonce) return seen;
  // The nonce is used for good. This transaction may have used it since the first look: the servers that vouch for the
  // nonce also know the transaction.
  if ((await sight(network, hash)).seen !== "nothing") return { state: "pending", ...NOWHERE };
  return { state: "expired", isFinal: true, block: null, feePaid: null };
}
