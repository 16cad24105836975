import type { Asset, ChainKind } from "../../chains/chain.ts";

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
