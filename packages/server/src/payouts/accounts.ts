import type { ChainKind } from "../chains/chain.ts";

/**
 * Ledger account for the gas cost of payouts, which the platform bears. The accounts of packets are in
 * red-packets/create/accounts.ts.
 */
export const gasAccount = (chain: ChainKind, chainId: number): string => `system:gas:${chain}:${chainId}`;
