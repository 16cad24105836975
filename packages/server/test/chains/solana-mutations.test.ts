import { afterEach, beforeEach, expect, test } from "bun:test";
import { address } from "@solana/kit";
import fc from "fast-check";
import type { Observed } from "../../src/chains/chain.ts";
import { expectNothingInvented } from "../support/chains/observed.ts";
import { RpcProxy } from "../support/chains/rpc-proxy.ts";
import {
  makeToken,
  SOL,
  send,
  solanaOver,
  solTransfer,
  tokenTransfer,
  wallet,
  withReferences,
} from "../support/chains/solana.ts";
import { hashOf } from "../support/chains/solana-cluster.ts";
import { SolanaShim } from "../support/chains/solana-shim.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { changes, mutate } from "../support/fuzz/mutate.ts";

/** Arbitrary changes to one server's responses (guarantees P16), alone and beside honest servers. */

let liar: RpcProxy;
/** The true facts about each transaction. */
const truth = new Map<string, Observed>();

const shim = await forAllTests(new SolanaShim());
const { cluster } = shim;
const [alice, bob] = [await wallet(cluster), await wallet(cluster)];
const mint = await makeToken(cluster, alice, [alice.address], 1_000_000n);
const treasury = address((await solanaOver(cluster, shim.url)).treasury ?? "");
const coin = [withReferences(solTransfer(alice, treasury, 2n * SOL), [hashOf("a reference")])];
const token = await tokenTransfer(alice, treasury, { mint, amount: 250n });
/** A token that is not allowed. */
const fake = await makeToken(cluster, alice, [alice.address], 1_000n);
const kinds = [
  await send(cluster, alice, coin),
  await send(cluster, alice, token),
  await send(cluster, bob, [...coin, ...token]),
  await send(cluster, alice, await tokenTransfer(alice, treasury, { mint: fake, amount: 1_000n })),
  await send(cluster, alice, [solTransfer(alice, treasury, 10_000n * SOL)], { skipPreflight: true }),
];
cluster.finalize();
kinds.push(await send(cluster, alice, [solTransfer(alice, treasury, 3n * SOL)]));
cluster.advance();
const honest = await solanaOver(cluster, shim.url, { usdc: mint });
for (const { signature } of kinds) truth.set(signature, await honest.observe(signature));
beforeEach(() => {
  liar = new RpcProxy(shim.url);
});
afterEach(() => liar[Symbol.asyncDispose]());

const METHODS = ["getTransaction", "getSignatureStatuses", "getGenesisHash"];
const strange = fc.oneof(
  fc.constantFrom<unknown>(null, "", "0", "1", {}, [], 0, 1, true, -1, 1.5, "finalized", "processed", hashOf("x")),
  fc.maxSafeNat(),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
  fc.constant(null).map(() => treasury),
  fc.constant(null).map(() => alice.address),
  fc.constant(null).map(() => mint),
  fc.jsonValue(),
);
const change = changes(strange);

test("the unchanged responses give the facts that the tests expect", () => {
  const told = [...truth.values()].map(({ state, transfers }) => `${state} ${transfers.length}`);
  expect(told).toEqual(["final 1", "final 1", "final 2", "final 0", "failed 0", "confirming 1"]);
});

test("a changed response is detected or has no effect if two other servers are honest", async () => {
  const chain = await solanaOver(shim.cluster, [liar.url, shim.url, `${shim.url}/?second`], { usdc: mint });
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
    { numRuns: 300 },
  );
});

test("a changed response of one of two servers stops a reading or delays it, and invents and denies nothing", async () => {
  // The honest server answers later than the liar.
  await using near = new RpcProxy(shim.url);
  await using far = new RpcProxy(near.url);
  const chain = await solanaOver(shim.cluster, [liar.url, far.url], { usdc: mint });
  const [paid, real] = [...truth].find(([, { state }]) => state === "final") ?? [];
  if (paid === undefined || real === undefined) throw new Error("nothing is final");
  const err = { InstructionError: [0, { Custom: 1 }] };
  liar.lie("getTransaction", (found) => {
    const { meta, ...rest } = found as { meta: object };
    return { ...rest, meta: { ...meta, err, status: { Err: err } } };
  });
  liar.lie("getSignatureStatuses", (found) => {
    const { value, ...rest } = found as { value: (object | null)[] };
    return { ...rest, value: value.map((status) => status && { ...status, err, status: { Err: err } }) };
  });
  expectNothingInvented(await chain.observe(paid).catch((error) => error.code), real);
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
    { numRuns: 300 },
  );
});

test("a transaction changed by a single server is never worth more to us or credited to another payer", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...truth), change, async ([hash, real], how) => {
      liar.lie("getTransaction", (result) => mutate(result, how));
      const chain = await solanaOver(shim.cluster, liar.url, { usdc: mint });
      const seen = await chain.observe(hash).catch((error) => error.code);
      if (seen === "chain_unavailable" || seen.transfers.length === 0) return;
      expect(seen).toMatchObject({ state: real.state, payer: real.payer });
      // Without the balances, a token and its owner cannot be distinguished from references; challenges are never
      // identified by those.
      expect([...real.references, mint, fake, treasury]).toEqual(expect.arrayContaining([...seen.references]));
      for (const { asset, recipient, amount } of seen.transfers) {
        if (recipient !== treasury) continue;
        const same = real.transfers.find((one) => one.asset.currency === asset.currency && one.recipient === treasury);
        expect(amount <= (same?.amount ?? 0n)).toBe(true);
      }
    }),
    { numRuns: 1_000 },
  );
});

test("changed signed bytes are refused from a single server, because they must have the signature", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...truth),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      async ([hash], at, bits) => {
        liar.lie("getTransaction", (result) => {
          const answer = result as { transaction: [string, string] };
          const bytes = Buffer.from(answer.transaction[0], "base64");
          bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ bits;
          return { ...answer, transaction: [bytes.toString("base64"), "base64"] };
        });
        const chain = await solanaOver(shim.cluster, liar.url, { usdc: mint });
        expect(await chain.observe(hash).catch((error) => error.code)).toBe("chain_unavailable");
      },
    ),
    { numRuns: 300 },
  );
});
