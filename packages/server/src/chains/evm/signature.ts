import type { Address, Hex } from "viem";
import { getAddress, keccak256 } from "viem/utils";

/** r, s, and the recovery id: 0 or 1, in the older form 27 or 28. */
const FORM = /^0x([0-9a-f]{128})(?:(00|1b)|01|1c)$/i;

async function load() {
  // Import the single file: all of libauth takes ten times as long to load.
  const { instantiateSecp256k1 } = await import("@bitauth/libauth/build/lib/crypto/secp256k1.js");
  return instantiateSecp256k1();
}

/**
 * libsecp256k1 in WebAssembly, loaded with the first signature. viem uses JavaScript big integers and takes three times
 * as long per key, and longer until its code is compiled, which rarely happens on a server with few payments.
 */
let secp256k1: ReturnType<typeof load> | undefined;

/**
 * Returns the signer of this hash in checksummed spelling (EIP-55); null if the signature is malformed or recovers no
 * signer. Like Ethereum's ecrecover, it accepts both halves of s (in transactions the chain accepts only the lower
 * one).
 */
export async function signerOf(hash: Hex, signature: string): Promise<Address | null> {
  const [, compact, even] = FORM.exec(signature) ?? [];
  if (compact === undefined) return null;
  secp256k1 ??= load();
  const { recoverPublicKeyUncompressed } = await secp256k1;
  const key = recoverPublicKeyUncompressed(bytesOf(compact), even === undefined ? 1 : 0, bytesOf(hash.slice(2)));
  if (typeof key === "string") return null; // not a point on the curve; the returned text says so
  return getAddress(`0x${keccak256(key.subarray(1)).slice(-40)}`);
}

/** Returns a `signerOf` with a cache, for callers that look up the same signature more than once. */
export function signerOnce(): typeof signerOf {
  const found = new Map<string, Promise<Address | null>>();
  return (hash, signature) => {
    const known = found.get(hash + signature) ?? signerOf(hash, signature);
    found.set(hash + signature, known);
    return known;
  };
}

const bytesOf = (digits: string): Uint8Array => Buffer.from(digits, "hex");
