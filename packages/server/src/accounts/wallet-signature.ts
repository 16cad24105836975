import { fail } from "../errors.ts";
import type { WalletChain } from "./wallets.store.ts";

// The libraries are imported when the first signature comes, as those of addresses.ts.

/**
 * Did the owner of this address sign this text? EVM: EIP-191, by an ordinary account; a contract's signature (EIP-1271) would have to be
 * asked for on its chain. Solana: ed25519.
 * @throws invalid_signature when it is not even the form of one
 */
export function isSignedBy(chain: WalletChain, address: string, text: string, signature: string): Promise<boolean> {
  return chain === "evm" ? isEvmSigned(address, text, signature) : isSolanaSigned(address, text, signature);
}

async function isEvmSigned(address: string, message: string, signature: string): Promise<boolean> {
  if (!/^0x[0-9a-fA-F]{130}$/.test(signature)) throw fail("invalid_signature");
  const [{ hashMessage }, { signerOf }] = await Promise.all([
    import("viem/utils"),
    import("../chains/evm-signature.ts"),
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
    return false; // the address is no key: a program's, say
  }
}
