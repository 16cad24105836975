import type { Asset, ChainKind } from "../chains/chain.ts";

/** The currency of points; the ledger also holds others. */
export const POINTS = "points";

/** The system accounts that pay a new user's initial points and the points earned by activity. */
export const GRANTS = "system:grants";
export const ACTIVITY = "system:activity";

/** The system account that receives the points of deleted accounts. */
export const ERASED = "system:erased";

export const userAccount = (userId: number): string => `user:${userId}`;

/**
 * Returns true for system accounts, where value enters and leaves the ledger. They may owe any amount and have no
 * stored balance.
 */
export const isSystemAccount = (account: string): boolean => account.startsWith("system:");

/** Ledger account that holds the value of a packet until it is claimed or refunded. */
export const packetAccount = (packetId: number): string => `packet:${packetId}`;

/** Ledger account of the platform's wallet on a chain: funding takes value out of it, payouts put value back. */
export const treasuryAccount = (chain: ChainKind, chainId: number): string => `system:treasury:${chain}:${chainId}`;

/** Ledger account of what is claimed or to be refunded on a chain and not paid out yet. */
export const owedAccount = (chain: ChainKind, chainId: number): string => `owed:${chain}:${chainId}`;

/** Returns the ledger currency of an asset. Tokens are named by address, because the settings may reassign a symbol. */
export function ledgerCurrency(
  chain: ChainKind,
  chainId: number,
  { currency, tokenAddress }: Pick<Asset, "currency" | "tokenAddress">,
): string {
  return `${chain}:${chainId}:${tokenAddress ?? currency}`;
}

/** Ledger account for the gas cost of payouts, which the platform bears. */
export const gasAccount = (chain: ChainKind, chainId: number): string => `system:gas:${chain}:${chainId}`;
