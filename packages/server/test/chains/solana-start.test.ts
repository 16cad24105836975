import { expect, test } from "bun:test";
import { chainsOf } from "../../src/chains/chains.ts";
import type { Config } from "../../src/config/config.ts";
import { StartupError } from "../../src/db/startup-error.ts";
import { createLog } from "../../src/logging/log.ts";
import { RpcProxy } from "../support/chains/rpc-proxy.ts";
import { solanaSettings, TREASURY_BYTES } from "../support/chains/solana.ts";
import { SolanaShim } from "../support/chains/solana-shim.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const DEVNET = "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG";

const shim = await forAllTests(new SolanaShim());
const stray = await forAllTests(new RpcProxy(shim.url));
const silent = await forAllTests(new RpcProxy(shim.url));
stray.lie("getGenesisHash", () => DEVNET);
silent.faults.set("*", { kind: "status", status: 503 });

const settings = (...urls: string[]) => solanaSettings(shim.cluster, urls);
const started = (config: Partial<Config>): Promise<string> =>
  startTestServer(config).then(
    async (server) => {
      await server[Symbol.asyncDispose]();
      return "started";
    },
    (error) => (error instanceof StartupError ? error.message : Promise.reject(error)),
  );

test("a server with Solana has the chain from the start, with its assets and treasury", async () => {
  await using server = await startTestServer(settings(shim.url));
  const chain = chainsOf(server.ctx).find("solana");
  expect(chain).toMatchObject({ chainId: 104, treasury: "GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB" });
  expect(chain?.assets).toEqual([{ currency: "SOL", decimals: 9, tokenAddress: null }]);
  expect(chainsOf(server.ctx).find("evm")).toBeNull();
});

test("a server refuses to start if half or more of the chain's servers are on another cluster, and ignores one of three", async () => {
  const host = new URL(stray.url).host;
  const refused = `PARLEY_SOLANA_CLUSTER is the cluster ${shim.cluster.genesisHash}, but in PARLEY_SOLANA_RPC_URL ${host} is on devnet.`;
  expect(await started(settings(stray.url))).toStartWith(refused);
  expect(await started(settings(stray.url, shim.url))).toStartWith(refused);
  expect(await started(settings(stray.url, shim.url, `${shim.url}/?2`))).toBe("started");
});

test("a server starts while the chain's servers are silent: people can chat, and the chain works once they respond", async () => {
  await using server = await startTestServer(settings(silent.url));
  const chain = chainsOf(server.ctx).find("solana");
  const signature = "1".repeat(64);
  await expect(chain?.observe(signature)).rejects.toMatchObject({ code: "chain_unavailable", status: 502 });
  silent.faults.clear();
  expect(await chain?.observe(signature)).toMatchObject({ state: "unknown" });
  silent.faults.set("*", { kind: "status", status: 503 });
});

test("a server refuses to start with an invalid key pair or an invalid mint", async () => {
  const half = { ...settings(shim.url), solanaTreasuryKey: new Uint8Array(64).fill(1) };
  expect(await started(half)).toStartWith("PARLEY_SOLANA_TREASURY_KEY is not an ed25519 key pair");
  const token = { currency: "USDC", decimals: 6, address: "z".repeat(44) };
  expect(await started({ ...settings(shim.url), solanaTokens: [token] })).toContain(
    "the mint of USDC is not an address",
  );
});

test("a server with Solana logs neither its key nor the path of an RPC server", async () => {
  const lines: string[] = [];
  const log = createLog({ level: "trace", readable: false, write: (line) => void lines.push(line) });
  const urls = [
    `${stray.url}/s3cret-1`,
    `${silent.url}/s3cret-2`,
    shim.url,
    `${shim.url}/?s3cret-3`,
    `${shim.url}/?s3cret-4`,
  ];
  await using server = await startTestServer(settings(...urls), { log });
  for (let i = 0; i < 6; i++) await chainsOf(server.ctx).find("solana")?.observe("1".repeat(64));
  server.ctx.log.info({ config: server.ctx.config, key: { solanaTreasuryKey: [...TREASURY_BYTES] } }, "everything");
  const text = lines.join("\n");
  expect(text).toContain("is on another chain");
  expect(text).toContain("does not respond");
  expect(text).toContain(DEVNET);
  expect(text).not.toContain("s3cret");
  expect(text).not.toContain("7,7,7,7");
});
