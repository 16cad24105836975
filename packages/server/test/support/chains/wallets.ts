import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { getAddressDecoder, getBase58Decoder } from "@solana/kit";
import { generatePrivateKey, type LocalAccount, privateKeyToAccount } from "viem/accounts";
import type { Client } from "../servers/test-server.ts";

/** A wallet of either kind with its own key. */
export interface TestWallet {
  chain: "evm" | "solana";
  address: string;
  /** Signs as the wallet's own `personal_sign` or `signMessage` does. */
  sign(text: string): Promise<string>;
}

export const evmWallet = (): TestWallet => evmWalletOf(privateKeyToAccount(generatePrivateKey()));

export const evmWalletOf = (account: LocalAccount): TestWallet => ({
  chain: "evm",
  address: account.address,
  sign: (message) => account.signMessage({ message }),
});

export function solanaWallet(): TestWallet {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return {
    chain: "solana",
    address: getAddressDecoder().decode(rawKey(publicKey)),
    sign: async (text) => getBase58Decoder().decode(sign(null, Buffer.from(text), privateKey)),
  };
}

/** Returns the raw key: the last 32 bytes of its DER form. */
const rawKey = (key: KeyObject): Uint8Array => key.export({ format: "der", type: "spki" }).subarray(-32);

/** Proves a wallet over HTTP as its owner does. Afterwards, its address is in the profile. */
export async function proveWallet(client: Client, username: string, { chain, address, sign }: TestWallet) {
  const at = `/api/user/${username}/wallets`;
  const challenge = await client.post(`${at}/challenge`, { chain, address });
  const { challenge_id, message_to_sign } = challenge.body;
  const proof = await client.post(`${at}/proof`, { challenge_id, signature: await sign(message_to_sign) });
  if (proof.status !== 200) throw new Error(`proof of ${address}: ${proof.status} ${JSON.stringify(proof.body)}`);
}
