import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { getBase58Decoder } from "@solana/kit";
import fc from "fast-check";
import { problemsOf, temporaryFolder } from "../../test/support/config.ts";
import { type Environment, loadConfig } from "./load-config.ts";

const USDC = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const BYTES = Uint8Array.from({ length: 64 }, (_, i) => i);
const RPC = { PARLEY_SOLANA_RPC_URL: "https://rpc.example.org/?api-key=s3cret" };

describe("the settings of Solana", () => {
  test("configure no Solana if they are unset", () => {
    expect(loadConfig({})).toMatchObject({ solanaRpcUrls: [], solanaTreasuryKey: null, solanaTokens: [] });
  });

  test("select mainnet by default", () => {
    expect(loadConfig(RPC)).toMatchObject({
      solanaRpcUrls: ["https://rpc.example.org/?api-key=s3cret"],
      solanaCluster: { name: "mainnet-beta", chainId: 101 },
    });
  });

  test("are all read", () => {
    const genesisHash = "4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZAMdL4VZHirAn";
    const env = { ...RPC, PARLEY_SOLANA_TOKENS: `USDC=${USDC}:6`, PARLEY_SOLANA_CLUSTER: genesisHash };
    expect(loadConfig(env)).toMatchObject({
      solanaCluster: { name: "own", genesisHash, chainId: 104 },
      solanaTokens: [{ currency: "USDC", address: USDC, decimals: 6 }],
    });
    const devnet = loadConfig({ ...RPC, PARLEY_SOLANA_CLUSTER: "devnet" }).solanaCluster;
    expect(devnet.chainId).toBe(103);
    // A known hash selects the known cluster.
    expect(loadConfig({ ...RPC, PARLEY_SOLANA_CLUSTER: devnet.genesisHash }).solanaCluster).toEqual(devnet);
  });

  test("accept a key pair in both notations, and from a file", () => {
    const file = join(temporaryFolder(), "id.json");
    writeFileSync(file, `${JSON.stringify([...BYTES])}\n`);
    for (const env of [
      { PARLEY_SOLANA_TREASURY_KEY: JSON.stringify([...BYTES]) },
      { PARLEY_SOLANA_TREASURY_KEY: `[ ${[...BYTES].join(" , ")} ]` },
      { PARLEY_SOLANA_TREASURY_KEY: getBase58Decoder().decode(BYTES) },
      { PARLEY_SOLANA_TREASURY_KEY_FILE: file },
    ]) {
      expect(loadConfig({ ...RPC, ...env }).solanaTreasuryKey).toEqual(BYTES);
    }
  });

  test("read any 64 bytes in base58 back unchanged", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), fc.nat(8), (bytes, zeros) => {
        const key = bytes.fill(0, 0, zeros);
        const env = { ...RPC, PARLEY_SOLANA_TREASURY_KEY: getBase58Decoder().decode(key) };
        expect(loadConfig(env).solanaTreasuryKey).toEqual(key);
      }),
    );
  });
});

const WRAPPED_SOL = "So11111111111111111111111111111111111111112";

test.each<[string, Environment]>([
  ["PARLEY_SOLANA_CLUSTER", { ...RPC, PARLEY_SOLANA_CLUSTER: "mainnet" }],
  ["PARLEY_SOLANA_RPC_URL", { PARLEY_SOLANA_RPC_URL: "rpc.example.org" }],
  ["PARLEY_SOLANA_RPC_URL", { PARLEY_SOLANA_RPC_URL: "https://a.example,https://a.example" }],
  ["PARLEY_SOLANA_RPC_URL", { PARLEY_SOLANA_TOKENS: `USDC=${USDC}:6` }],
  ["PARLEY_SOLANA_RPC_URL", { PARLEY_SOLANA_TREASURY_KEY: JSON.stringify([...BYTES]) }],
  ["PARLEY_SOLANA_TOKENS", { ...RPC, PARLEY_SOLANA_TOKENS: `USDC=0x${"1".repeat(40)}:6` }],
  ["PARLEY_SOLANA_TOKENS", { ...RPC, PARLEY_SOLANA_TOKENS: `USDC=${USDC}` }],
  ["PARLEY_SOLANA_TOKENS", { ...RPC, PARLEY_SOLANA_TOKENS: `USDC=${USDC}:6,USDT=${USDC}:6` }],
  ["PARLEY_SOLANA_TOKENS", { ...RPC, PARLEY_SOLANA_TOKENS: `SOL=${USDC}:9` }],
  ["PARLEY_SOLANA_TOKENS", { ...RPC, PARLEY_SOLANA_TOKENS: `WSOL=${WRAPPED_SOL}:9` }],
  ["PARLEY_SOLANA_TREASURY_KEY", { ...RPC, PARLEY_SOLANA_TREASURY_KEY: USDC }],
  ["PARLEY_SOLANA_TREASURY_KEY", { ...RPC, PARLEY_SOLANA_TREASURY_KEY: "[1,2,3]" }],
  ["PARLEY_SOLANA_TREASURY_KEY", { ...RPC, PARLEY_SOLANA_TREASURY_KEY: JSON.stringify(Array(64).fill(256)) }],
  ["PARLEY_SOLANA_TREASURY_KEY", { ...RPC, PARLEY_SOLANA_TREASURY_KEY: "z".repeat(1_000_000) }],
])("refuse %s: %j", (name, env) => {
  const problems = problemsOf(env);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toStartWith(name);
  const key = env.PARLEY_SOLANA_TREASURY_KEY ?? "nothing secret";
  expect(problems[0]?.includes(key)).toBe(false);
});
