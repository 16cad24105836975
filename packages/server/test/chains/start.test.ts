import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { chainsOf } from "../../src/chains/chains.ts";
import type { Config } from "../../src/config/config.ts";
import { StartupError } from "../../src/db/startup-error.ts";
import { createLog } from "../../src/logging/log.ts";
import { Anvil, accountOf, TREASURY_KEY } from "../support/chains/anvil.ts";
import { evmSettings } from "../support/chains/evm.ts";
import { RpcProxy } from "../support/chains/rpc-proxy.ts";
import { solanaSettings, TREASURY_BYTES } from "../support/chains/solana.ts";
import { SolanaShim } from "../support/chains/solana-shim.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { say } from "../support/say.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const DEVNET = "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG";

const anvil = await forAllTests(Anvil.start());
const shim = await forAllTests(new SolanaShim());

const EVM = {
  kind: "evm",
  url: anvil.url,
  settings: (...urls: string[]): Partial<Config> => evmSettings(urls),
  facts: { kind: "evm", chainId: 31_337, treasury: accountOf(0).address },
  coin: { currency: "ETH", decimals: 18, tokenAddress: null },
  missing: "solana",
  nobodys: `0x${"1".repeat(64)}`,
  /** A method, and the answer of a server of another chain. */
  elsewhere: ["eth_chainId", "0x1"],
  refused: (host: string) => `PARLEY_EVM_CHAIN_ID is 31337, but in PARLEY_EVM_RPC_URL ${host} is on 1`,
  key: { evmTreasuryKey: TREASURY_KEY },
  secrets: [TREASURY_KEY.slice(2)],
  logged: [],
} as const;
const SOLANA = {
  kind: "solana",
  url: shim.url,
  settings: (...urls: string[]): Partial<Config> => solanaSettings(shim.cluster, urls),
  facts: { kind: "solana", chainId: 104, treasury: "GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB" },
  coin: { currency: "SOL", decimals: 9, tokenAddress: null },
  missing: "evm",
  nobodys: "1".repeat(64),
  elsewhere: ["getGenesisHash", DEVNET],
  refused: (host: string) =>
    `PARLEY_SOLANA_CLUSTER is the cluster ${shim.cluster.genesisHash}, but in PARLEY_SOLANA_RPC_URL ${host} is on devnet.`,
  key: { key: { solanaTreasuryKey: [...TREASURY_BYTES] } },
  secrets: ["7,7,7,7"],
  logged: [DEVNET],
} as const;

const started = (config: Partial<Config>): Promise<string> =>
  startTestServer(config).then(
    async (server) => {
      await server[Symbol.asyncDispose]();
      return "started";
    },
    (error) => (error instanceof StartupError ? error.message : Promise.reject(error)),
  );

describe.each([EVM, SOLANA])("a server with $kind", async (chain) => {
  const { kind, url, settings, nobodys } = chain;
  const stray = await forAllTests(new RpcProxy(url));
  const silent = await forAllTests(new RpcProxy(url));
  const [method, answer] = chain.elsewhere;
  stray.lie(method, () => answer);
  silent.faults.set("*", { kind: "status", status: 503 });

  test("has the chain from the start, with its assets and treasury", async () => {
    await using server = await startTestServer(settings(url));
    const found = chainsOf(server.ctx).find(kind);
    expect(found).toMatchObject(chain.facts);
    expect(found?.assets).toEqual([chain.coin]);
    expect(chainsOf(server.ctx).find(kind, chain.facts.chainId)).toBe(found);
    expect(chainsOf(server.ctx).find(kind, 1)).toBeNull();
    expect(chainsOf(server.ctx).find(chain.missing)).toBeNull();
  });

  test("refuses to start if half or more of the chain's servers are on another chain, and ignores one of three", async () => {
    const refused = chain.refused(new URL(stray.url).host);
    expect(await started(settings(stray.url))).toStartWith(refused);
    expect(await started(settings(stray.url, url))).toStartWith(refused);
    expect(await started(settings(stray.url, url, `${url}/?2`))).toBe("started");
  });

  test("starts while the chain's servers are silent: people can chat, and the chain works once they respond", async () => {
    await using server = await startTestServer(settings(silent.url));
    await say(await server.user("ann"), "general");
    const found = chainsOf(server.ctx).find(kind);
    await expect(found?.observe(nobodys)).rejects.toMatchObject({ code: "chain_unavailable", status: 502 });
    silent.faults.clear();
    expect(await found?.observe(nobodys)).toMatchObject({ state: "unknown" });
    silent.faults.set("*", { kind: "status", status: 503 });
    expect(await server.ctx.metrics.render()).toContain(
      `parley_chain_server_failures_total{server="${new URL(silent.url).host}",reason="status"}`,
    );
  });

  test("logs neither its key nor the path of an RPC server", async () => {
    const lines: string[] = [];
    const log = createLog({ level: "trace", readable: false, write: (line) => void lines.push(line) });
    const honest = [url, `${url}/?s3cret-3`, `${url}/?s3cret-4`];
    await using server = await startTestServer(settings(`${stray.url}/s3cret-1`, `${silent.url}/s3cret-2`, ...honest), {
      log,
    });
    for (let i = 0; i < 6; i++) await chainsOf(server.ctx).find(kind)?.observe(nobodys);
    server.ctx.log.info({ config: server.ctx.config, ...chain.key }, "everything");
    const text = lines.join("\n");
    for (const said of ["is on another chain", "does not respond", ...chain.logged]) expect(text).toContain(said);
    for (const secret of ["s3cret", ...chain.secrets]) expect(text).not.toContain(secret);
  });
});

test("a server refuses to start with an invalid key or a token with a wrong checksum, and does not repeat the key", async () => {
  const settings = EVM.settings(anvil.url);
  expect(await started({ ...settings, evmTreasuryKey: `0x${"0".repeat(64)}` })).toBe(
    "PARLEY_EVM_TREASURY_KEY is not a secp256k1 private key.",
  );
  const token = { currency: "USDC", decimals: 6, address: "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" };
  expect(await started({ ...settings, evmTokens: [token] })).toContain("the address of USDC has a wrong checksum");
});

test("a server refuses to start with an invalid key pair or an invalid mint", async () => {
  const settings = SOLANA.settings(shim.url);
  expect(await started({ ...settings, solanaTreasuryKey: new Uint8Array(64).fill(1) })).toStartWith(
    "PARLEY_SOLANA_TREASURY_KEY is not an ed25519 key pair",
  );
  const token = { currency: "USDC", decimals: 6, address: "z".repeat(44) };
  expect(await started({ ...settings, solanaTokens: [token] })).toContain("the mint of USDC is not an address");
});

test("a server without chains loads none of their libraries, because no start-up import leads to them", () => {
  const seen = new Set<string>();
  const found: string[] = [];
  const walk = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const code = readFileSync(path, "utf8");
    for (const { path: to, kind } of new Bun.Transpiler({ loader: "ts" }).scanImports(code)) {
      if (kind !== "import-statement") continue;
      if (/^(viem|@solana)/.test(to)) found.push(`${path} imports ${to}`);
      if (to.startsWith(".") && to.endsWith(".ts")) walk(join(dirname(path), to));
    }
  };
  walk(join(import.meta.dir, "../../src/server.ts"));
  expect(seen.size).toBeGreaterThan(100);
  expect(found).toEqual([]);
});
