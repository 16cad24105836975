import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Address } from "viem";
import { Anvil, accountOf, TREASURY_KEY } from "../../test/support/chains/anvil.ts";
import { type Environment, loadConfig } from "../config/load-config.ts";
import { checkEvmChain } from "./doctor.ts";

let anvil: Anvil;
let usdc: Address;
beforeAll(async () => {
  anvil = await Anvil.start();
  usdc = await anvil.token("USDC", 6, [], 0n);
});
afterAll(() => anvil?.[Symbol.asyncDispose]());

async function findings(env: Environment): Promise<string[]> {
  const found = await checkEvmChain(loadConfig(env));
  return found.map(({ state, text }) => `${state}: ${text.replaceAll(new URL(anvil.url).host, "anvil")}`);
}

test("the doctor reports nothing about EVM without a chain", async () => {
  expect(await findings({})).toEqual(["ok: not configured; to enable it, set PARLEY_EVM_RPC_URL"]);
});

test("the doctor checks one server, one valid token, two wrong ones and the treasury", async () => {
  const env = {
    PARLEY_EVM_RPC_URL: anvil.url,
    PARLEY_EVM_CHAIN_ID: "31337",
    PARLEY_EVM_TOKENS: `USDC=${usdc}:6,NONE=${accountOf(5).address}:18`,
    PARLEY_EVM_TREASURY_KEY: TREASURY_KEY,
  };
  const single =
    "advice: a single server is trusted alone; name three in PARLEY_EVM_RPC_URL, so that one can fail or lie";
  expect(await findings(env)).toEqual([
    "ok: anvil is on chain 31337",
    single,
    "ok: USDC is a token with 6 decimal places",
    "problem: NONE is not a token on this chain; correct PARLEY_EVM_TOKENS",
    `ok: the treasury ${accountOf(0).address} has ${10_000n * 10n ** 18n} of the smallest unit of ETH`,
  ]);
  expect(await findings({ ...env, PARLEY_EVM_TOKENS: `USDC=${usdc}:18`, PARLEY_EVM_TREASURY_KEY: "" })).toEqual([
    "ok: anvil is on chain 31337",
    single,
    "problem: USDC has 6 decimal places, not 18; correct PARLEY_EVM_TOKENS",
    "advice: there is no treasury, so nothing can be paid out; set PARLEY_EVM_TREASURY_KEY",
  ]);
  expect((await findings({ ...env, PARLEY_PAYOUT_RESERVE: "ETH=10000.1" })).at(-1)).toMatch(
    /^problem: .* has less ETH than PARLEY_PAYOUT_RESERVE; refill it/,
  );
  const poor = `0x${"7".repeat(64)}`;
  expect((await findings({ ...env, PARLEY_EVM_TREASURY_KEY: poor })).at(-1)).toMatch(/^advice: .* has no ETH for fees/);
});

test("the doctor stops if servers are on another chain or silent", async () => {
  const env = { PARLEY_EVM_RPC_URL: `${anvil.url},http://127.0.0.1:1/secret-key`, PARLEY_EVM_CHAIN_ID: "1" };
  const found = await findings(env);
  expect(found).toEqual([
    "problem: anvil is on chain 31337, not chain 1; correct PARLEY_EVM_RPC_URL or PARLEY_EVM_CHAIN_ID",
    "advice: 127.0.0.1:1 does not respond; check PARLEY_EVM_RPC_URL, and that this machine can reach it",
    "advice: with two servers, both must respond and agree; name three in PARLEY_EVM_RPC_URL, so that one can fail or lie",
  ]);
});

test("the doctor reports a token address with a wrong checksum", async () => {
  // An EIP-55 address with the case of its first letter changed.
  const tokens = "USDC=0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed:6";
  const env = { PARLEY_EVM_RPC_URL: anvil.url, PARLEY_EVM_CHAIN_ID: "31337", PARLEY_EVM_TOKENS: tokens };
  expect((await findings(env)).at(-1)).toStartWith(
    "problem: PARLEY_EVM_TOKENS: the address of USDC has a wrong checksum",
  );
});
