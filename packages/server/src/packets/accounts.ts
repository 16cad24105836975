import type { Asset, ChainKind } from "../chains/chain.ts";

/** Where the value of a packet is until it is claimed or given back. */
export const packetAccount = (packetId: number): string => `packet:${packetId}`;

/** The platform's wallet on a chain: value comes from there into packets, and leaves there when it is paid out. */
export const treasuryAccount = (chain: ChainKind, chainId: number): string => `system:treasury:${chain}:${chainId}`;

/** What is claimed or to be given back on a chain, and not paid out yet. */
export const owedAccount = (chain: ChainKind, chainId: number): string => `owed:${chain}:${chainId}`;

/** An asset's name as a currency of the ledger. Tokens by their address: a symbol may be given to another one in the settings. */
export function ledgerCurrency(
  chain: ChainKind,
  chainId: number,
  { currency, tokenAddress }: Pick<Asset, "currency" | "tokenAddress">,
): string {
  return `${chain}:${chainId}:${tokenAddress ?? currency}`;
}
