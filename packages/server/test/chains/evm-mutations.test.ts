import { afterEach, beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import type { Hex } from "viem";
import type { Observed } from "../../src/chains/chain.ts";
import { Anvil, accountOf } from "../support/chains/anvil.ts";
import { evmOver } from "../support/chains/evm.ts";
import { expectNothingInvented } from "../support/chains/observed.ts";
import { RpcProxy } from "../support/chains/rpc-proxy.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { changes, mutate } from "../support/fuzz/mutate.ts";

/** Arbitrary changes to one server's responses (guarantees P16), in front of honest servers. Confirmations are 3. */

const TREASURY = accountOf(0).address;
const ALICE = accountOf(1).address;
const MALLORY = accountOf(3).address;

let liar: RpcProxy;
/** The true facts about each transaction. */
const truth = new Map<Hex, Observed>();

const anvil = await forAllTests(Anvil.start());
const usdc = await anvil.token("USDC", 6, [ALICE], 1_000_000n);
const tokenPaid = await anvil.call("TestToken", usdc, "transfer", [TREASURY, 250n], { from: 1 });
const coinPaid = await anvil.send(1, TREASURY, 250n, `0x${"ab".repeat(32)}`);
const reverted = await anvil.call("TestToken", usdc, "transfer", [TREASURY, 10n ** 30n], { from: 1 });
await anvil.mine(2);
const fresh = await anvil.send(1, TREASURY, 250n);
for (const hash of [tokenPaid, coinPaid, reverted, fresh]) {
  truth.set(hash, await evmOver(anvil.url, { usdc }).observe(hash));
}
beforeEach(() => {
  liar = new RpcProxy(anvil.url);
});
afterEach(() => liar[Symbol.asyncDispose]());

const METHODS = [
  "eth_getTransactionByHash",
  "eth_getTransactionReceipt",
  "eth_getBlockByNumber",
  "eth_blockNumber",
  "eth_chainId",
];
const strange = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    "",
    "0x",
    "0x0",
    "0x1",
    {},
    [],
    0,
    true,
    "0x2",
    `0x${"f".repeat(64)}`,
    TREASURY,
    MALLORY,
  ),
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((value) => `0x${value.toString(16)}`),
  fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`),
  fc.jsonValue(),
);
const change = changes(strange);

test("a changed response is detected or has no effect if two other servers are honest", async () => {
  const chain = evmOver([liar.url, anvil.url, `${anvil.url}/?second`], { usdc });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...truth),
      fc.constantFrom(...METHODS),
      change,
      async ([hash, seen], method, how) => {
        liar.faults.clear();
        liar.lie(method, (result) => mutate(result, how));
        expect(await chain.observe(hash)).toEqual(seen);
      },
    ),
    { numRuns: 250 },
  );
});

test("a changed response of one of two servers stops a reading or delays it, and invents and denies nothing", async () => {
  // The honest server answers later than the liar.
  await using near = new RpcProxy(anvil.url);
  await using far = new RpcProxy(near.url);
  const chain = evmOver([liar.url, far.url], { usdc });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...truth),
      fc.constantFrom(...METHODS),
      change,
      async ([hash, real], method, how) => {
        liar.faults.clear();
        liar.lie(method, (result) => mutate(result, how));
        expectNothingInvented(await chain.observe(hash).catch((error) => error.code), real);
      },
    ),
    { numRuns: 250 },
  );
});

test("a changed transaction is detected with that server alone, because its fields must have its hash", async () => {
  await fc.assert(
    fc.asyncProperty(change, async (how) => {
      liar.lie("eth_getTransactionByHash", (result) => mutate(result, how));
      const seen = await evmOver(liar.url, { usdc })
        .observe(coinPaid)
        .catch((error) => error.code);
      if (seen === "chain_unavailable" || seen.transfers.length === 0) return;
      expect(seen).toEqual(truth.get(coinPaid));
    }),
    { numRuns: 250 },
  );
});
