import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Address } from "@solana/kit";
import { DECIMALS, makeToken, TREASURY_BYTES, wallet } from "../../test/support/chains/solana.ts";
import { SolanaShim } from "../../test/support/chains/solana-shim.ts";
import { type Environment, loadConfig } from "../config/load-config.ts";
import { checkSolana } from "./doctor.ts";

let shim: SolanaShim;
let usdc: Address;
beforeAll(async () => {
  shim = new SolanaShim();
  usdc = await makeToken(shim.cluster, await wallet(shim.cluster), [], 0n);
});
afterAll(() => shim?.[Symbol.asyncDispose]());

async function findings(env: Environment): Promise<string[]> {
  const found = await checkSolana(loadConfig(env));
  return found.map(({ state, text }) => `${state}: ${text.replaceAll(new URL(shim.url).host, "shim")}`);
}

const KEY = JSON.stringify([...TREASURY_BYTES]);
const SINGLE =
  "advice: a single server is trusted alone; name three in PARLEY_SOLANA_RPC_URL, so that one can fail or lie";

test("the doctor reports nothing about Solana if it is not configured", async () => {
  expect(await findings({})).toEqual(["ok: not configured; to enable it, set PARLEY_SOLANA_RPC_URL"]);
});

test("the doctor checks one Solana server, one valid token, two wrong ones and the treasury", async () => {
  const { genesisHash } = shim.cluster;
  const nobody = (await wallet(shim.cluster)).address;
  const env = {
    PARLEY_SOLANA_RPC_URL: shim.url,
    PARLEY_SOLANA_CLUSTER: genesisHash,
    PARLEY_SOLANA_TOKENS: `USDC=${usdc}:${DECIMALS},NONE=${nobody}:6`,
    PARLEY_SOLANA_TREASURY_KEY: KEY,
  };
  expect(await findings(env)).toEqual([
    `ok: shim is on the cluster ${genesisHash}`,
    SINGLE,
    "ok: USDC is a token with 6 decimal places",
    "problem: NONE is not a token on this chain; correct PARLEY_SOLANA_TOKENS",
    "advice: the treasury GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB has no SOL for fees; send it some",
  ]);
  const other = await findings({
    ...env,
    PARLEY_SOLANA_TOKENS: `USDC=${usdc}:9`,
    PARLEY_SOLANA_TREASURY_KEY: "",
  });
  expect(other.slice(2)).toEqual([
    "problem: USDC has 6 decimal places, not 9; correct PARLEY_SOLANA_TOKENS",
    "advice: there is no treasury, so nothing can be paid out; set PARLEY_SOLANA_TREASURY_KEY",
  ]);
});

test("the doctor stops if Solana servers are on another cluster or silent", async () => {
  const env = { PARLEY_SOLANA_RPC_URL: `${shim.url},http://127.0.0.1:1/secret-key` };
  expect(await findings(env)).toEqual([
    `problem: shim is on the cluster ${shim.cluster.genesisHash}, not mainnet-beta; correct PARLEY_SOLANA_RPC_URL or PARLEY_SOLANA_CLUSTER`,
    "advice: 127.0.0.1:1 does not respond; check PARLEY_SOLANA_RPC_URL, and that this machine can reach it",
    "advice: with two servers, both must respond and agree; name three in PARLEY_SOLANA_RPC_URL, so that one can fail or lie",
  ]);
});

test("the doctor reports a key pair whose halves do not match", async () => {
  const [first = 0, ...rest] = TREASURY_BYTES;
  const env = {
    PARLEY_SOLANA_RPC_URL: shim.url,
    PARLEY_SOLANA_CLUSTER: shim.cluster.genesisHash,
    PARLEY_SOLANA_TREASURY_KEY: JSON.stringify([first ^ 1, ...rest]),
  };
  expect((await findings(env)).at(-1)).toStartWith("problem: PARLEY_SOLANA_TREASURY_KEY is not an ed25519 key pair");
});
