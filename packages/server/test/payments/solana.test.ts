import { expect, test } from "bun:test";
import { paymentMessage } from "@parley/protocol/payments";
import { address, getBase58Decoder, signBytes } from "@solana/kit";
import { evmSettings } from "../support/chains/evm.ts";
import { challengeFor, openBank, PLATFORM, PRICE, payToken, present, sell } from "../support/chains/payment-world.ts";
import {
  makeToken,
  send,
  solanaSettings,
  solTransfer,
  tokenTransfer,
  wallet,
  withReferences,
} from "../support/chains/solana.ts";
import { SolanaShim } from "../support/chains/solana-shim.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

/** The same on Solana: real programs on litesvm, behind the JSON-RPC of a validator (protocol §7). */
const CHAIN_ID = 104;
const SOL_PRICE = { amount: "5000000", currency: "SOL", chain_id: CHAIN_ID };
const USDC_PRICE = { amount: "2500", currency: "USDC", chain_id: CHAIN_ID };

const shim = await forAllTests(new SolanaShim());
const alice = await wallet(shim.cluster);
const mint = await makeToken(shim.cluster, alice, [alice.address], 1_000_000n);
const shop = await wallet(shim.cluster);
const recipient = shop.address;
const settings = { ...solanaSettings(shim.cluster, shim.url, mint), solanaTreasuryKey: null };
const server = await forAllTests(
  startTestServer({ ...settings, paymentRecipients: [recipient], paymentAllowUnbound: false }),
);
const ann = await server.user("ann");

async function sign(text: string): Promise<string> {
  const signature = await signBytes(alice.keyPair.privateKey, new TextEncoder().encode(text));
  return getBase58Decoder().decode(signature);
}

test("SOL with the challenge's id as a reference account pays, and is pending until it is final", async () => {
  const path = await sell(server, "sol", SOL_PRICE);
  const challenge = await challengeFor(ann, path);
  expect(challenge).toMatchObject({ chainId: CHAIN_ID, recipient: address(recipient), currency: "SOL" } as object);
  const transfer = solTransfer(alice, recipient, BigInt(SOL_PRICE.amount));
  const { signature } = await send(shim.cluster, alice, [withReferences(transfer, [challenge.paymentId])]);
  expectError(await present(ann, path, signature), 402, "payment_pending");
  shim.cluster.finalize();
  const got = await present(ann, path, signature);
  expect({ status: got.status, body: got.body }).toEqual({ status: 200, body: "The content of sol" });
  expect(JSON.parse(got.headers.get("payment-response") ?? "")).toMatchObject({
    txHash: signature,
    verified: true,
  });
});

test("a stranger who shows a hash first costs the payer nothing where bare hashes are accepted", async () => {
  const settings = { ...solanaSettings(shim.cluster, shim.url, mint), solanaTreasuryKey: null };
  await using open = await startTestServer({ ...settings, paymentRecipients: [recipient], paymentAllowUnbound: true });
  const path = await sell(open, "sol", SOL_PRICE);
  const cat = await open.user("cat");
  await challengeFor(cat, path);
  const { paymentId } = await challengeFor(open.guest, path);
  const transfer = solTransfer(alice, recipient, BigInt(SOL_PRICE.amount));
  const { signature: txHash } = await send(shim.cluster, alice, [transfer]);
  shim.cluster.finalize();
  expect((await present(cat, path, txHash)).status).toBe(200);
  const proof = { txHash, paymentId, payer: alice.address, signature: await sign(paymentMessage(paymentId, path)) };
  expect((await present(open.guest, path, proof)).body).toBe("The content of sol");
  expectError(await present(cat, path, txHash), 409, "payment_already_used");
});

test("a token with the payer's signature pays; a small amount, another user's and a malformed signature are refused", async () => {
  const path = await sell(server, "spl", USDC_PRICE);
  const { payment } = (await server.guest.get(path)).body;
  const pay = async (amount: bigint) => {
    const { signature } = await send(shim.cluster, alice, await tokenTransfer(alice, recipient, { mint, amount }));
    shim.cluster.finalize();
    return signature;
  };
  const proof = {
    paymentId: payment.paymentId,
    payer: alice.address,
    signature: await sign(payment.messageToSign),
  };
  expectError(await present(server.guest, path, { ...proof, txHash: await pay(2_499n) }), 402, "amount_too_low");
  const txHash = await pay(2_500n);
  const other = { ...proof, txHash, signature: await sign("something else") };
  expectError(await present(server.guest, path, other), 400, "invalid_payment_signature");
  expectError(await present(server.guest, path, { ...proof, txHash: "0x12" }), 400, "invalid_payment_signature");
  expectError(await present(server.guest, path, txHash), 402, "payment_required");
  const { amount } = await challengeFor(ann, path);
  expectError(await present(ann, path, await pay(BigInt(amount) + 100n)), 402, "payment_required");
  expect((await present(ann, path, await pay(BigInt(amount)))).status).toBe(200);
  expect((await present(server.guest, path, { ...proof, txHash })).status).toBe(200);
});

test("x402 names the cluster by its genesis hash", async () => {
  const path = await sell(server, "sol-x402", SOL_PRICE);
  const asked = await server.guest.get(path, { headers: { "x402-version": "2" } });
  const challenge = JSON.parse(Buffer.from(asked.headers.get("payment-required") ?? "", "base64").toString());
  expect(challenge.accepts[0]).toMatchObject({
    network: `solana:${shim.cluster.genesisHash.slice(0, 32)}`,
    asset: "native",
    payTo: address(recipient),
  });
});

test("a payment on the chain of an earlier price stays valid after the price moved, and can be fetched again", async () => {
  await using bank = await openBank();
  await using both = await startTestServer({
    ...evmSettings(bank.anvil.url, bank.usdc),
    evmConfirmations: 1,
    ...solanaSettings(shim.cluster, shim.url, mint),
    solanaTreasuryKey: null,
    paymentRecipients: [PLATFORM, recipient],
  });
  const bob = await both.user("bob");
  const boss = await staff(both, "boss", 2);
  const path = await sell(both, "moved", PRICE);
  const [named, bare] = [await challengeFor(bob, path), await challengeFor(both.guest, path)];
  expect(bare.paymentId).not.toBe(named.paymentId);
  const hashes = [1, 2].map((from) => payToken(bank, from, PLATFORM, BigInt(PRICE.amount)));
  const [bobs = "", guests = ""] = await Promise.all(hashes);
  expect((await boss.delete("/api/admin/paid/moved")).status).toBe(200);
  await sell(both, "moved", SOL_PRICE);
  // Asked once more in between: the newest challenge is on the other chain.
  for (const who of [bob, both.guest]) expect((await challengeFor(who, path)).chainId).toBe(CHAIN_ID as never);
  expect((await present(bob, path, { txHash: bobs, paymentId: named.paymentId })).status).toBe(200);
  expect((await present(bob, path, bobs)).status).toBe(200);
  expect((await present(both.guest, path, guests)).status).toBe(200);
});
