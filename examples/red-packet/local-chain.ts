import { chmodSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createPublicClient, createWalletClient, http } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { anvil } from "viem/chains";
import type { Sandbox } from "./sandbox.ts";

/** The well-known seed phrase of local chains. Its accounts are worth nothing anywhere else. */
const WORDS = "test test test test test test test test test test test junk";

/** An account with 10,000 ETH. */
export const richAccount = (addressIndex: number) => mnemonicToAccount(WORDS, { addressIndex });

/** Starts an EVM chain on a free port, with two blocks per second. */
export async function startChain(sandbox: Sandbox) {
  const options = ["--port", "0", "--mnemonic", WORDS, "--block-time", "0.5"];
  const [, address] = await sandbox.start([binary(), ...options], {}, /Listening on (127\.0\.0\.1:\d+)/);
  const url = `http://${address}`;
  const client = { chain: anvil, transport: http(url), pollingInterval: 100, cacheTime: 0 };
  return { url, id: anvil.id, reader: createPublicClient(client), writer: createWalletClient(client) };
}

/** Returns the path of anvil itself, without its wrapper script, so that a signal reaches the chain. */
function binary(): string {
  const [system, kind] = [process.platform, process.arch === "x64" ? "amd64" : process.arch];
  try {
    const found = createRequire(import.meta.url).resolve(`@foundry-rs/anvil-${system}-${kind}/package.json`);
    const path = join(dirname(found), "bin", system === "win32" ? "anvil.exe" : "anvil");
    chmodSync(path, 0o755);
    return path;
  } catch (error) {
    throw new Error(`anvil is not installed for ${system} ${kind}; run npm install.`, { cause: error });
  }
}
