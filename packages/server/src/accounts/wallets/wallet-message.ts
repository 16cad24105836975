import { isoTime } from "../../base/iso-time.ts";
import type { WalletChain } from "./wallets.store.ts";

/** The content of a wallet challenge, which a wallet shows before it signs. */
export interface WalletClaim {
  chain: WalletChain;
  address: string;
  username: string;
  /** The public origin of this server: `https://chat.example.org`. */
  origin: string;
  /** The EVM chain id in the message; the proof is valid for the address on every EVM chain. */
  chainId: number;
  /** At least 8 letters and digits. */
  nonce: string;
  /** Epoch milliseconds. */
  issuedAt: number;
  expiresAt: number;
}

/**
 * Returns the text to sign, in the form of EIP-4361 (Sign-In with Ethereum), which wallets parse and check: they warn
 * when the domain is not that of the page. For Solana it names Solana instead. It names the account, so that the
 * signature is useless for another one, and says that it moves no funds.
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
    `Issued At: ${isoTime(times.issuedAt)}`,
    `Expiration Time: ${isoTime(times.expiresAt)}`,
  ].join("\n");
}
