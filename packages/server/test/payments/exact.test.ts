import { beforeEach, expect, test } from "bun:test";
import type { PaymentWallet } from "@parley/sdk/payments";
import { onlyProofs, PayThenProve } from "@parley/sdk/x402";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { accountOf } from "../support/chains/anvil.ts";
import {
  arrived,
  BEARER,
  NETWORK,
  offeredTo,
  openExactShop,
  pack,
  presentPacked,
  rowsOf,
  sign,
  stockClient,
  unpack,
} from "../support/chains/exact-world.ts";
import { COIN_PRICE, expectTail, PLATFORM, PRICE, present, sell } from "../support/chains/payment-world.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { eventually } from "../support/servers/test-server.ts";

/** The standard scheme of x402, `exact`: a wallet signs, a facilitator submits, the chain decides (protocol §7). */
eachDatabase(async (_, open) => {
  const { bank, server, ann, bob } = await forAllTests(openExactShop({ database: await open() }));
  beforeEach(() => bank.facilitator.reset());

  test("a standard client signs and gets its resource once the payment is final", async () => {
    const path = await sell(server, "stock");
    await offeredTo(server.guest, path);
    const before = await arrived(bank);
    const pay = wrapFetchWithPayment(fetch, stockClient(bank, 1));
    const got = await pay(server.url + path, { headers: { "X402-Version": "2" } });
    expect({ status: got.status, text: await got.text() }).toEqual({ status: 200, text: "The content of stock" });
    const receipt = unpack(got.headers.get("payment-response"));
    expect(receipt).toMatchObject({ success: true, network: NETWORK, payer: accountOf(1).address, verified: true });
    expect(receipt.transaction).toBe(receipt.txHash);
    const again = await server.guest.get(path, {
      headers: { "payment-signature": JSON.stringify({ txHash: receipt.txHash, refetchToken: receipt.refetchToken }) },
    });
    expect([again.status, again.body]).toEqual([200, "The content of stock"]);
    expect(await arrived(bank)).toBe(before + 1);
    expect(bank.facilitator.asked).toEqual([
      { path: "/x402/verify", authorization: BEARER },
      { path: "/x402/settle", authorization: BEARER },
    ]);
    const { granted, settlements } = await rowsOf(server, path);
    expect(granted).toMatchObject([
      {
        ...{ tx_hash: receipt.transaction, payer: accountOf(1).address, recipient: PLATFORM },
        ...{ amount: PRICE.amount, binding: "signature", principal: "g" },
      },
    ]);
    expect(settlements).toMatchObject([{ state: "granted", tx_hash: receipt.transaction, due_at: null }]);
  });

  test("a client that pays on the chain itself can still do so with its own entry", async () => {
    const path = await sell(server, "by-itself");
    await offeredTo(server.guest, path);
    const account = accountOf(5);
    const wallet: PaymentWallet = {
      address: account.address,
      sign: (message) => account.signMessage({ message }),
      pay: ({ recipient, amount }) => {
        const args = [recipient, amount];
        return bank.anvil.call("SignedToken", bank.usdc, "transfer", args, { from: 5 });
      },
    };
    const client = new x402Client().register(NETWORK, new PayThenProve(wallet)).registerPolicy(onlyProofs);
    client.setSpendControls({ allowedAssets: true });
    const got = await wrapFetchWithPayment(fetch, client)(server.url + path, { headers: { "X402-Version": "2" } });
    expect({ status: got.status, text: await got.text() }).toEqual({ status: 200, text: "The content of by-itself" });
    expect(bank.facilitator.asked).toEqual([]);
  });

  test("exact is offered first, beside the proof, and only for tokens that can be signed for", async () => {
    const path = await sell(server, "offer");
    const { accepts, amount, chainId } = await offeredTo(server.guest, path);
    expectTail(amount, BigInt(PRICE.amount));
    expect(chainId).toBe(PRICE.chain_id);
    expect(accepts[0]).toMatchObject({
      ...{ scheme: "exact", network: NETWORK, amount: PRICE.amount, asset: bank.usdc, payTo: PLATFORM },
      extra: { name: "Signed Coin", version: "2", assetTransferMethod: "eip3009", paymentFlow: "upfront" },
    });
    expect(accepts[1]).toMatchObject({ amount, extra: { assetTransferMethod: "transaction-proof" } });
    const coin = await sell(server, "coin", COIN_PRICE);
    const asked = await server.guest.get(coin, { headers: { "x402-version": "2" } });
    expect(unpack(asked.headers.get("payment-required")).accepts).toHaveLength(1);
    // Clients that do not ask for x402 get the protocol's own form.
    expect(Object.keys(JSON.parse((await server.guest.get(path)).headers.get("payment-required") ?? ""))).toHaveLength(
      7,
    );
  });

  test("fifty replays at once give one transfer and one grant; the same payer can fetch again, and nobody else can", async () => {
    const path = await sell(server, "replayed");
    const before = await arrived(bank);
    const payload = pack(await sign(await offeredTo(ann, path)));
    const answers = await Promise.all(Array.from({ length: 50 }, () => presentPacked(ann, path, payload)));
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([200]);
    expect(await arrived(bank)).toBe(before + 1);
    expect(bank.facilitator.settled).toBe(1);
    expect((await rowsOf(server, path)).granted).toHaveLength(1);
    expectError(await presentPacked(bob, path, payload), 402, "payment_required");
    expectError(await presentPacked(server.guest, path, payload), 402, "payment_required");
    const other = await sell(server, "other");
    expectError(await presentPacked(ann, other, payload), 402, "payment_required");
    // With their own challenge, somebody who reads the signature from the chain gains nothing.
    const { payload: signed } = unpack(payload);
    for (const [who, where] of [
      [bob, path],
      [ann, other],
      [ann, path],
    ] as const) {
      const { accepts, resource } = await offeredTo(who, where);
      const stolen = { x402Version: 2, accepted: accepts[0], resource, payload: signed };
      expectError(await presentPacked(who, where, stolen), 409, "payment_already_used");
    }
    expect(await arrived(bank)).toBe(before + 1);
  });

  test("a challenge of a guest that an account paid belongs to the account", async () => {
    const path = await sell(server, "guest-then-account");
    const payload = await sign(await offeredTo(server.guest, path), { index: 3 });
    expect((await presentPacked(ann, path, payload)).status).toBe(200);
    expect((await rowsOf(server, path)).granted.map(({ principal }) => principal)).not.toContain("g");
    expectError(await presentPacked(bob, path, payload), 409, "payment_already_used");
    expectError(await presentPacked(server.guest, path, payload), 409, "payment_already_used");
    expect((await presentPacked(ann, path, payload)).status).toBe(200);
  });

  test("one challenge is paid by one signature, however many are made", async () => {
    const path = await sell(server, "twice");
    const before = await arrived(bank);
    const offer = await offeredTo(ann, path);
    const payloads = await Promise.all([1, 2, 3, 4].map(async (index) => pack(await sign(offer, { index }))));
    const answers = await Promise.all(payloads.map((payload) => presentPacked(ann, path, payload)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of answers) {
      if (status !== 200) expect(["payment_pending", "payment_required"]).toContain(body.code);
    }
    expect(await arrived(bank)).toBe(before + 1);
    const late = await presentPacked(ann, path, await sign(offer, { index: 5 }));
    expectError(late, 402, "payment_required");
    expect(late.body.details).toEqual({ problem: "challenge_used" });
    expect(await arrived(bank)).toBe(before + 1);
  });

  test("the transaction of a settlement proves no other payment", async () => {
    const path = await sell(server, "settled");
    const got = await presentPacked(ann, path, await sign(await offeredTo(ann, path)));
    const { transaction } = unpack(got.headers.get("payment-response"));
    const other = await sell(server, "again");
    const { body } = await ann.get(other);
    const { paymentId, messageToSign } = body.payment;
    const signature = await accountOf(1).signMessage({ message: messageToSign });
    const proof = { txHash: transaction, paymentId, payer: accountOf(1).address, signature };
    expectError(await present(ann, other, proof), 409, "payment_already_used");
  });

  test("somebody who presents the transaction before its payer is answered gets nothing and takes nothing away", async () => {
    const path = await sell(server, "raced");
    const watcher = await offeredTo(bob, path);
    const answered = Promise.withResolvers<void>();
    let seen = "";
    bank.facilitator.settle = async (honest) => {
      const done = (await honest()) as { transaction: string };
      seen = done.transaction;
      await answered.promise;
      return Response.json(done);
    };
    const paying = presentPacked(ann, path, await sign(await offeredTo(ann, path), { index: 2 }));
    await eventually("the transfer is on the chain", () => seen !== "");
    const stolen = await present(bob, path, { txHash: seen, paymentId: watcher.paymentId });
    expectError(stolen, 409, "payment_already_used");
    answered.resolve();
    expect((await paying).status).toBe(200);
  });

  test("an authorization also buys membership in a channel", async () => {
    const seller = await server.user("seller-of-places");
    const { channel_id } = (await seller.post("/api/channels", { name: "Places" })).body;
    await seller.put(`/api/channels/${channel_id}`, { price: PRICE });
    const path = `/api/channels/${channel_id}/join`;
    const asked = await ann.post(path, undefined, { headers: { "x402-version": "2" } });
    const payload = await sign(unpack(asked.headers.get("payment-required")));
    const joined = await ann.post(path, undefined, { headers: { "payment-signature": pack(payload) } });
    expect(joined.body).toMatchObject({ my_role: "member" });
  });
});
