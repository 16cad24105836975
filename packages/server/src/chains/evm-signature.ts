import type { Address, Hex } from "viem";
import { getAddress, keccak256 } from "viem/utils";

/** r, s, and which of the keys they can be of: 0 or 1, in the older way 27 or 28. */
const FORM = /^0x([0-9a-f]{128})(?:(00|1b)|01|1c)$/i;

async function load() {
  // By its own file: the whole of libauth takes ten times as long to load.
  const { instantiateSecp256k1 } = await import("@bitauth/libauth/build/lib/crypto/secp256k1.js");
  return instantiateSecp256k1();
}

/**
 * libsecp256k1 in WebAssembly, loaded with the first signature. viem works on big integers in JavaScript: it takes three times as long for
 * a key, and more while its code is not compiled, which it rarely is where a payment comes now and then.
 */
let secp256k1: ReturnType<typeof load> | undefined;

/**
 * Who signed this hash, in the checksummed spelling (EIP-55); null: nobody, or it has not the form of a signature. Like Ethereum's own
 * ecrecover it takes both halves of s (of transactions the chain takes the lower one only).
 */
export async function signerOf(hash: Hex, signature: string): Promise<Address | null> {
  const [, compact, even] = FORM.exec(signature) ?? [];
  if (compact === undefined) return null;
  secp256k1 ??= load();
  const { recoverPublicKeyUncompressed } = await secp256k1;
  const key = recoverPublicKeyUncompressed(bytesOf(compact), even === undefined ? 1 : 0, bytesOf(hash.slice(2)));
  if (typeof key === "string") return null; // no point of the curve; the text says so
  return getAddress(`0x${keccak256(key.subarray(1)).slice(-40)}`);
}

/** Finds signers for who asks more than once about the same signature: each is looked for once. */
export function signerOnce(): typeof signerOf {
  const found = new Map<string, Promise<Address | null>>();
  return (hash, signature) => {
    const known = found.get(hash + signature) ?? signerOf(hash, signature);
    found.set(hash + signature, known);
    return known;
  };
}

const bytesOf = (digits: string): Uint8Array => Buffer.from(digits, "hex");
