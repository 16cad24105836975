import { afterEach, beforeEach, expect, test } from "bun:test";
import { ChainWorld } from "../support/chains/chain-world.ts";
import { challengeFor, present, sell } from "../support/chains/payment-world.ts";
import { TREASURY } from "../support/chains/scripted-chain.ts";
import { expectError } from "../support/expect-error.ts";

/** Red packets and payments share a wallet: neither takes the other's transfer, nor one that the wallet itself sent. */
let world: ChainWorld;
let path: string;
beforeEach(async () => {
  world = await ChainWorld.start();
  path = await sell(world.server, "thing", { amount: "9000", currency: "ETH", chain_id: world.chain.chainId });
});
afterEach(() => world[Symbol.asyncDispose]());

test("a transfer with a packet's reference funds that packet, and pays for nothing before", async () => {
  const { packet_id, deposit } = (await world.create()).body;
  // From a wallet that nobody has proven, such as that of an exchange.
  const txHash = world.put({ references: [deposit.reference] }, { sender: "0xElse" });
  for (const who of [world.bob, world.server.guest]) {
    await challengeFor(who, path);
    const answer = await present(who, path, txHash);
    expectError(answer, 409, "payment_already_used");
    expect(answer.body.details).toEqual({ problem: "not_yours" });
  }
  expect((await world.fund(packet_id, txHash)).body.red_packet.status).toBe("active");
});

test("a transfer with a payment's id pays for that, and funds no packet of the user who proved the payer's address", async () => {
  const { paymentId } = await challengeFor(world.cat, path);
  const txHash = world.put({ references: [paymentId] }, { sender: "0xCat" });
  await world.provenAddress("bob", "0xCat");
  const { packet_id } = (await world.create({}, world.bob)).body;
  for (const answer of [
    await world.fund(packet_id, txHash, world.bob),
    await world.create({ tx_hash: txHash }, world.bob),
  ]) {
    expectError(answer, 409, "tx_already_used");
  }
  expect((await present(world.cat, path, { txHash, paymentId })).status).toBe(200);
});

test("a transfer from the server's own wallet pays for nothing", async () => {
  await world.server.ctx.db
    .updateTable("users")
    .set({ evm_address: "0xAnn", evm_proven_at: 1 })
    .where("username", "=", "ann")
    .execute();
  const { channel_id } = (await world.ann.post("/api/channels", { name: "Shop" })).body;
  const price = { amount: "9000", currency: "ETH", chain_id: world.chain.chainId };
  expect((await world.ann.put(`/api/channels/${channel_id}`, { price })).status).toBe(200);
  const join = `/api/channels/${channel_id}/join`;
  await world.bob.post(join);
  // Her share of a packet.
  const payout = world.put({}, { sender: TREASURY, recipient: "0xAnn" });
  expectError(await present(world.bob, join, payout, "POST"), 409, "payment_already_used");
  const paid = world.put({}, { sender: "0xElse", recipient: "0xAnn" });
  expect((await present(world.bob, join, paid, "POST")).status).toBe(200);
});
