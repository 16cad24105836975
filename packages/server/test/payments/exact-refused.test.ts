import { beforeEach, describe, expect, test } from "bun:test";
import type { Hex } from "viem";
import { accountOf } from "../support/chains/anvil.ts";
import {
  exactServer,
  NETWORK,
  offeredTo,
  openExactShop,
  presentPacked,
  rowsOf,
  sign,
  unpack,
} from "../support/chains/exact-world.ts";
import { PLATFORM, PRICE, sell } from "../support/chains/payment-world.ts";
import { RpcProxy } from "../support/chains/rpc-proxy.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { impatiently } from "../support/servers/impatient.ts";
import { eventually } from "../support/servers/test-server.ts";

/** Authorizations that differ from the challenge, and refusals by a facilitator or the chain (protocol §7). */

const { bank, server, ann } = await forAllTests(openExactShop());
beforeEach(() => bank.facilitator.reset());

describe("an authorization that differs from the challenge is refused before it is settled", () => {
  const soon = (seconds: number) => String(Math.floor(Date.now() / 1_000) + seconds);
  const far = soon(3_600);
  test.each([
    ["too little", { authorization: { value: "999999" } }, 402, "amount_too_low"],
    ["too much", { authorization: { value: "1000001" } }, 400, "invalid_payment_signature"],
    ["paid to another recipient", { authorization: { to: accountOf(6).address } }, 402, "wrong_recipient"],
    ["expired", { authorization: { validBefore: "1000" } }, 402, "payment_required"],
    ["not valid yet", { authorization: { validAfter: far } }, 402, "payment_required"],
    ["valid for too long", { authorization: { validBefore: far } }, 400, "invalid_payment_signature"],
    ["from another user's wallet", { authorization: { from: accountOf(3).address } }, 400, "invalid_payment_signature"],
    ["signed for another chain", { domain: { chainId: 1 } }, 400, "invalid_payment_signature"],
    ["signed for another token", { domain: { verifyingContract: PLATFORM } }, 400, "invalid_payment_signature"],
    ["signed for another version", { domain: { version: "1" } }, 400, "invalid_payment_signature"],
  ] as const)("if it is %s", async (name, signing, status, code) => {
    const path = await sell(server, `refused-${name.replace(/[^a-z]/g, "-")}`);
    const payload = await sign(await offeredTo(ann, path), signing);
    const answer = await presentPacked(ann, path, payload);
    expectError(answer, status, code);
    expect(answer.headers.has("payment-required")).toBe(status === 402);
    if (status === 402) {
      const response = unpack(answer.headers.get("payment-response"));
      expect(response).toMatchObject({ success: false, transaction: "", errorReason: code });
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
  ] as const)("if its entry was not offered: %s", async (name, change, status, code) => {
    const path = await sell(server, `entry-${name.toLowerCase()}`);
    const payload = await sign(await offeredTo(ann, path));
    expectError(
      await presentPacked(ann, path, { ...payload, accepted: { ...payload.accepted, ...change } }),
      status,
      code,
    );
    expect(bank.facilitator.asked).toEqual([]);
  });

  test("if it names another resource, another caller's challenge, an unknown challenge or an expired one", async () => {
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

  test("if its nonce is a guest's challenge id, which is public on the chain, but not if it is an account's", async () => {
    const path = await sell(server, "written-in-nonce");
    const offer = await offeredTo(server.guest, path);
    const nonce = offer.accepts[0].extra.paymentId;
    const payload = await sign(offer, { authorization: { nonce } });
    expectError(await presentPacked(server.guest, path, payload), 400, "invalid_payment_signature");
    expect(bank.facilitator.asked).toEqual([]);
    const again = await sign(offer);
    expect((await presentPacked(server.guest, path, again)).status).toBe(200);
    const own = await offeredTo(ann, path);
    const signed = await sign(own, { authorization: { nonce: own.accepts[0].extra.paymentId } });
    expect((await presentPacked(ann, path, signed)).status).toBe(200);
    // Everything except the challenge's id is on the chain, and here the id is, too.
    const { accepts, resource } = await offeredTo(server.guest, path);
    const stolen = { ...signed, accepted: { ...accepts[0], extra: own.accepts[0].extra }, resource };
    expectError(await presentPacked(server.guest, path, stolen), 402, "payment_required");
  });

  test.each([
    ["no signature", { authorization: {} }],
    ["a number", { authorization: { value: 5 }, signature: "0x" }],
    ["permit2", { permit2Authorization: {}, signature: "0x00" }],
  ])("if its payload is malformed: %s", async (name, payload) => {
    const path = await sell(server, `payload-${name.replace(/ /g, "-")}`);
    const { accepted } = await sign(await offeredTo(ann, path));
    const answer = await presentPacked(ann, path, { x402Version: 2, accepted, payload });
    expectError(answer, 400, "invalid_payment_signature");
  });
});

/** Submits an authorization to the chain without the server. */
function settleAlone({ payload: { authorization, signature } }: Awaited<ReturnType<typeof sign>>): Promise<Hex> {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const [r, s, v] = [signature.slice(0, 66), `0x${signature.slice(66, 130)}`, Number(`0x${signature.slice(130)}`)];
  const args = [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, v, r, s];
  return bank.anvil.call("SignedToken", bank.usdc, "transferWithAuthorization", args);
}

test("a facilitator that refuses a payment and settles it all the same does not cost the payer the resource", async () => {
  const path = await sell(server, "refused-and-settled");
  const payload = await sign(await offeredTo(ann, path), { index: 5 });
  const settled = Promise.withResolvers<Hex>();
  bank.facilitator.verify = async () => {
    settled.resolve(await settleAlone(payload));
    return Response.json({ isValid: false, invalidReason: "no_reason" });
  };
  expectError(await presentPacked(ann, path, payload), 402, "payment_required");
  const txHash = await settled.promise;
  expectError(await presentPacked(ann, path, payload), 409, "payment_already_used");
  // The payer presents the transaction and signs that it is theirs.
  const { paymentId, messageToSign } = (await ann.get(path)).body.payment;
  const signature = await accountOf(5).signMessage({ message: messageToSign });
  const proof = JSON.stringify({ txHash, payer: accountOf(5).address, signature, paymentId });
  expect((await ann.get(path, { headers: { "payment-signature": proof } })).status).toBe(200);
});

test("an authorization already used on the chain pays for nothing, whatever the facilitator says", async () => {
  const path = await sell(server, "used-before");
  const offer = await offeredTo(ann, path);
  const payload = await sign(offer, { index: 4 });
  const hash = await settleAlone(payload);
  bank.facilitator.verify = () => Response.json({ isValid: true });
  bank.facilitator.settle = () => Response.json({ success: true, transaction: hash, network: NETWORK });
  expectError(await presentPacked(ann, path, payload), 409, "payment_already_used");
  expect((await rowsOf(server, path)).granted).toEqual([]);
  expect(bank.facilitator.settled).toBe(0);
});

test("a payer without enough funds gets the facilitator's reason, and can try again later", async () => {
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

test("an unknown signing domain of a token gives 502 and no offer until the chain responds, and then the signature is accepted", async () => {
  await using proxy = new RpcProxy(bank.anvil.url);
  proxy.faults.set("eth_call", { kind: "status", status: 500 });
  await using silent = await exactServer(bank, {}, { evmRpcUrls: [proxy.url] });
  const ben = await silent.user("ben");
  const path = await sell(silent, "unlearned");
  const asked = unpack((await ben.get(path, { headers: { "x402-version": "2" } })).headers.get("payment-required"));
  expect(asked.accepts).toHaveLength(1);
  const [proofEntry] = asked.accepts;
  const { paymentId } = proofEntry.extra;
  const entry = { ...proofEntry, amount: PRICE.amount, extra: { name: "Signed Coin", version: "2", paymentId } };
  const payload = await sign({ ...asked, accepts: [entry] }, { index: 2 });
  const answer = await presentPacked(ben, path, payload);
  expectError(answer, 502, "chain_unavailable");
  expect(answer.headers.has("payment-required")).toBeFalse();
  proxy.faults.clear();
  await eventually("it is taken", async () => (await presentPacked(ben, path, payload)).status === 200, 20_000);
});

test("a transaction of which the chain knows only the log is waited for, not refused", async () => {
  await using proxy = new RpcProxy(bank.anvil.url);
  await using slow = await exactServer(bank, {}, { evmRpcUrls: [proxy.url] });
  const ben = await slow.user("ben");
  const path = await sell(slow, "half-known");
  const payload = await sign(await offeredTo(ben, path), { index: 6 });
  for (const method of ["eth_getTransactionByHash", "eth_getTransactionReceipt"]) proxy.lie(method, () => null);
  const answer = await impatiently(slow, () => presentPacked(ben, path, payload), 2_000);
  expectError(answer, 402, "payment_pending");
  expect((await rowsOf(slow, path)).settlements).toMatchObject([{ state: "settled" }]);
  proxy.faults.clear();
  expect((await presentPacked(ben, path, payload)).status).toBe(200);
});

test("a token that keeps a part of each transfer pays too little, and buys nothing", async () => {
  const fee = await bank.anvil.deploy("SignedFeeToken", ["FEE", 6]);
  await bank.anvil.call("SignedFeeToken", fee, "mint", [accountOf(4).address, BigInt(PRICE.amount)]);
  const evmTokens = [{ currency: "FEE", address: fee, decimals: 6 }];
  await using greedy = await exactServer(bank, {}, { evmTokens });
  const ben = await greedy.user("ben");
  const path = await sell(greedy, "fee", { ...PRICE, currency: "FEE" });
  const payload = await sign(await offeredTo(ben, path), { index: 4 });
  expectError(await presentPacked(ben, path, payload), 402, "amount_too_low");
  expect(await rowsOf(greedy, path)).toMatchObject({
    granted: [],
    settlements: [{ state: "refused", reason: "amount_too_low", due_at: null }],
  });
});
