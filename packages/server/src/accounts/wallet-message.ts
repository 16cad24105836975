import type { WalletChain } from "./wallets.store.ts";

/** What a wallet shows to its owner before it signs. */
export interface WalletClaim {
  chain: WalletChain;
  address: string;
  username: string;
  /** Where this server is, as people know it: `https://chat.example.org`. */
  origin: string;
  /** The EVM chain that wallets are told; the proof holds for the address on every one. */
  chainId: number;
  /** Letters and digits, at least 8. */
  nonce: string;
  /** Epoch milliseconds. */
  issuedAt: number;
  expiresAt: number;
}

/**
 * The text to be signed, in the form of EIP-4361 (Sign-In with Ethereum), which wallets understand and check: they warn when the domain
 * is not that of the page. The same with Solana's name in it for Solana. It names the account, so a signature got for one is none for
 * another, and says that it moves nothing.
 */
export function walletMessage({ chain, address, username, origin, chainId, nonce, ...times }: WalletClaim): string {
  return [
    `${new URL(origin).host} wants you to sign in with your ${chain === "evm" ? "Ethereum" : "Solana"} account:`,
    address,
    "",
    `This wallet belongs to the account ${username}. Signing this costs nothing and moves nothing.`,
    "",
    `URI: ${origin}`,
    "Version: 1",
    ...(chain === "evm" ? [`Chain ID: ${chainId}`] : []),
    `Nonce: ${nonce}`,
    `Issued At: ${new Date(times.issuedAt).toISOString()}`,
    `Expiration Time: ${new Date(times.expiresAt).toISOString()}`,
  ].join("\n");
}
