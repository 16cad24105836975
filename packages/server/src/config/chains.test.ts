import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { problemsOf, temporaryFolder } from "../../test/support/config.ts";
import { loadConfig } from "./load-config.ts";

const KEY = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const USDC = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
const CHAIN = { PARLEY_EVM_RPC_URL: "https://rpc.example.org/v1/s3cret", PARLEY_EVM_CHAIN_ID: "8453" };

describe("the settings of an EVM chain", () => {
  test("configure no chain if they are unset", () => {
    expect(loadConfig({})).toMatchObject({ evmRpcUrls: [], evmChainId: null, evmTreasuryKey: null, evmTokens: [] });
  });

  test("have defaults for all but the RPC URLs and the chain id", () => {
    expect(loadConfig(CHAIN)).toMatchObject({
      evmRpcUrls: ["https://rpc.example.org/v1/s3cret"],
      evmChainId: 8453,
      evmConfirmations: "finalized",
      evmCurrency: { currency: "ETH", decimals: 18 },
      evmMaxFeeGwei: 100,
    });
  });

  test("are all read", () => {
    const config = loadConfig({
      PARLEY_EVM_RPC_URL: "https://a.example.org, http://10.0.0.7:8545/,https://b.example.org/?key=1",
      PARLEY_EVM_CHAIN_ID: "100",
      PARLEY_EVM_CONFIRMATIONS: "12",
      PARLEY_EVM_CURRENCY: "xDAI:18",
      PARLEY_EVM_TOKENS: `USDC=${USDC}:6, USDC.e=0x${"1".repeat(40)}:0`,
      PARLEY_EVM_TREASURY_KEY: KEY.toUpperCase(),
      PARLEY_EVM_MAX_FEE_GWEI: "20",
    });
    expect(config).toMatchObject({
      evmRpcUrls: ["https://a.example.org/", "http://10.0.0.7:8545/", "https://b.example.org/?key=1"],
      evmConfirmations: 12,
      evmCurrency: { currency: "xDAI", decimals: 18 },
      evmTokens: [
        { currency: "USDC", address: USDC, decimals: 6 },
        { currency: "USDC.e", address: `0x${"1".repeat(40)}`, decimals: 0 },
      ],
      evmTreasuryKey: `0x${KEY}`,
      evmMaxFeeGwei: 20,
    });
  });

  test("can refer to files with secrets", () => {
    const path = join(temporaryFolder(), "key");
    writeFileSync(path, `0x${KEY}\n`);
    const env = { PARLEY_EVM_CHAIN_ID: "1", PARLEY_EVM_TREASURY_KEY_FILE: path };
    writeFileSync(`${path}.urls`, "https://rpc.example.org/v1/s3cret\n");
    expect(loadConfig({ ...env, PARLEY_EVM_RPC_URL_FILE: `${path}.urls` })).toMatchObject({
      evmTreasuryKey: `0x${KEY}`,
      evmRpcUrls: ["https://rpc.example.org/v1/s3cret"],
    });
  });

  test.each([
    ["PARLEY_EVM_CHAIN_ID", { ...CHAIN, PARLEY_EVM_CHAIN_ID: "" }],
    ["PARLEY_EVM_CHAIN_ID", { ...CHAIN, PARLEY_EVM_CHAIN_ID: "0x2105" }],
    ["PARLEY_EVM_RPC_URL", { PARLEY_EVM_CHAIN_ID: "1" }],
    ["PARLEY_EVM_RPC_URL", { PARLEY_EVM_TREASURY_KEY: KEY }],
    ["PARLEY_EVM_RPC_URL", { PARLEY_EVM_TOKENS: `USDC=${USDC}:6` }],
    ["PARLEY_EVM_RPC_URL", { ...CHAIN, PARLEY_EVM_RPC_URL: "rpc.example.org/s3cret" }],
    ["PARLEY_EVM_RPC_URL", { ...CHAIN, PARLEY_EVM_RPC_URL: "wss://rpc.example.org/s3cret" }],
    ["PARLEY_EVM_RPC_URL", { ...CHAIN, PARLEY_EVM_RPC_URL: "https://user:s3cret@rpc.example.org/" }],
    ["PARLEY_EVM_RPC_URL", { ...CHAIN, PARLEY_EVM_RPC_URL: "https://a.org/s3cret,https://a.org/s3cret" }],
    ["PARLEY_EVM_CONFIRMATIONS", { ...CHAIN, PARLEY_EVM_CONFIRMATIONS: "0" }],
    ["PARLEY_EVM_CONFIRMATIONS", { ...CHAIN, PARLEY_EVM_CONFIRMATIONS: "safe" }],
    ["PARLEY_EVM_CURRENCY", { ...CHAIN, PARLEY_EVM_CURRENCY: "$" }],
    ["PARLEY_EVM_CURRENCY", { ...CHAIN, PARLEY_EVM_CURRENCY: "ETH:x" }],
    ["PARLEY_EVM_TOKENS", { ...CHAIN, PARLEY_EVM_TOKENS: `USDC=${USDC}` }],
    ["PARLEY_EVM_TOKENS", { ...CHAIN, PARLEY_EVM_TOKENS: "USDC=0x12:6" }],
    ["PARLEY_EVM_TOKENS", { ...CHAIN, PARLEY_EVM_TOKENS: `USDC=${USDC}:99` }],
    ["PARLEY_EVM_TOKENS", { ...CHAIN, PARLEY_EVM_TOKENS: `ETH=${USDC}:6` }],
    ["PARLEY_EVM_TOKENS", { ...CHAIN, PARLEY_EVM_TOKENS: `A=${USDC}:6,B=${USDC.toUpperCase().replace("0X", "0x")}:6` }],
    ["PARLEY_EVM_TOKENS", { ...CHAIN, PARLEY_EVM_TOKENS: `A=${USDC}:6,A=0x${"1".repeat(40)}:6` }],
    ["PARLEY_EVM_TREASURY_KEY", { ...CHAIN, PARLEY_EVM_TREASURY_KEY: `${KEY}5ec2e7` }],
    ["PARLEY_EVM_MAX_FEE_GWEI", { ...CHAIN, PARLEY_EVM_MAX_FEE_GWEI: "0" }],
  ])("%s is refused (%#) without repeating a secret", (name, env) => {
    const problems = problemsOf(env);
    expect(problems.map((problem) => problem.split(" ")[0])).toEqual([name]);
    expect(problems.join()).not.toMatch(/s3cret|5ec2e7|ac0974/);
  });
});
