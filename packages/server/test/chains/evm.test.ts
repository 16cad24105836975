import { describe, expect, test } from "bun:test";
import { type Address, concat, encodeFunctionData, type Hex, keccak256 } from "viem";
import type { Asset } from "../../src/chains/chain.ts";
import { ANVIL_CHAIN_ID, Anvil, accountOf } from "../support/chains/anvil.ts";
import { contracts } from "../support/chains/contracts.ts";
import { evmOver } from "../support/chains/evm.ts";
import { forAllTests } from "../support/for-all-tests.ts";

/** Real transactions on a real chain. Confirmations are 3. */

const TREASURY = accountOf(0).address;
const ALICE = accountOf(1).address;
const BOB = accountOf(2).address;
const REFERENCE: Hex = `0x${"c0ffee00".repeat(8)}`;

const anvil = await forAllTests(Anvil.start());
const usdc = await anvil.token("USDC", 6, [ALICE, BOB, TREASURY], 1_000_000n);
const chain = evmOver(anvil.url, { usdc });
const [eth, token] = chain.assets as [Asset, Asset];

const transferData = (to: Address, amount: bigint): Hex =>
  encodeFunctionData({ abi: contracts().TestToken.abi, functionName: "transfer", args: [to, amount] });

describe("a transaction on an EVM chain", () => {
  test("moves the native coin by its own value", async () => {
    const hash = await anvil.send(1, TREASURY, 7n * 10n ** 18n);
    const { blockHash, blockNumber } = await anvil.included(hash);
    const { timestamp } = await anvil.client.getBlock({ blockHash });
    const block = { hash: blockHash, number: Number(blockNumber), time: Number(timestamp) * 1000 };
    const transfers = [{ asset: eth, sender: ALICE, recipient: TREASURY, amount: 7n * 10n ** 18n }];
    const seen = { payer: ALICE, block, transfers, references: [], data: "" };
    expect(await chain.observe(hash)).toEqual({ state: "confirming", isFinal: false, ...seen });
    await anvil.mine();
    expect(await chain.observe(hash)).toMatchObject({ state: "confirming" });
    await anvil.mine();
    expect(await chain.observe(hash)).toEqual({ state: "final", isFinal: true, ...seen });
  });

  test("moves a token by the token's log, though it carries no value itself", async () => {
    const hash = await anvil.call("TestToken", usdc, "transfer", [TREASURY, 250n], { from: 1 });
    expect(await chain.observe(hash)).toMatchObject({
      state: "confirming",
      payer: ALICE,
      transfers: [{ asset: token, sender: ALICE, recipient: TREASURY, amount: 250n }],
      references: [],
    });
  });

  test("is attributed to the owner of the token it moves, while the sender pays the gas", async () => {
    const passer = await anvil.deploy("Passer");
    await anvil.call("TestToken", usdc, "approve", [passer, 500n], { from: 1 });
    const hash = await anvil.call("Passer", passer, "passToken", [usdc, TREASURY, 30n], { from: 1 });
    const { transfers, payer } = await chain.observe(hash);
    expect(transfers).toEqual([{ asset: token, sender: ALICE, recipient: TREASURY, amount: 30n }]);
    expect(payer).toBe(ALICE);
  });

  test("counts only as a transfer to the contract if the contract passes on native coin", async () => {
    const passer = await anvil.deploy("Passer");
    const hash = await anvil.call("Passer", passer, "pass", [TREASURY], { from: 1, value: 40n });
    expect((await chain.observe(hash)).transfers).toEqual([
      { asset: eth, sender: ALICE, recipient: passer, amount: 40n },
    ]);
  });

  test("moves nothing if it is reverted, and that becomes final", async () => {
    const hash = await anvil.call("TestToken", usdc, "transfer", [TREASURY, 10n ** 30n], { from: 1 });
    expect(await chain.observe(hash)).toMatchObject({ state: "failed", isFinal: false, transfers: [], references: [] });
    await anvil.mine(2);
    expect(await chain.observe(hash)).toMatchObject({ state: "failed", isFinal: true, transfers: [], payer: ALICE });
  });

  test("does not move its value if it is reverted", async () => {
    const refuser = await anvil.deploy("Refuser");
    const hash = await anvil.send(1, refuser, 5n);
    await anvil.included(hash);
    expect(await chain.observe(hash)).toMatchObject({ state: "failed", transfers: [] });
  });

  test("moves nothing with amounts of 0 or when it creates a contract", async () => {
    expect((await chain.observe(await anvil.send(1, TREASURY, 0n))).transfers).toEqual([]);
    const zero = await anvil.call("TestToken", usdc, "transfer", [TREASURY, 0n], { from: 1 });
    expect((await chain.observe(zero)).transfers).toEqual([]);
    const { abi, bytecode } = contracts().Passer;
    const created = await anvil.client.deployContract({ abi, bytecode, account: accountOf(1) });
    await anvil.included(created);
    expect(await chain.observe(created)).toMatchObject({ state: "confirming", transfers: [] });
  });

  test("can move the largest possible amount", async () => {
    const whale = await anvil.token("WHALE", 18, [ALICE], 2n ** 256n - 1n);
    const hash = await anvil.call("TestToken", whale, "transfer", [TREASURY, 2n ** 256n - 1n], { from: 1 });
    const over = evmOver(anvil.url, { usdc: whale });
    expect((await over.observe(hash)).transfers).toMatchObject([{ amount: 2n ** 256n - 1n }]);
  });
});

describe("a misleading token", () => {
  test("counts for nothing if it is not allowed, whatever its symbol", async () => {
    const fake = await anvil.token("USDC", 6, [ALICE], 1_000n);
    const hash = await anvil.call("TestToken", fake, "transfer", [TREASURY, 1_000n], { from: 1 });
    expect(await chain.observe(hash)).toMatchObject({ state: "confirming", transfers: [] });
  });

  test("counts for nothing if it only claims a transfer in a log", async () => {
    const liar = await anvil.deploy("Liar");
    const hash = await anvil.call("Liar", liar, "transfer", [TREASURY, 1_000n], { from: 1 });
    expect((await anvil.included(hash)).logs).toHaveLength(1);
    expect(await chain.observe(hash)).toMatchObject({ state: "confirming", transfers: [] });
  });

  test("moves nothing if it returns false, although the transaction succeeds", async () => {
    const mute = await anvil.deploy("FalseToken", ["MUTE", 6]);
    const hash = await anvil.call("FalseToken", mute, "transfer", [TREASURY, 1_000n], { from: 1 });
    const over = evmOver(anvil.url, { usdc: mute });
    expect(await over.observe(hash)).toMatchObject({ state: "confirming", transfers: [] });
  });

  test("counts with exactly the amount that arrives if it keeps a fee", async () => {
    const taker = await anvil.deploy("FeeToken", ["FEE", 6]);
    await anvil.call("FeeToken", taker, "mint", [ALICE, 1_000n]);
    const hash = await anvil.call("FeeToken", taker, "transfer", [TREASURY, 1_000n], { from: 1 });
    const { transfers } = await evmOver(anvil.url, { usdc: taker }).observe(hash);
    expect(transfers.filter(({ recipient }) => recipient === TREASURY)).toMatchObject([
      { sender: ALICE, amount: 900n },
    ]);
  });
});

describe("a reference", () => {
  test("is the data of a plain transfer", async () => {
    const hash = await anvil.send(1, TREASURY, 5n, REFERENCE);
    expect((await chain.observe(hash)).references).toEqual([REFERENCE]);
  });

  test("follows the call of a token, and a wallet's own suffix may follow it", async () => {
    for (const data of [
      concat([transferData(TREASURY, 5n), REFERENCE]),
      concat([transferData(TREASURY, 5n), REFERENCE, "0x01"]),
    ]) {
      const hash = await anvil.send(1, usdc, 0n, data);
      const { references, transfers } = await chain.observe(hash);
      expect(references).toEqual([REFERENCE]);
      expect(transfers).toMatchObject([{ amount: 5n, recipient: TREASURY }]);
    }
  });

  test("is missing if it is too short or the transaction was reverted", async () => {
    const short = await anvil.send(1, TREASURY, 5n, "0xc0ffee");
    expect((await chain.observe(short)).references).toEqual([]);
    const reverted = await anvil.send(1, usdc, 0n, concat([transferData(TREASURY, 10n ** 30n), REFERENCE]));
    expect(await chain.observe(reverted)).toMatchObject({ state: "failed", references: [] });
  });

  test("consists of 32 random bytes", () => {
    expect(chain.reference(new Uint8Array(32).fill(0xab))).toBe(`0x${"ab".repeat(32)}`);
  });
});

describe("a transaction that is not on the chain", () => {
  test("is unknown if nobody has its hash", async () => {
    const nothing = { isFinal: false, block: null, payer: null, transfers: [], references: [] };
    expect(await chain.observe(`0x${"1".repeat(64)}`)).toEqual({ state: "unknown", ...nothing });
  });

  test("is pending and counts for nothing while it waits", async () => {
    await using slow = await Anvil.start({ automine: false });
    const over = evmOver(slow.url);
    const hash = await slow.send(1, TREASURY, 5n);
    expect(await over.observe(hash)).toMatchObject({ state: "pending", block: null, transfers: [] });
    await slow.mine();
    expect(await over.observe(hash)).toMatchObject({ state: "confirming", transfers: [{ amount: 5n }] });
  });

  test("disappears in a reorganisation and can return in another block", async () => {
    await using forking = await Anvil.start();
    const over = evmOver(forking.url);
    const signed = await accountOf(1).signTransaction({
      chainId: ANVIL_CHAIN_ID,
      type: "eip1559",
      nonce: 0,
      to: TREASURY,
      value: 5n,
      gas: 21_000n,
      maxFeePerGas: 5n * 10n ** 9n,
      maxPriorityFeePerGas: 10n ** 9n,
    });
    await forking.client.sendRawTransaction({ serializedTransaction: signed });
    const hash = keccak256(signed);
    await forking.included(hash);
    const before = await over.observe(hash);
    expect(before.state).toBe("confirming");
    await forking.mine();
    await forking.reorganise(2);
    expect((await over.observe(hash)).state).toBeOneOf(["unknown", "pending"]);
    await forking.reorganise(1, [[signed, 0]]);
    await forking.mine(3);
    const after = await over.observe(hash);
    expect(after).toMatchObject({ state: "final", transfers: [{ amount: 5n }] });
    expect(after.block?.hash).not.toBe(before.block?.hash);
  });

  test("waits for the chain's own `finalized` block", async () => {
    await using settled = await Anvil.start({ slots: 2 });
    const over = evmOver(settled.url, { settings: { evmConfirmations: "finalized" } });
    const hash = await settled.send(1, TREASURY, 5n);
    await settled.mine(3);
    expect(await over.observe(hash)).toMatchObject({ state: "confirming", isFinal: false });
    await settled.mine();
    expect(await over.observe(hash)).toMatchObject({ state: "final", isFinal: true });
  });
});

describe("normalization", () => {
  test("gives an address one spelling and refuses a wrong checksum", () => {
    expect(chain.normalAddress(ALICE.toLowerCase())).toBe(ALICE);
    expect(chain.normalAddress(`0x${ALICE.slice(2).toUpperCase()}`)).toBe(ALICE);
    const broken = `0x${ALICE.slice(2, -1)}${ALICE.endsWith("C") ? "c" : "C"}`;
    for (const text of [broken, ALICE.slice(2), "", "0x", `${ALICE} `, ALICE.replace("0x", "0X")]) {
      expect(chain.isAddress(text)).toBe(false);
    }
  });

  test("gives a hash one spelling", () => {
    expect(chain.normalHash(`0x${"AB".repeat(32)}`)).toBe(`0x${"ab".repeat(32)}`);
    for (const text of ["", "0x", "ab".repeat(32), `0x${"ab".repeat(33)}`, `0x${"zz".repeat(32)}`]) {
      expect(chain.normalHash(text)).toBeNull();
    }
  });
});

test("returns balances of the coin and of tokens, and none for a missing token", async () => {
  expect(await chain.balance(eth, accountOf(8).address)).toBe(10_000n * 10n ** 18n);
  expect(await chain.balance(token, BOB)).toBe(1_000_000n);
  expect(await chain.balance({ ...token, tokenAddress: accountOf(7).address }, BOB)).toBe(0n);
});

test("estimates the gas of a payout at today's price and at the highest price the settings allow", async () => {
  const gasPrice = await anvil.client.getGasPrice();
  for (const asset of [eth, token]) {
    expect(await chain.estimateTransferFee(asset)).toBe(100_000n * gasPrice);
    expect(chain.worstTransferFee(asset)).toBe(100_000n * 10n * 10n ** 9n);
  }
});
