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
import { forAllTests } from "../support/for-all-tests.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const anvil = await forAllTests(Anvil.start());
const stray = await forAllTests(new RpcProxy(anvil.url));
const silent = await forAllTests(new RpcProxy(anvil.url));
stray.lie("eth_chainId", () => "0x1");
silent.faults.set("*", { kind: "status", status: 503 });

const started = (config: Partial<Config>): Promise<string> =>
  startTestServer(config).then(
    async (server) => {
      await server[Symbol.asyncDispose]();
      return "started";
    },
    (error) => (error instanceof StartupError ? error.message : Promise.reject(error)),
  );

describe("a server with an EVM chain", () => {
  test("has the chain from the start, with its assets and treasury", async () => {
    await using server = await startTestServer(evmSettings(anvil.url));
    const chain = chainsOf(server.ctx).find("evm");
    expect(chain).toMatchObject({ kind: "evm", chainId: 31_337, treasury: accountOf(0).address });
    expect(chain?.assets).toEqual([{ currency: "ETH", decimals: 18, tokenAddress: null }]);
    expect(chainsOf(server.ctx).find("evm", 31_337)).toBe(chain);
    expect(chainsOf(server.ctx).find("evm", 1)).toBeNull();
    expect(chainsOf(server.ctx).find("solana")).toBeNull();
  });

  test("refuses to start if half or more of the chain's servers are on another chain, and ignores one of three", async () => {
    const refused = `PARLEY_EVM_CHAIN_ID is 31337, but in PARLEY_EVM_RPC_URL ${new URL(stray.url).host} is on 1`;
    expect(await started(evmSettings(stray.url))).toStartWith(refused);
    expect(await started(evmSettings([stray.url, anvil.url]))).toStartWith(refused);
    expect(await started(evmSettings([stray.url, anvil.url, `${anvil.url}/?2`]))).toBe("started");
  });

  test("starts while the chain's servers are silent: people can chat, and the chain works once they respond", async () => {
    await using server = await startTestServer(evmSettings(silent.url));
    const chain = chainsOf(server.ctx).find("evm");
    const hash = `0x${"1".repeat(64)}`;
    await expect(chain?.observe(hash)).rejects.toMatchObject({ code: "chain_unavailable", status: 502 });
    silent.faults.clear();
    expect(await chain?.observe(hash)).toMatchObject({ state: "unknown" });
    silent.faults.set("*", { kind: "status", status: 503 });
    expect(await server.ctx.metrics.render()).toContain(
      `parley_chain_server_failures_total{server="${new URL(silent.url).host}",reason="status"}`,
    );
  });

  test("refuses to start with an invalid key or a token with a wrong checksum, and does not repeat the key", async () => {
    const settings = evmSettings(anvil.url);
    const zero = `0x${"0".repeat(64)}`;
    expect(await started({ ...settings, evmTreasuryKey: zero })).toBe(
      "PARLEY_EVM_TREASURY_KEY is not a secp256k1 private key.",
    );
    const token = { currency: "USDC", decimals: 6, address: "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" };
    expect(await started({ ...settings, evmTokens: [token] })).toContain("the address of USDC has a wrong checksum");
  });

  test("logs neither its key nor the path of an RPC server", async () => {
    const lines: string[] = [];
    const log = createLog({ level: "trace", readable: false, write: (line) => void lines.push(line) });
    const urls = [
      `${stray.url}/s3cret-1`,
      `${silent.url}/s3cret-2`,
      `${anvil.url}/?s3cret-3`,
      `${anvil.url}/?s3cret-4`,
      anvil.url,
    ];
    await using server = await startTestServer(evmSettings(urls), { log });
    const chain = chainsOf(server.ctx).find("evm");
    for (let i = 0; i < 6; i++) await chain?.observe(`0x${"1".repeat(64)}`);
    server.ctx.log.info({ config: server.ctx.config, evmTreasuryKey: TREASURY_KEY }, "everything");
    const text = lines.join("\n");
    expect(text).toContain("is on another chain");
    expect(text).toContain("does not respond");
    expect(text).not.toContain("s3cret");
    expect(text).not.toContain(TREASURY_KEY.slice(2));
  });
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
