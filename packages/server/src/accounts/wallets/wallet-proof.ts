import { isoTime } from "../../base/iso-time.ts";
import { fail } from "../../errors.ts";
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

// The libraries are imported on first use, like those of addresses.ts.

/**
 * Returns true if the owner of this address signed this text. EVM: EIP-191, by an ordinary account; a contract's
 * signature (EIP-1271) would need a call to its chain. Solana: ed25519.
 * @throws invalid_signature when the signature is malformed
 */
export function isSignedBy(chain: WalletChain, address: string, text: string, signature: string): Promise<boolean> {
  return chain === "evm" ? isEvmSigned(address, text, signature) : isSolanaSigned(address, text, signature);
}

async function isEvmSigned(address: string, message: string, signature: string): Promise<boolean> {
  if (!/^0x[0-9a-fA-F]{130}$/.test(signature)) throw fail("invalid_signature");
  const [{ hashMessage }, { signerOf }] = await Promise.all([
    import("viem/utils"),
    import("../../chains/evm/signature.ts"),
  ]);
  return (await signerOf(hashMessage(message), signature)) === address;
}

async function isSolanaSigned(owner: string, text: string, signature: string): Promise<boolean> {
  const { address, getPublicKeyFromAddress, isSignature, getBase58Encoder, signatureBytes, verifySignature } =
    await import("@solana/kit");
  if (!isSignature(signature)) throw fail("invalid_signature");
  const bytes = signatureBytes(getBase58Encoder().encode(signature));
  try {
    const key = await getPublicKeyFromAddress(address(owner));
    return await verifySignature(key, bytes, new TextEncoder().encode(text));
  } catch {
    return false; // the address is not a public key: a program's, for example
  }
}
