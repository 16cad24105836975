import { type Address, address, getBase64Encoder } from "@solana/kit";
import { AccountState, getMintDecoder, getTokenDecoder, TOKEN_PROGRAM_ADDRESS } from "@solana-program/token";
import type { Asset } from "../chain.ts";
import type { RpcServer } from "../rpc/server.ts";
import { networkFee } from "./message.ts";
import { associatedAccount } from "./moves.ts";
import { expectCluster, type SolanaNetwork } from "./network.ts";
import { Lamports, MaybeAccount, Prices, U64 } from "./shapes.ts";

const TOKEN_ACCOUNT_BYTES = 165;
const MINT_BYTES = 82;
/**
 * Micro-lamports per compute unit: a price that three quarters of the recent blocks stayed below, within these bounds.
 */
const PRICE_QUANTILE = 0.75;
const PRICE_MIN = 1_000n;
const PRICE_MAX = 1_000_000n;
const CONFIRMED = { commitment: "confirmed" };

/** Returns the highest balance that a majority vouches for. @throws chain_unavailable */
export async function balanceOf(network: SolanaNetwork, { tokenAddress }: Asset, owner: string): Promise<bigint> {
  const account = tokenAddress === null ? null : await associatedAccount(address(owner), address(tokenAddress));
  return network.quorum.vouched(async (server, signal) => {
    await expectCluster(network, server, signal);
    if (account === null) return BigInt((await server.call(Lamports, "getBalance", [owner, CONFIRMED], signal)).value);
    const bytes = await tokenProgramBytes(server, account, signal);
    if (bytes?.length !== TOKEN_ACCOUNT_BYTES) return 0n;
    const token = getTokenDecoder().decode(bytes);
    return token.owner === owner && token.mint === tokenAddress ? token.amount : 0n;
  });
}

/**
 * Returns the decimals that the token itself reports; null if it is no mint of the Token program. @throws
 * chain_unavailable
 */
export function mintDecimals(network: SolanaNetwork, mint: string): Promise<number | null> {
  return network.quorum.agree(async (server, signal) => {
    await expectCluster(network, server, signal);
    const bytes = await tokenProgramBytes(server, address(mint), signal);
    return bytes?.length === MINT_BYTES ? getMintDecoder().decode(bytes).decimals : null;
  });
}

/** Returns the data of an account of the Token program; null if it is missing or belongs to another program. */
async function tokenProgramBytes(server: RpcServer, account: Address, signal: AbortSignal) {
  const options = { encoding: "base64", ...CONFIRMED };
  const { value } = await server.call(MaybeAccount, "getAccountInfo", [account, options], signal);
  return value?.owner === TOKEN_PROGRAM_ADDRESS ? getBase64Encoder().encode(value.data[0]) : null;
}

/**
 * Returns the usual price now, as a majority vouches for, within bounds: no server can make the treasury waste its
 * coins. @throws chain_unavailable
 */
export function marketPrice(network: SolanaNetwork, treasury: string): Promise<bigint> {
  return network.quorum.vouched(async (server, signal) => {
    await expectCluster(network, server, signal);
    const recent = await server.call(Prices, "getRecentPrioritizationFees", [[treasury]], signal);
    const prices = recent
      .map(({ prioritizationFee }) => BigInt(prioritizationFee))
      .toSorted((a, b) => (a < b ? -1 : 1));
    const price = prices[Math.floor(prices.length * PRICE_QUANTILE)] ?? 0n;
    return price < PRICE_MIN ? PRICE_MIN : price > PRICE_MAX ? PRICE_MAX : price;
  });
}

/**
 * Returns the lamports that an account without data must hold: an empty wallet accepts no smaller transfer. @throws
 * chain_unavailable
 */
export function walletRent(network: SolanaNetwork): Promise<bigint> {
  return network.quorum.vouched(async (server, signal) => {
    await expectCluster(network, server, signal);
    return BigInt(await server.call(U64, "getMinimumBalanceForRentExemption", [0], signal));
  });
}

/**
 * Returns whether the owner has an account that can receive the token; always true for SOL. @throws chain_unavailable
 */
export async function canReceive(network: SolanaNetwork, { tokenAddress }: Asset, owner: string): Promise<boolean> {
  if (tokenAddress === null) return true;
  const account = await associatedAccount(address(owner), address(tokenAddress));
  return network.quorum.agree(async (server, signal) => {
    await expectCluster(network, server, signal);
    const bytes = await tokenProgramBytes(server, account, signal);
    if (bytes?.length !== TOKEN_ACCOUNT_BYTES) return false;
    const token = getTokenDecoder().decode(bytes);
    return token.state === AccountState.Initialized && token.owner === owner && token.mint === tokenAddress;
  });
}

/** Returns the cost in lamports of a payout of this asset at the current price. @throws chain_unavailable */
export const usualCost = async (network: SolanaNetwork, asset: Asset, treasury: string): Promise<bigint> =>
  networkFee(asset, await marketPrice(network, treasury));

/** Returns the highest cost in lamports of a payout of this asset. */
export const worstCost = (asset: Asset): bigint => networkFee(asset, PRICE_MAX);
