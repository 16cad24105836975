import { describe, expect, test } from "bun:test";
import { problemsOf } from "../../test/support/config.ts";
import { loadConfig } from "./load-config.ts";

const CHAIN = { PARLEY_EVM_RPC_URL: "https://rpc.example.org/", PARLEY_EVM_CHAIN_ID: "8453" };
const TOKENS = { PARLEY_EVM_TOKENS: `USDC=0x${"1".repeat(40)}:6` };

describe("the limits of payouts", () => {
  test("apply to configured currencies", () => {
    const config = loadConfig({
      ...CHAIN,
      ...TOKENS,
      PARLEY_SOLANA_RPC_URL: "https://sol.example.org/",
      PARLEY_PAYOUT_TRANSFER_MAX: "ETH=0.5, USDC=1000,SOL=3",
      PARLEY_PAYOUT_GAS_DAILY_MAX: "ETH=0.1,SOL=1",
    });
    expect([...config.payoutTransferMax]).toEqual([
      ["ETH", "0.5"],
      ["USDC", "1000"],
      ["SOL", "3"],
    ]);
  });

  test.each([
    ["PARLEY_PAYOUT_TRANSFER_MAX", "eth=0.5", "eth", "they are ETH, USDC"],
    ["PARLEY_PAYOUT_TRANSFER_MAX", "ETH=0.5,USDT=1000", "USDT", "they are ETH, USDC"],
    ["PARLEY_PAYOUT_DAILY_MAX", "SOL=1", "SOL", "they are ETH, USDC"],
    ["PARLEY_PAYOUT_GAS_DAILY_MAX", "USDC=5", "USDC", "they are ETH"],
    ["PARLEY_PAYOUT_RESERVE", "POL=1", "POL", "they are ETH, USDC"],
  ])("refuse %s=%s, whose currency has no such limit", (name, value, currency, there) => {
    expect(problemsOf({ ...CHAIN, ...TOKENS, [name]: value })).toEqual([
      `${name} has ${currency}, which is not one of the server's currencies; ${there}`,
    ]);
  });

  test("do not exist without a chain", () => {
    expect(problemsOf({ PARLEY_PAYOUT_RESERVE: "ETH=1" })).toEqual([
      "PARLEY_PAYOUT_RESERVE has ETH, which is not one of the server's currencies; it has none, because no chain is configured",
    ]);
  });

  test("do not add an error to a malformed setting of the chain", () => {
    const env = { ...CHAIN, PARLEY_EVM_TOKENS: "USDC", PARLEY_PAYOUT_DAILY_MAX: "USDC=1" };
    expect(problemsOf(env).map((problem) => problem.split(" ")[0])).toEqual(["PARLEY_EVM_TOKENS"]);
  });
});
