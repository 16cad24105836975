import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { getAddressDecoder, getBase58Decoder } from "@solana/kit";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

/** A wallet of either kind, with a key of its own. */
export interface TestWallet {
  chain: "evm" | "solana";
  address: string;
  /** As the wallet's own `personal_sign` or `signMessage` does. */
  sign(text: string): Promise<string>;
}

export function evmWallet(): TestWallet {
  const account = privateKeyToAccount(generatePrivateKey());
  return { chain: "evm", address: account.address, sign: (message) => account.signMessage({ message }) };
}

export function solanaWallet(): TestWallet {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return {
    chain: "solana",
    address: getAddressDecoder().decode(rawKey(publicKey)),
    sign: async (text) => getBase58Decoder().decode(sign(null, Buffer.from(text), privateKey)),
  };
}

/** The 32 bytes at the end of its DER form. */
const rawKey = (key: KeyObject): Uint8Array => key.export({ format: "der", type: "spki" }).subarray(-32);
