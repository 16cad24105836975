import { describe, expect, test } from "bun:test";
import { temporaryFolder } from "../../test/support/config.ts";
import { type Environment, readConfig } from "./load-config.ts";
import { productionAdvice } from "./production.ts";

const USDC = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
const MINT = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU";

/** Settings of a production server that pays out on both chains, with every safeguard. */
const safe = {
  PARLEY_PROFILE: "production",
  PARLEY_PUBLIC_URL: "https://chat.example.org",
  PARLEY_EVM_RPC_URL: "https://one.example.org/key,https://two.example.org",
  PARLEY_EVM_CHAIN_ID: "8453",
  PARLEY_EVM_TOKENS: `USDC=${USDC}:6`,
  PARLEY_EVM_TREASURY_KEY: `0x${"11".repeat(32)}`,
  PARLEY_SOLANA_RPC_URL: "https://one.example.com,http://127.0.0.1:8899",
  PARLEY_SOLANA_TOKENS: `EURC=${MINT}:6`,
  PARLEY_SOLANA_TREASURY_KEY: JSON.stringify(Array.from({ length: 64 }, () => 1)),
  PARLEY_PAYOUT_DAILY_MAX: "ETH=1,USDC=100,SOL=5,EURC=100",
  PARLEY_PAYOUT_GAS_DAILY_MAX: "ETH=0.1,SOL=0.1",
} satisfies Environment;

/** Returns the refusals that concern chains and payouts. */
const problemsOf = (env: Environment): readonly string[] =>
  readConfig({ ...safe, PARLEY_DATA_DIR: temporaryFolder(), ...env }).problems.filter((text) =>
    /RPC_URL|PAYOUT/.test(text),
  );

describe("a production server with treasuries", () => {
  test("starts with two servers a chain, on https or loopback, and limits for every currency", () => {
    expect(problemsOf({})).toEqual([]);
  });

  test.each<[string, Environment, readonly string[]]>([
    [
      "an EVM server over http",
      { PARLEY_EVM_RPC_URL: "http://one.example.org/key,https://two.example.org" },
      ["uses http for one.example.org"],
    ],
    [
      "a Solana server over http",
      { PARLEY_SOLANA_RPC_URL: "http://10.0.0.7:8899,https://two.example.org" },
      ["uses http for 10.0.0.7:8899"],
    ],
    [
      "plaintext, even if nothing is paid out",
      { PARLEY_EVM_RPC_URL: "http://one.example.org", PARLEY_EVM_TREASURY_KEY: "" },
      ["uses http for one.example.org"],
    ],
    ["a single server", { PARLEY_EVM_RPC_URL: "https://one.example.org" }, ["PARLEY_EVM_RPC_URL must name at least 2"]],
    [
      "two URLs of one host",
      { PARLEY_SOLANA_RPC_URL: "https://one.example.org/a,https://one.example.org/b" },
      ["PARLEY_SOLANA_RPC_URL must name at least 2"],
    ],
    [
      "no limits at all",
      { PARLEY_PAYOUT_DAILY_MAX: "", PARLEY_PAYOUT_GAS_DAILY_MAX: "" },
      [
        "PARLEY_PAYOUT_DAILY_MAX must have a limit for ETH",
        "PARLEY_PAYOUT_DAILY_MAX must have a limit for USDC",
        "PARLEY_PAYOUT_DAILY_MAX must have a limit for SOL",
        "PARLEY_PAYOUT_DAILY_MAX must have a limit for EURC",
        "PARLEY_PAYOUT_GAS_DAILY_MAX must have a limit for ETH",
        "PARLEY_PAYOUT_GAS_DAILY_MAX must have a limit for SOL",
      ],
    ],
    [
      "a token without a limit",
      { PARLEY_PAYOUT_DAILY_MAX: "ETH=1,SOL=5,EURC=100" },
      ["PARLEY_PAYOUT_DAILY_MAX must have a limit for USDC"],
    ],
  ])("refuses %s", (_, env, expected) => {
    const problems = problemsOf(env);
    expect(problems).toHaveLength(expected.length);
    for (const [n, text] of expected.entries()) expect(problems[n]).toContain(text);
    expect(problems.join()).not.toContain("/key");
  });

  test("gets advice about tokens without a minimum share", () => {
    const adviceOf = (env: Environment) =>
      productionAdvice(readConfig({ ...safe, PARLEY_DATA_DIR: temporaryFolder(), ...env }).config).join("\n");
    expect(adviceOf({})).toContain("PARLEY_PACKET_SHARE_MIN has no amount for USDC, EURC");
    expect(adviceOf({ PARLEY_PACKET_SHARE_MIN: "USDC=0.5,EURC=0.5" })).not.toContain("PARLEY_PACKET_SHARE_MIN");
  });

  test("needs no limits and no second server without a key", () => {
    const keyless = { PARLEY_EVM_TREASURY_KEY: "", PARLEY_SOLANA_TREASURY_KEY: "", PARLEY_PAYOUT_DAILY_MAX: "" };
    expect(problemsOf({ ...keyless, PARLEY_EVM_RPC_URL: "https://one.example.org" })).toEqual([]);
  });

  test("in development starts without any of these", () => {
    const env = {
      PARLEY_PROFILE: "development",
      PARLEY_EVM_RPC_URL: "http://rpc.example.org",
      PARLEY_PAYOUT_DAILY_MAX: "",
    };
    expect(problemsOf(env)).toEqual([]);
  });
});
