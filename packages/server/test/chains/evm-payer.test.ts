import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Address, type Hex, parseTransaction } from "viem";
import type { Asset, Chain, Payer, RefusalReason } from "../../src/chains/chain.ts";
import { Anvil, accountOf } from "../support/chains/anvil.ts";
import { evmOver } from "../support/chains/evm.ts";
import { RpcProxy } from "../support/chains/rpc-proxy.ts";

/** The treasury pays real transactions on a chain that mines on request. Confirmations are 3. */

// The first test may have to wait until the contracts are compiled.

const TREASURY = accountOf(0).address;
const BOB = accountOf(2).address;
const GWEI = 10n ** 9n;

let anvil: Anvil;
let usdc: Address;
let chain: Chain;
let payer: Payer;
let eth: Asset;
let token: Asset;

beforeEach(async () => {
  anvil = await Anvil.start();
  usdc = await anvil.token("USDC", 6, [TREASURY], 1_000n);
  await anvil.client.setAutomine(false);
  use(evmOver(anvil.url, { usdc }));
});
afterEach(() => anvil[Symbol.asyncDispose]());

function use(over: Chain): void {
  chain = over;
  if (chain.payer === null) throw new Error("There is no payer.");
  payer = chain.payer;
  [eth, token] = chain.assets as [Asset, Asset];
}

const pay = async (asset: Asset, amount: bigint, more: { to?: string; nonce?: bigint; feeMax?: bigint } = {}) =>
  payer.sign({ asset, to: BOB, amount, nonce: (await payer.nextNonce()) ?? 0n, ...more });

const refusal = (act: Promise<unknown>): Promise<RefusalReason | "none"> =>
  act.then(
    () => "none",
    (error) => error.reason ?? error,
  );

test("a payout in the native coin is signed, sent, included and final", async () => {
  expect(payer.address).toBe(TREASURY);
  expect(chain.treasury).toBe(TREASURY);
  const before = await chain.balance(eth, BOB);
  const signed = await pay(eth, 500n);
  expect(signed).toMatchObject({ nonce: 0n, validUntil: null });
  expect(await payer.outcome(signed)).toEqual({ state: "unknown", isFinal: false, block: null, feePaid: null });
  await payer.broadcast(signed);
  expect(await payer.outcome(signed)).toMatchObject({ state: "pending", feePaid: null });
  await anvil.mine();
  const { gasUsed, effectiveGasPrice, blockHash } = await anvil.included(signed.hash as Hex);
  const paid = gasUsed * effectiveGasPrice;
  expect(await payer.outcome(signed)).toMatchObject({ state: "confirming", feePaid: paid, block: { hash: blockHash } });
  expect(paid).toBeLessThanOrEqual(signed.fee);
  await anvil.mine(2);
  expect(await payer.outcome(signed)).toMatchObject({ state: "final", isFinal: true });
  expect((await chain.balance(eth, BOB)) - before).toBe(500n);
  expect(await payer.nextNonce()).toBe(1n);
});

test("a token transfer that succeeds in simulation but moves nothing in the block is a failure, whatever the receipt says", async () => {
  await anvil.client.setAutomine(true);
  const mute = await anvil.deploy("FalseToken", ["MUTE", 6]);
  await anvil.client.setAutomine(false);
  const signed = await pay(token, 300n);
  const bytecode = (await anvil.client.getCode({ address: mute })) ?? "0x";
  await anvil.client.setCode({ address: usdc, bytecode });
  await payer.broadcast(signed);
  await anvil.mine(3);
  expect(await chain.balance(token, BOB)).toBe(0n);
  const { status, gasUsed, effectiveGasPrice } = await anvil.included(signed.hash as Hex);
  expect(status).toBe("success");
  const feePaid = gasUsed * effectiveGasPrice;
  expect(await payer.outcome(signed)).toMatchObject({ state: "failed", isFinal: true, feePaid });
});

test("a payout in a token is signed, sent, included and final", async () => {
  const signed = await pay(token, 300n);
  await payer.broadcast(signed);
  await anvil.mine(3);
  expect(await payer.outcome(signed)).toMatchObject({ state: "final" });
  expect(await chain.balance(token, BOB)).toBe(300n);
  const { transfers, payer: gasPayer } = await chain.observe(signed.hash);
  expect(transfers).toEqual([{ asset: token, sender: TREASURY, recipient: BOB, amount: 300n }]);
  expect(gasPayer).toBe(TREASURY);
});

describe("sending the same bytes again", () => {
  test("is no error while they wait or long after they were included, and pays once", async () => {
    const signed = await pay(token, 10n);
    await payer.broadcast(signed);
    await payer.broadcast(signed);
    await anvil.mine();
    await payer.broadcast(signed);
    await anvil.mine(3);
    await payer.broadcast(signed);
    await anvil.mine();
    expect(await chain.balance(token, BOB)).toBe(10n);
  });

  test("is an error if another transaction has taken the nonce", async () => {
    const one = await pay(token, 10n);
    const other = await pay(token, 20n);
    expect(one.nonce).toBe(other.nonce);
    await payer.broadcast(one);
    await anvil.mine();
    expect(await refusal(payer.broadcast(other))).toBe("nonce_used");
    // Only when the other transaction is final can this one never be included.
    expect(await payer.outcome(other)).toMatchObject({ state: "unknown", isFinal: false });
    await anvil.mine(2);
    expect(await payer.outcome(other)).toEqual({ state: "expired", isFinal: true, block: null, feePaid: null });
    expect(await payer.outcome(one)).toMatchObject({ state: "final" });
  });
});

describe("raising the fee of a payout", () => {
  test("replaces the waiting transaction: same nonce, recipient and amount, both fees an eighth higher", async () => {
    const first = await pay(token, 10n);
    await payer.broadcast(first);
    const second = await payer.replaceByFee(first);
    const [old, bumped] = [parseTransaction(first.bytes as Hex), parseTransaction(second.bytes as Hex)];
    expect(bumped).toMatchObject({ to: old.to, data: old.data, nonce: old.nonce, gas: old.gas } as object);
    for (const fee of ["maxFeePerGas", "maxPriorityFeePerGas"] as const) {
      expect((bumped[fee] ?? 0n) * 8n).toBeGreaterThanOrEqual((old[fee] ?? 0n) * 9n);
    }
    await payer.broadcast(second);
    await anvil.mine(3);
    expect(await payer.outcome(second)).toMatchObject({ state: "final" });
    expect(await payer.outcome(first)).toMatchObject({ state: "expired" });
    expect(await chain.balance(token, BOB)).toBe(10n);
  });

  test("gets a transaction that is stuck below the base fee into a block", async () => {
    const stuck = await pay(eth, 10n);
    await payer.broadcast(stuck);
    await anvil.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 5n * GWEI });
    await anvil.mine();
    // Some nodes keep it and anvil drops it; in both cases its nonce is still free.
    expect((await payer.outcome(stuck)).state).toBeOneOf(["pending", "unknown"]);
    const bumped = await payer.replaceByFee(stuck);
    await payer.broadcast(bumped);
    await anvil.mine(3);
    expect(await payer.outcome(bumped)).toMatchObject({ state: "final" });
  });

  test("stops at the limit", async () => {
    const first = await pay(eth, 10n);
    expect(await refusal(payer.replaceByFee(first, { feeMax: first.fee }))).toBe("fee_above_limit");
    const second = await payer.replaceByFee(first, { feeMax: first.fee * 2n });
    expect(second.fee).toBeLessThanOrEqual(first.fee * 2n);
    expect(second.nonce).toBe(first.nonce);
  });

  test("by too little is refused by the servers", async () => {
    const first = await pay(eth, 10n);
    await payer.broadcast(first);
    const other = await pay(eth, 11n, { nonce: first.nonce ?? 0n });
    expect(await refusal(payer.broadcast(other))).toBe("underpriced");
  });
});

describe("a payout is refused before it is signed", () => {
  test("if it exceeds the balance of the coin or the token", async () => {
    expect(await refusal(pay(eth, 10n ** 30n))).toBe("insufficient_funds");
    expect(await refusal(pay(token, 1_001n))).toBe("insufficient_funds");
  });

  test("if the recipient accepts nothing", async () => {
    await anvil.client.setAutomine(true);
    const refuser = await anvil.deploy("Refuser");
    expect(await refusal(pay(eth, 5n, { to: refuser }))).toBe("would_fail");
  });

  test("if the recipient burns more gas than a payout may use", async () => {
    await anvil.client.setAutomine(true);
    const burner = await anvil.deploy("Burner", [330_000n, 330_000n]);
    expect(await refusal(pay(eth, 5n, { to: burner }))).toBe("would_fail");
  });

  test("if the token returns false", async () => {
    await anvil.client.setAutomine(true);
    const mute = await anvil.deploy("FalseToken", ["MUTE", 6]);
    await anvil.call("FalseToken", mute, "mint", [TREASURY, 100n]);
    use(evmOver(anvil.url, { usdc: mute }));
    expect(await refusal(pay(token, 5n))).toBe("would_fail");
  });

  test("if the gas price exceeds the limit of the setting or the caller", async () => {
    expect(await refusal(pay(eth, 5n, { feeMax: 21_000n }))).toBe("fee_above_limit");
    await anvil.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 11n * GWEI });
    await anvil.mine();
    expect(await refusal(pay(eth, 5n))).toBe("fee_above_limit");
  });
});

test("a recipient that burns more gas than in the estimate costs at most the worst case that shares allow for", async () => {
  await anvil.client.setAutomine(true);
  const burner = await anvil.deploy("Burner", [60_000n, 330_000n]);
  const signed = await pay(eth, 5n, { to: burner });
  expect(parseTransaction(signed.bytes as Hex).gas).toBeLessThanOrEqual(100_000n);
  expect(signed.fee).toBeLessThanOrEqual(chain.worstTransferFee(eth));
  const before = await chain.balance(eth, TREASURY);
  await payer.broadcast(signed);
  await anvil.included(signed.hash as Hex);
  await anvil.mine(2);
  expect(await payer.outcome(signed)).toMatchObject({ state: "failed", isFinal: true });
  expect(before - (await chain.balance(eth, TREASURY))).toBeLessThanOrEqual(chain.worstTransferFee(eth));
});

describe("with three servers", () => {
  let liar: RpcProxy;
  let honest: RpcProxy;
  beforeEach(() => {
    [liar, honest] = [new RpcProxy(anvil.url), new RpcProxy(anvil.url)];
    use(evmOver([liar.url, honest.url, anvil.url], { usdc }));
  });
  afterEach(async () => {
    await liar[Symbol.asyncDispose]();
    await honest[Symbol.asyncDispose]();
  });

  test("one cannot raise the price, change the nonce or hold back a transfer", async () => {
    const fair = await pay(eth, 5n);
    const word = (value: bigint) => () => `0x${value.toString(16)}`;
    liar.lie("eth_gasPrice", word(10n ** 18n));
    liar.lie("eth_getBlockByNumber", (block) => ({ ...(block as object), baseFeePerGas: word(10n ** 18n)() }));
    liar.lie("eth_estimateGas", word(299_999n));
    liar.lie("eth_getTransactionCount", word(77n));
    liar.lie("eth_sendRawTransaction", () => `0x${"0".repeat(64)}`);
    const signed = await pay(eth, 5n);
    expect(signed).toEqual(fair);
    await payer.broadcast(signed);
    await anvil.mine(3);
    expect(await payer.outcome(signed)).toMatchObject({ state: "final" });
  });

  test("one of two cannot make a payout run out of gas", async () => {
    use(evmOver([liar.url, honest.url], { usdc }));
    const fair = await pay(token, 5n);
    liar.lie("eth_estimateGas", () => "0x7530");
    const signed = await pay(token, 5n);
    expect(parseTransaction(signed.bytes as Hex).gas).toBe(parseTransaction(fair.bytes as Hex).gas);
  });

  test("one of two can stop payouts, and cannot make a second one of what is sent", async () => {
    use(evmOver([liar.url, honest.url], { usdc }));
    const signed = await pay(eth, 5n);
    await payer.broadcast(signed);
    for (const method of ["eth_getTransactionByHash", "eth_getTransactionReceipt"]) liar.lie(method, () => null);
    liar.lie("eth_getTransactionCount", () => "0xff");
    expect(await payer.outcome(signed).catch(() => ({ isFinal: false }))).toMatchObject({ isFinal: false });
    liar.faults.clear();
    liar.faults.set("*", { kind: "hang" });
    use(evmOver([liar.url, honest.url], { usdc, callMs: 300 }));
    await expect(payer.nextNonce()).rejects.toMatchObject({ code: "chain_unavailable" });
  });

  test("one cannot make the others believe that a transfer is refused or can never be included", async () => {
    const signed = await pay(eth, 5n);
    liar.faults.set("eth_sendRawTransaction", { kind: "refuse", code: -32000, message: "nonce too low" });
    liar.lie("eth_getTransactionCount", () => "0xff");
    await payer.broadcast(signed);
    await anvil.client.dropTransaction({ hash: signed.hash as Hex });
    expect(await payer.outcome(signed)).toMatchObject({ state: "unknown" });
  });

  test("two silent servers leave no majority", async () => {
    const signed = await pay(eth, 5n);
    for (const server of [liar, honest]) server.faults.set("*", { kind: "hang" });
    // Nothing depends on the third server's response here, and it may be late.
    use(evmOver([liar.url, honest.url, anvil.url], { usdc, callMs: 300 }));
    const attempts = [
      payer.outcome(signed),
      payer.nextNonce(),
      pay(eth, 5n, { nonce: 0n }),
      payer.replaceByFee(signed),
    ];
    const codes = attempts.map((attempt: Promise<unknown>) => attempt.catch(({ code }) => code));
    expect(await Promise.all(codes)).toEqual(attempts.map(() => "chain_unavailable"));
    // Sending needs only one server that accepts it, within the time that a busy machine needs.
    use(evmOver([liar.url, honest.url, anvil.url], { usdc, callMs: 2_500 }));
    await payer.broadcast(signed);
    expect(await evmOver(anvil.url, { usdc }).observe(signed.hash)).toMatchObject({ state: "pending" });
  });
});

test("a server whose error nobody knows counts as silent", async () => {
  await using strange = new RpcProxy(anvil.url);
  strange.faults.set("eth_sendRawTransaction", { kind: "refuse", code: -32000, message: "the moon is wrong" });
  use(evmOver(strange.url, { usdc }));
  const signed = await pay(eth, 5n);
  await expect(payer.broadcast(signed)).rejects.toMatchObject({ code: "chain_unavailable" });
});
