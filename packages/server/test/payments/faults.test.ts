import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createLog } from "../../src/logging/log.ts";
import { Anvil, accountOf } from "../support/chains/anvil.ts";
import { evmSettings } from "../support/chains/evm.ts";
import {
  challengeFor,
  lookAgain,
  lookUntilGone,
  openBank,
  PLATFORM,
  PRICE,
  payToken,
  present,
  sell,
  sellingServer,
} from "../support/chains/payment-world.ts";
import { RpcProxy } from "../support/chains/rpc-proxy.ts";
import { evmWalletOf, proveWallet } from "../support/chains/wallets.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { type Client, eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";

/** Chains that are slow, silent or lying, and strict settings (protocol §7; guarantees P14 to P16). */
const price = BigInt(PRICE.amount);

const bank = await forAllTests(openBank());

describe("a chain's servers", () => {
  let proxies: RpcProxy[];
  let server: TestServer;
  let ann: Client;

  beforeAll(async () => {
    proxies = [1, 2, 3].map(() => new RpcProxy(bank.anvil.url));
    server = await sellingServer(bank, {}, { evmRpcUrls: proxies.map(({ url }) => url) });
    ann = await server.user("ann");
  }, 60_000);
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    for (const proxy of proxies) proxy.faults.clear();
  });

  test("cause 502 with Retry-After and never 402 when they are silent; nothing is granted or used up", async () => {
    const path = await sell(server, "silent");
    const { paymentId } = await challengeFor(ann, path);
    const txHash = await payToken(bank, 1, PLATFORM, price);
    for (const proxy of proxies.slice(0, 2)) proxy.faults.set("*", { kind: "status", status: 500 });
    const answer = await present(ann, path, { txHash, paymentId });
    expectError(answer, 502, "chain_unavailable");
    expect(answer.headers.has("payment-required")).toBeFalse();
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await server.ctx.db.selectFrom("payments").selectAll().where("tx_hash", "=", txHash).execute()).toEqual([]);
    for (const proxy of proxies) proxy.faults.clear();
    await eventually(
      "the servers are asked again",
      async () => (await present(ann, path, { txHash, paymentId })).status === 200,
      20_000,
    );
  });

  test("grant and prevent nothing if one of three lies", async () => {
    const path = await sell(server, "lying");
    const { paymentId } = await challengeFor(ann, path);
    const poor = await payToken(bank, 2, PLATFORM, 1n);
    proxies[0]?.lie("eth_getTransactionReceipt", (receipt) => {
      const lie = structuredClone(receipt) as { logs: { data: string }[] };
      for (const log of lie.logs) log.data = `0x${price.toString(16).padStart(64, "0")}`;
      return lie;
    });
    expectError(await present(ann, path, { txHash: poor, paymentId }), 402, "amount_too_low");
    const txHash = await payToken(bank, 2, PLATFORM, price);
    proxies[0]?.lie("eth_getTransactionReceipt", () => null);
    expect((await present(ann, path, { txHash, paymentId })).status).toBe(200);
  });
});

test("one of two servers stops payments, and grants nothing that was not paid", async () => {
  await using liar = new RpcProxy(bank.anvil.url);
  await using honest = new RpcProxy(bank.anvil.url);
  await using server = await sellingServer(bank, {}, { evmRpcUrls: [liar.url, honest.url] });
  const ann = await server.user("ann");
  const path = await sell(server, "two");
  const { paymentId } = await challengeFor(ann, path);
  const [poor, txHash] = [await payToken(bank, 3, PLATFORM, 1n), await payToken(bank, 3, PLATFORM, price)];
  liar.lie("eth_getTransactionReceipt", (receipt) => {
    const lie = structuredClone(receipt) as { logs: { data: string }[] };
    for (const log of lie.logs) log.data = `0x${price.toString(16).padStart(64, "0")}`;
    return lie;
  });
  expectError(await present(ann, path, { txHash: poor, paymentId }), 502, "chain_unavailable");
  liar.lie("eth_getTransactionReceipt", () => null);
  expect((await present(ann, path, { txHash, paymentId })).status).not.toBe(200);
  liar.faults.clear();
  await eventually(
    "the payment counts when both agree",
    async () => (await present(ann, path, { txHash, paymentId })).status === 200,
    20_000,
  );
});

test("a payment that a server does not know for a moment is kept, and revoked after three checks in a row", async () => {
  await using proxy = new RpcProxy(bank.anvil.url);
  await using server = await sellingServer(bank, {}, { evmRpcUrls: [proxy.url] });
  const ann = await server.user("ann");
  const path = await sell(server, "forgetful");
  await challengeFor(ann, path);
  const txHash = await payToken(bank, 2, PLATFORM, price);
  expect((await present(ann, path, txHash)).status).toBe(200);
  const row = () =>
    server.ctx.db.selectFrom("payments").select(["state", "reason"]).where("tx_hash", "=", txHash).execute();
  for (const _time of ["once", "once again, after it knew it"]) {
    proxy.lie("eth_getTransactionReceipt", () => null);
    proxy.lie("eth_getTransactionByHash", () => null);
    await lookAgain(server, txHash);
    expect(await row()).toEqual([{ state: "granted", reason: null }]);
    proxy.faults.clear();
    await lookAgain(server, txHash);
    expect(await row()).toEqual([{ state: "granted", reason: null }]);
  }
  proxy.lie("eth_getTransactionReceipt", () => null);
  proxy.lie("eth_getTransactionByHash", () => null);
  await lookUntilGone(server, txHash);
  expect(await row()).toEqual([{ state: "revoked", reason: "block_gone" }]);
});

test("a member who paid twice stays if one payment disappears, but not if both do", async () => {
  await using proxy = new RpcProxy(bank.anvil.url);
  await using server = await sellingServer(bank, {}, { evmRpcUrls: [proxy.url] });
  const [ann, bob] = [await server.user("ann"), await server.user("bob")];
  const id = (await ann.post("/api/channels", { name: "Twice paid" })).body.channel_id;
  await ann.put(`/api/channels/${id}`, { price: PRICE });
  const join = `/api/channels/${id}/join`;
  const stay = async () => {
    await bob.post(join);
    const txHash = await payToken(bank, 3, PLATFORM, price);
    expect((await present(bob, join, txHash, "POST")).status).toBe(200);
    return txHash;
  };
  const gone: unknown[] = [];
  for (const method of ["eth_getTransactionReceipt", "eth_getTransactionByHash"])
    proxy.lie(method, (answer, [hash]) => (gone.includes(hash) ? null : answer));
  const first = await stay();
  expect((await bob.post(`/api/channels/${id}/leave`)).status).toBe(200);
  const second = await stay();
  gone.push(first);
  await lookUntilGone(server, first);
  expect((await bob.get(`/api/messages?channel_id=${id}`)).status).toBe(200);
  gone.push(second);
  await lookUntilGone(server, second);
  expectError(await bob.get(`/api/messages?channel_id=${id}`), 402, "payment_required");
  const states = await server.ctx.db.selectFrom("payments").select("state").execute();
  expect(states).toEqual([{ state: "revoked" }, { state: "revoked" }]);
});

test("a transaction that is not final is payment_pending with the same challenge until it is final", async () => {
  await using anvil = await Anvil.start({ automine: false });
  const chain = { ...evmSettings(anvil.url), evmConfirmations: 2, paymentRecipients: [PLATFORM] };
  await using server = await startTestServer(chain);
  const ann = await server.user("ann");
  const path = await sell(server, "slow", { ...PRICE, currency: "ETH" });
  const challenge = await challengeFor(ann, path);
  const txHash = await anvil.send(1, PLATFORM, price);
  for (const blocks of [0, 1]) {
    if (blocks > 0) await anvil.mine(blocks);
    const answer = await present(ann, path, txHash);
    expectError(answer, 402, "payment_pending");
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(JSON.parse(answer.headers.get("payment-required") ?? "")).toEqual(challenge);
    expect(JSON.parse(answer.headers.get("payment-response") ?? "")).toEqual({ txHash, verified: false });
  }
  await anvil.mine(1);
  expect((await present(ann, path, txHash)).status).toBe(200);
});

describe("with strict settings, a bare hash", () => {
  let server: TestServer;
  let ann: Client;
  beforeAll(async () => {
    server = await sellingServer(bank, {}, { paymentAllowUnbound: false });
    ann = await server.user("ann");
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test("is refused and not used up", async () => {
    const path = await sell(server, "strict");
    const { paymentId } = await challengeFor(server.guest, path);
    const txHash = await payToken(bank, 3, PLATFORM, price);
    for (const proof of [txHash, { txHash, paymentId }, { txHash, payer: accountOf(3).address }]) {
      const answer = await present(server.guest, path, proof);
      expectError(answer, 402, "payment_required");
      expect(answer.body.details).toEqual({ problem: "not_bound" });
    }
    const { messageToSign } = (await server.guest.get(path)).body.payment;
    const asked = messageToSign.match(/0x[0-9a-f]{64}/)[0];
    const signature = await accountOf(3).signMessage({ message: messageToSign });
    expect((await present(server.guest, path, { txHash, paymentId: asked, signature })).status).toBe(200);
  });

  test("with the id in the calldata identifies an account's payment, but not a guest's", async () => {
    const path = await sell(server, "calldata", { ...PRICE, currency: "ETH" });
    const anns = await challengeFor(ann, path);
    const named = await bank.anvil.send(4, PLATFORM, price, anns.paymentId as `0x${string}`);
    expectError(await present(server.guest, path, { txHash: named }), 402, "payment_required");
    expect((await present(ann, path, named)).status).toBe(200);
    const guests = await challengeFor(server.guest, path);
    const open = await bank.anvil.send(4, PLATFORM, price, guests.paymentId as `0x${string}`);
    const answer = await present(server.guest, path, { txHash: open, paymentId: guests.paymentId });
    expectError(answer, 402, "payment_required");
  });

  test("from the address in a profile counts once the address is proven", async () => {
    const path = await sell(server, "profile");
    expect((await ann.put("/api/user/ann", { evm_address: accountOf(5).address })).status).toBe(200);
    await challengeFor(ann, path);
    const hash = await payToken(bank, 5, PLATFORM, price);
    expectError(await present(ann, path, hash), 402, "payment_required");
    await proveWallet(ann, "ann", evmWalletOf(accountOf(5)));
    expect((await present(ann, path, hash)).status).toBe(200);
  });
});

describe("at the start", () => {
  test("a recipient on no chain is refused, and accepting bare hashes is logged", async () => {
    const settings = evmSettings(bank.anvil.url);
    const broken = PLATFORM.replace(/[a-f]/, (letter) => letter.toUpperCase());
    expect(startTestServer({ ...settings, paymentRecipients: [broken] })).rejects.toThrow("PARLEY_PAYMENT_RECIPIENT");
    const lines: string[] = [];
    const log = createLog({ level: "warn", readable: false, write: (line) => void lines.push(line) });
    await using _ = await sellingServer(bank, { log });
    expect(lines.join("")).toContain("PARLEY_PAYMENT_ALLOW_UNBOUND");
  });
});
