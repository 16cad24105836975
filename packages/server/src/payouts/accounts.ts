import type { ChainKind } from "../chains/chain.ts";

/** Whose cost the gas of payouts is: the platform's own. What a packet holds or owes is in packets/accounts.ts. */
export const gasAccount = (chain: ChainKind, chainId: number): string => `system:gas:${chain}:${chainId}`;
