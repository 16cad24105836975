import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { PaymentWallet } from "@parley/sdk/payments";
import { onlyProofs, PayThenProve } from "@parley/sdk/x402";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { accountOf } from "./support/anvil.ts";
import { eachDatabase } from "./support/databases.ts";
import {
  arrived,
  BEARER,
  type ExactBank,
  exactServer,
  NETWORK,
  offeredTo,
  openExactBank,
  pack,
  presentPacked,
  rowsOf,
  sign,
  stockClient,
  unpack,
} from "./support/exact-world.ts";
import { expectError } from "./support/expect-error.ts";
import { COIN_PRICE, PLATFORM, PRICE, present, sell } from "./support/payment-world.ts";
import { type Client, eventually, type TestServer } from "./support/test-server.ts";

/** The stock scheme of x402, `exact`: a wallet signs, a facilitator sends, the chain decides (ecosystem.md, 1.3). */
eachDatabase((_, open) => {
  let bank: ExactBank;
  let server: TestServer;
  let ann: Client;
  let bob: Client;

  beforeAll(async () => {
    bank = await openExactBank();
    server = await exactServer(bank, { database: await open() });
    [ann, bob] = [await server.user("ann"), await server.user("bob")];
  }, 60_000);
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await bank[Symbol.asyncDispose]();
  }, 60_000);
  beforeEach(() => bank.facilitator.reset());

  test("a stock client signs and gets its resource, once paid for", async () => {
    const path = await sell(server, "stock");
    await offeredTo(server.guest, path);
    const before = await arrived(bank);
    const pay = wrapFetchWithPayment(fetch, stockClient(bank, 1));
    const got = await pay(server.url + path, { headers: { "X402-Version": "2" } });
    expect({ status: got.status, text: await got.text() }).toEqual({ status: 200, text: "The content of stock" });
    const receipt = unpack(got.headers.get("payment-response"));
    expect(receipt).toMatchObject({ success: true, network: NETWORK, payer: accountOf(1).address, verified: true });
    expect(receipt.transaction).toBe(receipt.txHash);
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

  test("a client that pays on the chain by itself still can, and takes that entry", async () => {
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

  test("it is offered beside the proof, first, and only for what can be signed for", async () => {
    const path = await sell(server, "offer");
    const { accepts, amount, chainId } = await offeredTo(server.guest, path);
    expect({ amount, chainId }).toEqual({ amount: PRICE.amount, chainId: PRICE.chain_id });
    expect(accepts[0]).toMatchObject({
      ...{ scheme: "exact", network: NETWORK, amount: PRICE.amount, asset: bank.usdc, payTo: PLATFORM },
      extra: { name: "Signed Coin", version: "2", assetTransferMethod: "eip3009", paymentFlow: "upfront" },
    });
    expect(accepts[1].extra.assetTransferMethod).toBe("transaction-proof");
    const coin = await sell(server, "coin", COIN_PRICE);
    const asked = await server.guest.get(coin, { headers: { "x402-version": "2" } });
    expect(unpack(asked.headers.get("payment-required")).accepts).toHaveLength(1);
    // Who does not ask for x402 gets the seed's words.
    expect(Object.keys(JSON.parse((await server.guest.get(path)).headers.get("payment-required") ?? ""))).toHaveLength(
      7,
    );
  });

  test("fifty replays at once: one transfer, one grant; the same payer fetches again, nobody else", async () => {
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
    // With a demand of their own, who has the signature from the chain gains nothing by it.
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

  test("one demand is paid by one signature, however many are made", async () => {
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

  test("the transaction of a settlement is no proof for anything else", async () => {
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

  test("somebody who shows the transaction before its payer is answered gets nothing and takes nothing", async () => {
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

  test("a place in a channel is bought with it too", async () => {
    const seller = await server.user("seller-of-places");
    const { channel_id } = (await seller.post("/api/channels", { name: "Places" })).body;
    await seller.put(`/api/channels/${channel_id}`, { price: PRICE });
    const path = `/api/channels/${channel_id}/join`;
    const asked = await ann.post(path, undefined, { headers: { "x402-version": "2" } });
    const payload = await sign(unpack(asked.headers.get("payment-required")));
    const joined = await ann.post(path, undefined, { headers: { "payment-signature": pack(payload) } });
    expect(joined.body).toMatchObject({ my_role: "member" });
  });

  describe("what is not exactly what was demanded is refused before anybody is asked to settle it", () => {
    const soon = (seconds: number) => String(Math.floor(Date.now() / 1_000) + seconds);
    const far = soon(3_600);
    test.each([
      ["too little", { authorization: { value: "999999" } }, 402, "amount_too_low"],
      ["too much", { authorization: { value: "1000001" } }, 400, "invalid_payment_signature"],
      ["to another", { authorization: { to: accountOf(6).address } }, 402, "wrong_recipient"],
      ["expired", { authorization: { validBefore: "1000" } }, 402, "payment_required"],
      ["not valid yet", { authorization: { validAfter: far } }, 402, "payment_required"],
      ["good for too long", { authorization: { validBefore: far } }, 400, "invalid_payment_signature"],
      ["of another's value", { authorization: { from: accountOf(3).address } }, 400, "invalid_payment_signature"],
      ["signed for another chain", { domain: { chainId: 1 } }, 400, "invalid_payment_signature"],
      ["signed for another token", { domain: { verifyingContract: PLATFORM } }, 400, "invalid_payment_signature"],
      ["signed for another version", { domain: { version: "1" } }, 400, "invalid_payment_signature"],
    ] as const)("%s", async (name, signing, status, code) => {
      const path = await sell(server, `refused-${name.replace(/[^a-z]/g, "-")}`);
      const payload = await sign(await offeredTo(ann, path), signing);
      const answer = await presentPacked(ann, path, payload);
      expectError(answer, status, code);
      expect(answer.headers.has("payment-required")).toBe(status === 402);
      if (status === 402) {
        const said = unpack(answer.headers.get("payment-response"));
        expect(said).toMatchObject({ success: false, transaction: "", errorReason: code });
      }
      expect(bank.facilitator.asked).toEqual([]);
      expect(await rowsOf(server, path)).toEqual({ granted: [], settlements: [] });
    });

    test.each([
      ["network", { network: "eip155:1" }, 400, "invalid_payment_signature"],
      ["scheme", { scheme: "upto" }, 400, "invalid_payment_signature"],
      ["amount", { amount: "1" }, 400, "invalid_payment_signature"],
      ["payTo", { payTo: accountOf(6).address }, 400, "invalid_payment_signature"],
      ["asset", { asset: PLATFORM }, 402, "wrong_currency"],
      ["extra", { extra: {} }, 400, "invalid_payment_signature"],
      ["timeout", { maxTimeoutSeconds: 9_999 }, 400, "invalid_payment_signature"],
    ] as const)("an entry that was not offered: %s", async (name, change, status, code) => {
      const path = await sell(server, `entry-${name.toLowerCase()}`);
      const payload = await sign(await offeredTo(ann, path));
      expectError(
        await presentPacked(ann, path, { ...payload, accepted: { ...payload.accepted, ...change } }),
        status,
        code,
      );
      expect(bank.facilitator.asked).toEqual([]);
    });

    test("another resource, another's demand, a demand that is nobody's, a demand that is over", async () => {
      const path = await sell(server, "wrong-resource");
      const payload = await sign(await offeredTo(ann, path));
      const elsewhere = { ...payload, resource: { url: `${server.url}/api/paid/other` } };
      expectError(await presentPacked(ann, path, elsewhere), 400, "invalid_payment_signature");
      const { accepted } = payload;
      const extra = { ...accepted.extra, paymentId: `0x${"ab".repeat(32)}` };
      expectError(
        await presentPacked(ann, path, { ...payload, accepted: { ...accepted, extra } }),
        402,
        "payment_required",
      );
      await server.ctx.db
        .updateTable("payment_challenges")
        .set({ expires_at: 1_000 })
        .where("payment_id", "=", accepted.extra.paymentId)
        .execute();
      const over = await presentPacked(ann, path, payload);
      expectError(over, 402, "payment_required");
      expect(over.body.details).toEqual({ problem: "challenge_expired" });
      expect(bank.facilitator.asked).toEqual([]);
    });

    test.each([
      ["no signature", { authorization: {} }],
      ["a number", { authorization: { value: 5 }, signature: "0x" }],
      ["permit2", { permit2Authorization: {}, signature: "0x00" }],
    ])("a payload that is none: %s", async (_name, payload) => {
      const path = "/api/paid/stock";
      const { accepted } = await sign(await offeredTo(ann, path));
      const answer = await presentPacked(ann, path, { x402Version: 2, accepted, payload });
      expectError(answer, 400, "invalid_payment_signature");
    });
  });

  test("what the chain has seen used already is nobody's new payment, whatever the facilitator says", async () => {
    const path = await sell(server, "used-before");
    const offer = await offeredTo(ann, path);
    const payload = await sign(offer, { index: 4 });
    // Settled behind the server's back, for something else.
    const { authorization, signature } = payload.payload;
    const { from, to, value, validAfter, validBefore, nonce } = authorization;
    const [r, s, v] = [signature.slice(0, 66), `0x${signature.slice(66, 130)}`, Number(`0x${signature.slice(130)}`)];
    const args = [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, v, r, s];
    const hash = await bank.anvil.call("SignedToken", bank.usdc, "transferWithAuthorization", args);
    bank.facilitator.verify = () => Response.json({ isValid: true });
    bank.facilitator.settle = () => Response.json({ success: true, transaction: hash, network: NETWORK });
    expectError(await presentPacked(ann, path, payload), 409, "payment_already_used");
    expect((await rowsOf(server, path)).granted).toEqual([]);
    expect(bank.facilitator.settled).toBe(0);
  });

  test("who has not enough is told by the facilitator's reason, and may try again when he has", async () => {
    const path = await sell(server, "poor");
    const payload = await sign(await offeredTo(ann, path), { index: 11 });
    const answer = await presentPacked(ann, path, payload);
    expectError(answer, 402, "payment_required");
    expect(answer.body.details).toMatchObject({ problem: "authorization_refused" });
    expect(answer.body.details.reason).toStartWith("invalid_exact_evm_");
    expect((await rowsOf(server, path)).settlements).toMatchObject([{ state: "refused" }]);
    await bank.anvil.call("SignedToken", bank.usdc, "mint", [accountOf(11).address, BigInt(PRICE.amount)]);
    expect((await presentPacked(ann, path, payload)).status).toBe(200);
  });
});
