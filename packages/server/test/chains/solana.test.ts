import { describe, expect, test } from "bun:test";
import { address, generateKeyPairSigner } from "@solana/kit";
import { getCreateAccountInstruction } from "@solana-program/system";
import {
  AuthorityType,
  getApproveInstruction,
  getInitializeAccount3Instruction,
  getSetAuthorityInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from "@solana-program/token";
import type { Asset } from "../../src/chains/chain.ts";
import {
  DECIMALS,
  makeToken,
  mintTo,
  SOL,
  send,
  solanaOver,
  solTransfer,
  tokenAccount,
  tokenTransfer,
  wallet,
  withReferences,
} from "../support/chains/solana.ts";
import { hashOf } from "../support/chains/solana-cluster.ts";
import { SolanaShim } from "../support/chains/solana-shim.ts";
import { forAllTests } from "../support/for-all-tests.ts";

/** Real programs on litesvm, behind the JSON-RPC of a validator. */

const REFERENCE = hashOf("a reference");
const RENT = 2_039_280n;

const shim = await forAllTests(new SolanaShim());
const { cluster } = shim;
const [alice, bob] = [await wallet(cluster), await wallet(cluster)];
const mint = await makeToken(cluster, alice, [alice.address, bob.address], 1_000_000n);
const chain = await solanaOver(cluster, shim.url, { usdc: mint });
const [sol, usdc] = chain.assets as [Asset, Asset];
const treasury = address(chain.treasury ?? "");

/** Sends as Alice, waits until the transaction is final, and returns what the chain observes. */
async function paid(...parameters: Parameters<typeof send> extends [unknown, unknown, ...infer Rest] ? Rest : never) {
  const { signature } = await send(shim.cluster, alice, ...parameters);
  shim.cluster.finalize();
  return chain.observe(signature);
}

describe("a transaction on Solana", () => {
  test("moves SOL, through all commitments", async () => {
    const { signature } = await send(shim.cluster, alice, [solTransfer(alice, treasury, 2n * SOL)]);
    const { slot, time } = shim.cluster.head();
    const nothing = { isFinal: false, block: null, payer: null, transfers: [], references: [] };
    expect(await chain.observe(signature)).toEqual({ state: "pending", ...nothing });
    shim.cluster.advance();
    const seen = {
      payer: alice.address as string,
      block: { hash: String(slot), number: slot, time: time * 1000 },
      transfers: [{ asset: sol, sender: alice.address as string, recipient: treasury as string, amount: 2n * SOL }],
      references: [],
      data: expect.any(String),
    };
    expect(await chain.observe(signature)).toEqual({ state: "confirming", isFinal: false, ...seen });
    shim.cluster.advance(29);
    expect(await chain.observe(signature)).toMatchObject({ state: "confirming" });
    shim.cluster.advance();
    expect(await chain.observe(signature)).toEqual({ state: "final", isFinal: true, ...seen });
  });

  test("moves a token into an account created for it, and the rent is not a transfer", async () => {
    const seen = await paid(await tokenTransfer(alice, treasury, { mint, amount: 250n }));
    const transfer = { asset: usdc, sender: alice.address as string, recipient: treasury as string, amount: 250n };
    expect(seen).toMatchObject({ state: "final", payer: alice.address, references: [] });
    expect(seen.transfers).toEqual([transfer]);
    const again = await paid(await tokenTransfer(alice, treasury, { mint, amount: 7n }));
    expect(again.transfers).toEqual([{ ...transfer, amount: 7n }]);
  });

  test("can move both to several recipients, and sums two instructions to one recipient", async () => {
    const carol = (await generateKeyPairSigner()).address;
    const { transfers } = await paid([
      solTransfer(alice, treasury, 3n),
      solTransfer(alice, treasury, 4n),
      solTransfer(alice, carol, SOL),
      ...(await tokenTransfer(alice, treasury, { mint, amount: 5n })),
    ]);
    const from = { sender: alice.address as string };
    expect(transfers.toSorted((a, b) => Number(a.amount - b.amount))).toEqual([
      { asset: usdc, ...from, recipient: treasury, amount: 5n },
      { asset: sol, ...from, recipient: treasury, amount: 7n },
      { asset: sol, ...from, recipient: carol, amount: SOL },
    ]);
  });

  test("names the account that lost the value as sender, even if another account paid the fee", async () => {
    const { signature } = await send(shim.cluster, bob, [solTransfer(alice, treasury, SOL)]);
    shim.cluster.finalize();
    const { payer, transfers } = await chain.observe(signature);
    expect(payer).toBe(bob.address);
    expect(transfers).toEqual([{ asset: sol, sender: alice.address, recipient: treasury, amount: SOL }]);
  });

  test("is attributed to the owner of the token it moves", async () => {
    const source = await tokenAccount(alice.address, mint);
    await paid([getApproveInstruction({ source, delegate: bob.address, owner: alice, amount: 30n })]);
    const move = getTransferCheckedInstruction({
      source,
      mint,
      destination: await tokenAccount(treasury, mint),
      authority: bob,
      amount: 30n,
      decimals: DECIMALS,
    });
    const { signature } = await send(shim.cluster, bob, [move]);
    shim.cluster.finalize();
    const { payer, transfers } = await chain.observe(signature);
    expect(payer).toBe(bob.address);
    expect(transfers).toEqual([{ asset: usdc, sender: alice.address, recipient: treasury, amount: 30n }]);
  });

  test("moves nothing if it fails, and that becomes final", async () => {
    const { signature } = await send(shim.cluster, alice, [solTransfer(alice, treasury, 10_000n * SOL)], {
      skipPreflight: true,
    });
    shim.cluster.advance();
    expect(await chain.observe(signature)).toMatchObject({ state: "failed", isFinal: false, transfers: [] });
    shim.cluster.finalize();
    expect(await chain.observe(signature)).toMatchObject({
      state: "failed",
      isFinal: true,
      transfers: [],
      references: [],
      payer: alice.address,
    });
  });

  test("moves nothing with amounts of 0 or to the sender itself", async () => {
    expect((await paid([solTransfer(alice, treasury, 0n)])).transfers).toEqual([]);
    expect((await paid([solTransfer(alice, alice.address, SOL)])).transfers).toEqual([]);
    expect((await paid(await tokenTransfer(alice, treasury, { mint, amount: 0n }))).transfers).toEqual([]);
  });

  test("can move amounts that no JavaScript number holds exactly", async () => {
    const amount = 9_007_199_254_740_993n; // 2^53 + 1
    const whale = await wallet(shim.cluster, 20_000_000n);
    const { signature } = await send(shim.cluster, whale, [solTransfer(whale, treasury, amount)]);
    shim.cluster.finalize();
    expect((await chain.observe(signature)).transfers).toMatchObject([{ amount }]);
    expect(await chain.balance(sol, treasury)).toBe(shim.cluster.svm.getBalance(treasury) ?? 0n);
    const rich = await makeToken(shim.cluster, alice, [alice.address], 2n ** 64n - 1n);
    const sent = await send(
      shim.cluster,
      alice,
      await tokenTransfer(alice, treasury, { mint: rich, amount: 2n ** 64n - 1n }),
    );
    shim.cluster.finalize();
    const over = await solanaOver(shim.cluster, shim.url, { usdc: rich });
    expect((await over.observe(sent.signature)).transfers).toMatchObject([{ amount: 2n ** 64n - 1n }]);
  });
});

describe("a misleading token", () => {
  test("counts for nothing if it is not allowed", async () => {
    const fake = await makeToken(shim.cluster, alice, [alice.address], 1_000n);
    const seen = await paid(await tokenTransfer(alice, treasury, { mint: fake, amount: 1_000n }));
    expect(seen).toMatchObject({ state: "final", transfers: [] });
  });

  test("counts for nothing if it was minted for us, because nobody paid it", async () => {
    const signature = await mintTo(shim.cluster, alice, { mint, owner: treasury, amount: 500n });
    shim.cluster.finalize();
    expect(await chain.observe(signature)).toMatchObject({ state: "final", transfers: [] });
  });

  test("in an unusual account that was given to us counts for nothing, because we would never find it", async () => {
    const odd = await generateKeyPairSigner();
    const space = 165;
    await paid([
      getCreateAccountInstruction({
        payer: alice,
        newAccount: odd,
        lamports: RENT,
        space,
        programAddress: TOKEN_PROGRAM_ADDRESS,
      }),
      getInitializeAccount3Instruction({ account: odd.address, mint, owner: alice.address }),
      getTransferCheckedInstruction({
        source: await tokenAccount(alice.address, mint),
        mint,
        destination: odd.address,
        authority: alice,
        amount: 900n,
        decimals: DECIMALS,
      }),
    ]);
    const gift = getSetAuthorityInstruction({
      owned: odd.address,
      owner: alice,
      authorityType: AuthorityType.AccountOwner,
      newAuthority: treasury,
    });
    expect(await paid([gift])).toMatchObject({ state: "final", transfers: [] });
  });
});

describe("a reference", () => {
  test("is an account that is only named, beside SOL and beside a token", async () => {
    const plain = await paid([withReferences(solTransfer(alice, treasury, 5n), [REFERENCE])]);
    expect(plain).toMatchObject({ references: [REFERENCE], transfers: [{ amount: 5n }] });
    const [make, move] = await tokenTransfer(alice, treasury, { mint, amount: 6n });
    if (make === undefined || move === undefined) throw new Error("A transfer has two instructions.");
    const other = hashOf("another");
    const token = await paid([withReferences(move, [REFERENCE, other])]);
    expect(token.references.toSorted()).toEqual([REFERENCE, other].toSorted());
    expect(token.transfers).toMatchObject([{ amount: 6n }]);
    // When the account is created, its owner is only named, too.
    expect((await paid([make, withReferences(move, [REFERENCE])])).references).toEqual([REFERENCE]);
  });

  test("is missing if the transaction failed", async () => {
    const failing = withReferences(solTransfer(alice, treasury, 10_000n * SOL), [REFERENCE]);
    expect(await paid([failing], { skipPreflight: true })).toMatchObject({ state: "failed", references: [] });
  });

  test("consists of 32 random bytes", () => {
    expect(chain.reference(new Uint8Array(32))).toBe("1".repeat(32));
    const made = chain.reference(crypto.getRandomValues(new Uint8Array(32)));
    expect(chain.normalAddress(made)).toBe(made);
  });
});

describe("a transaction that is not on the chain", () => {
  test("is unknown if nobody has its signature", async () => {
    const { signature } = await send(shim.cluster, alice, [solTransfer(alice, treasury, 1n)], { hold: true });
    const nothing = { isFinal: false, block: null, payer: null, transfers: [], references: [] };
    expect(await chain.observe(signature)).toEqual({ state: "unknown", ...nothing });
  });

  test("is dropped by a fork and can be included again", async () => {
    const { signature, bytes } = await send(shim.cluster, alice, [solTransfer(alice, treasury, 77n)]);
    expect((await chain.observe(signature)).state).toBe("pending");
    shim.cluster.dropNewest();
    expect((await chain.observe(signature)).state).toBe("unknown");
    shim.cluster.advance(3);
    shim.cluster.send(bytes);
    const { slot } = shim.cluster.head();
    shim.cluster.finalize();
    expect(await chain.observe(signature)).toMatchObject({ state: "final", block: { number: slot } });
  });
});

test("an address and a signature each have one spelling", async () => {
  const { signature } = await send(shim.cluster, alice, [solTransfer(alice, treasury, 9n)]);
  expect(chain.normalHash(signature)).toBe(signature);
  expect(chain.normalAddress(alice.address)).toBe(alice.address);
  for (const text of ["", "0x", signature, `${alice.address} `, treasury.slice(2), "O".repeat(44), "z".repeat(44)]) {
    expect(chain.isAddress(text)).toBe(false);
  }
  for (const text of ["", alice.address, `${signature}${signature}`, "I".repeat(88), "z".repeat(88)]) {
    expect(chain.normalHash(text)).toBeNull();
  }
});

test("returns balances of SOL and of tokens, and none for missing accounts", async () => {
  const poor = (await generateKeyPairSigner()).address;
  expect(await chain.balance(sol, bob.address)).toBe(shim.cluster.svm.getBalance(bob.address) ?? 0n);
  expect(await chain.balance(usdc, bob.address)).toBe(1_000_000n);
  expect(await chain.balance(sol, poor)).toBe(0n);
  expect(await chain.balance(usdc, poor)).toBe(0n);
  expect(await chain.balance({ ...usdc, tokenAddress: poor }, bob.address)).toBe(0n);
});

test("estimates a payout's cost at today's price, and never pays for a token account", async () => {
  expect(await chain.estimateTransferFee(sol)).toBe(5_001n);
  expect(await chain.estimateTransferFee(usdc)).toBe(5_015n);
  expect([chain.worstTransferFee(sol), chain.worstTransferFee(usdc)]).toEqual([6_000n, 20_000n]);
  shim.cluster.prices = [0n, 500_000n, 500_000n, 900_000_000_000n];
  expect(await chain.estimateTransferFee(sol)).toBe(6_000n); // at most a whole lamport for a unit
  shim.cluster.prices = [1n, 1n, 1n, 500_000n];
  expect(await chain.estimateTransferFee(sol)).toBe(5_500n);
  shim.cluster.prices = [];
});
