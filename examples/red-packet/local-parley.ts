import { join } from "node:path";
import type { Hex } from "viem";
import type { Sandbox } from "./sandbox.ts";

const MAIN = join(import.meta.dir, "../../packages/server/src/main.ts");

interface Settings {
  rpcUrl: string;
  chainId: number;
  treasuryKey: Hex;
}

/** Starts a Parley server on a free port, with payouts on the given chain (docs/guide/chains.md). */
export async function startParley(sandbox: Sandbox, { rpcUrl, chainId, treasuryKey }: Settings) {
  const env = {
    PORT: "0",
    PARLEY_DATA_DIR: join(sandbox.folder, "data"),
    PARLEY_LOG_LEVEL: "warn",
    PARLEY_EVM_RPC_URL: rpcUrl,
    PARLEY_EVM_CHAIN_ID: String(chainId),
    // On a real chain use `finalized`.
    PARLEY_EVM_CONFIRMATIONS: "2",
    PARLEY_EVM_TREASURY_KEY: treasuryKey,
    // The demo uses no network.
    PARLEY_BLUESKY_API_URL: "off",
    PARLEY_PAYOUT_TRANSFER_MAX: "ETH=1",
    PARLEY_PAYOUT_DAILY_MAX: "ETH=5",
  };
  const program = [process.execPath, MAIN];
  const [, url = ""] = await sandbox.start([...program, "serve"], env, /Web page +(http:\S+?)\/?\s/);
  return {
    url,
    /** Runs a Parley command on the data of this server; returns its output. */
    command: async (...words: string[]) => (await sandbox.run([...program, ...words], env)).trim(),
  };
}
