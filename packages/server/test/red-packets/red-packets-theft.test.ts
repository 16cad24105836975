import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ChainWorld } from "../support/chains/chain-world.ts";
import { TREASURY, USDC } from "../support/chains/scripted-chain.ts";
import { expectError } from "../support/expect-error.ts";
import { type Client, eventually } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

/**
 * Everybody sees what arrives at the treasury and can write any address into their profile. In these tests cat does so
 * to take what others have sent.
 */
let world: ChainWorld;
beforeEach(async () => {
  world = await ChainWorld.start();
});
afterEach(() => world[Symbol.asyncDispose]());

const ANNS_COLD = "0xAnnsOtherWallet";

describe("an unproven address", () => {
  test("funds no packet of the user who wrote it into their profile, and pays for nothing of theirs", async () => {
    const path = await sold({ currency: "USDC" });
    const hash = world.put({}, { sender: ANNS_COLD });
    await world.address("cat", ANNS_COLD);
    const { packet_id } = (await world.create({}, world.cat)).body;
    for (const answer of [
      await world.fund(packet_id, hash, world.cat),
      await world.create({ tx_hash: hash }, world.cat),
    ]) {
      expectError(answer, 422, "funding_mismatch");
      expect(answer.body.details).toEqual({ problem: "wrong_sender" });
    }
    expect((await world.cat.get(path)).status).toBe(402);
    const paid = world.put({}, { sender: ANNS_COLD, asset: USDC });
    expect((await present(world.cat, path, paid)).status).toBe(200);
    const { binding } = await world.server.ctx.db
      .selectFrom("payments")
      .select("binding")
      .where("tx_hash", "=", paid)
      .executeTakeFirstOrThrow();
    expect(binding).not.toBe("profile");
  });

  test("funds the packet whose reference the transfer carries", async () => {
    await world.address("cat", ANNS_COLD);
    const { packet_id, deposit } = (await world.create({}, world.cat)).body;
    const hash = world.put({ references: [deposit.reference] }, { sender: ANNS_COLD });
    expect((await world.fund(packet_id, hash, world.cat)).body.red_packet.status).toBe("active");
  });
});

describe("a transfer with the reference of a user's packet", () => {
  /** A transfer that ann sends for her packet from a wallet in no profile, and the packet. */
  async function sent() {
    const { packet_id, deposit } = (await world.create()).body;
    const hash = world.put({ references: [deposit.reference] }, { sender: ANNS_COLD });
    await world.provenAddress("cat", ANNS_COLD);
    return { packet_id, hash };
  }

  test("funds no packet of another user whose profile has that wallet's address", async () => {
    const { packet_id, hash } = await sent();
    expectError(await world.create({ tx_hash: hash }, world.cat), 409, "tx_already_used");
    const his = (await world.create({}, world.cat)).body.packet_id;
    expectError(await world.fund(his, hash, world.cat), 409, "tx_already_used");
    expect((await world.fund(packet_id, hash)).body.red_packet.status).toBe("active");
  });

  test("belongs to nobody else, even if it was named before the chain knew it", async () => {
    const { packet_id, deposit } = (await world.create()).body;
    await world.provenAddress("cat", ANNS_COLD);
    const his = (await world.create({}, world.cat)).body.packet_id;
    const hash = world.put({ state: "pending" }, { sender: ANNS_COLD });
    expect((await world.fund(his, hash, world.cat)).status).toBe(200);
    world.put({ references: [deposit.reference] }, { sender: ANNS_COLD }, hash);
    const funding = await eventually("it is told", async () => {
      await world.wait();
      const { red_packet } = await world.read(his, world.cat);
      return red_packet.funding.status === "pending" ? null : red_packet.funding;
    });
    expect(funding).toMatchObject({ status: "failed", problem: "tx_already_used" });
    expect((await world.fund(packet_id, hash)).body.red_packet.status).toBe("active");
  });

  test("pays for nothing that another user is asked to pay", async () => {
    const path = await sold();
    for (const who of [world.cat, world.server.guest]) expect((await who.get(path)).status).toBe(402);
    const { packet_id, hash } = await sent();
    expectError(await present(world.cat, path, hash), 409, "payment_already_used");
    expectError(await present(world.server.guest, path, hash), 409, "payment_already_used");
    expect((await world.fund(packet_id, hash)).body.red_packet.status).toBe("active");
  });

  test("can fund another packet of the same sender, or pay for their own purchase", async () => {
    const path = await sold();
    expect((await world.ann.get(path)).status).toBe(402);
    const old = (await world.create()).body.deposit.reference;
    const { packet_id } = (await world.create()).body;
    expect((await world.fund(packet_id, world.put({ references: [old] }))).body.red_packet.status).toBe("active");
    expect((await present(world.ann, path, world.put({ references: [old] }))).status).toBe(200);
  });
});

describe("a payment for something else", () => {
  test("with its challenge's id funds no packet of another user", async () => {
    const path = await sold();
    const { paymentId } = JSON.parse((await world.ann.get(path)).headers.get("payment-required") ?? "");
    const hash = world.put({ references: [paymentId] }, { sender: ANNS_COLD });
    await world.provenAddress("cat", ANNS_COLD);
    expectError(await world.create({ tx_hash: hash }, world.cat), 409, "tx_already_used");
    expect((await present(world.ann, path, hash)).status).toBe(200);
  });

  test("an authorization that is being settled funds no packet, even if a user submits it with their reference", async () => {
    const key = { token: "0xUsdc", authorizer: ANNS_COLD, nonce: `0x${"7".repeat(64)}` };
    const now = world.clock.now();
    await world.server.ctx.db
      .insertInto("payment_settlements")
      .values({
        chain_id: 31_337,
        token_address: key.token,
        authorizer: key.authorizer,
        nonce: key.nonce,
        resource: "/api/paid/page",
        principal: "g",
        payment_id: "0xid",
        currency: "USDC",
        recipient: TREASURY,
        amount: "30000",
        valid_before: now + 600_000,
        state: "settling",
        lease_until: now,
        from_height: 1,
        created_at: now,
      })
      .execute();
    const transfer = { asset: USDC, sender: ANNS_COLD, amount: 30_000n };
    const hash = world.put({ state: "confirming", authorizations: [key] }, transfer);
    await world.provenAddress("cat", ANNS_COLD);
    const wanted = { currency: "USDC", total_amount: "30000" };
    expectError(await world.create({ ...wanted, tx_hash: hash }, world.cat), 409, "tx_already_used");
    const { packet_id, deposit } = (await world.create(wanted, world.cat)).body;
    world.put({ state: "final", authorizations: [key], references: [deposit.reference] }, transfer, hash);
    expectError(await world.fund(packet_id, hash, world.cat), 409, "tx_already_used");
  });
});

test("a transfer from the treasury to itself funds nothing", async () => {
  await world.provenAddress("cat", TREASURY);
  const mismatch = await world.create({ tx_hash: world.put({}, { sender: TREASURY }) }, world.cat);
  expectError(mismatch, 422, "funding_mismatch");
  expect(mismatch.body.details).toEqual({ problem: "wrong_sender" });
});

async function sold(more: object = {}): Promise<string> {
  const seller = await staff(world.server, "seller", 2);
  const price = { amount: "9000", currency: "ETH", chain_id: 31_337, ...more };
  expect((await seller.post("/api/admin/paid", { slug: "page", price, text: "For who pays." })).status).toBe(201);
  return "/api/paid/page";
}

const present = (who: Client, path: string, hash: string) =>
  who.send("GET", path, { headers: { "payment-signature": JSON.stringify({ txHash: hash }) } });
