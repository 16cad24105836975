import { fail } from "../../errors.ts";
import type { WalletChain } from "./wallets.store.ts";

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
