import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ChainWorld } from "../support/chains/chain-world.ts";
import { USDC } from "../support/chains/scripted-chain.ts";
import { expectError } from "../support/expect-error.ts";
import { eventually } from "../support/servers/test-server.ts";

const HOUR = 3_600_000;

let world: ChainWorld;
beforeEach(async () => {
  world = await ChainWorld.start();
});
afterEach(() => world[Symbol.asyncDispose]());

describe("a transfer to a red packet", () => {
  test.each([
    ["wrong_recipient", (world: ChainWorld) => world.transaction({}, { recipient: "0xElse" })],
    ["wrong_recipient", (world: ChainWorld) => world.transaction({ transfers: [] })],
    ["wrong_currency", (world: ChainWorld) => world.transaction({}, { asset: USDC })],
    ["wrong_amount", (world: ChainWorld) => world.transaction({}, { amount: 8_999n })],
    ["wrong_amount", (world: ChainWorld) => world.transaction({}, { amount: 9_001n })],
    ["wrong_sender", (world: ChainWorld) => world.transaction({}, { sender: "0xBob" })],
    ["wrong_sender", (world: ChainWorld) => world.transaction({ references: ["0xother"] }, { sender: "0xBob" })],
    ["tx_failed", (world: ChainWorld) => world.transaction({ state: "failed", isFinal: true })],
    ["too_old", (world: ChainWorld) => world.transaction({ time: world.clock.now() - HOUR - 1 })],
  ])("is refused as %s, both when it is named and when a packet is created with it", async (problem, make) => {
    const hash = world.chain.put(make(world));
    const { packet_id } = (await world.create()).body;
    for (const answer of [await world.fund(packet_id, hash), await world.create({ tx_hash: hash })]) {
      expectError(answer, 422, "funding_mismatch");
      expect(answer.body.details).toEqual({ problem });
    }
    expect((await world.read(packet_id)).red_packet).toMatchObject({
      status: "pending_funding",
      funding: { status: "waiting" },
    });
    // Another transfer can still be named.
    expect((await world.fund(packet_id, world.put())).body.red_packet.status).toBe("active");
  });

  test("with the packet's reference funds that packet, whoever sent it", async () => {
    const { packet_id, deposit } = (await world.create()).body;
    const hash = world.put({ references: [deposit.reference] }, { sender: "0xElse" });
    expect((await world.fund(packet_id, hash)).body.red_packet.status).toBe("active");
    await world.wait(2 * 86_400_000);
    // Back to where it came from.
    expect(world.payouts.requested).toMatchObject([{ to: "0xElse", amount: 9_000n }]);
  });

  test("from an address in two profiles belongs to the user who has proven it", async () => {
    await world.address("ann", "0xAnn");
    await world.address("cat", "0xAnn");
    const hash = world.put();
    const [one, two] = [(await world.create()).body.packet_id, (await world.create({}, world.cat)).body.packet_id];
    expectError(await world.fund(one, hash), 422, "funding_mismatch");
    expectError(await world.fund(two, hash, world.cat), 422, "funding_mismatch");
    await world.provenAddress("ann", "0xAnn");
    expectError(await world.fund(two, hash, world.cat), 422, "funding_mismatch");
    expect((await world.fund(one, hash)).body.red_packet.status).toBe("active");
  });

  test("funds one packet, however many name it at once", async () => {
    const ids = [];
    for (let n = 0; n < 5; n += 1) ids.push((await world.create()).body.packet_id);
    const hash = world.put();
    const answers = await Promise.all(ids.map((id) => world.fund(id, hash)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectError(answer, 409, "tx_already_used");
    // Naming it again for the same packet is no error.
    const winner = ids[answers.findIndex(({ status }) => status === 200)];
    expect((await world.fund(winner, hash)).status).toBe(200);
    expectError(await world.fund(winner, world.put()), 409, "packet_not_active");
  });

  test("with a repeated key while the first packet is being created gives one packet to both requests", async () => {
    const body = { channel_slug: "general", total_amount: "9000", count: 3, chain: "evm", tx_hash: world.put() };
    const ask = () => world.ann.post("/api/red-packets", body, { headers: { "idempotency-key": "one-packet" } });
    // The chain lets one request wait for the minimum transfer until the other packet is created.
    const [asked, told] = [Promise.withResolvers<void>(), Promise.withResolvers<bigint>()];
    const { leastTransfer } = world.chain;
    world.chain.leastTransfer = () => {
      world.chain.leastTransfer = leastTransfer;
      asked.resolve();
      return told.promise;
    };
    const slow = ask();
    await asked.promise;
    const made = await ask();
    told.resolve(1_000n);
    expect(made.status).toBe(201);
    expect([(await slow).status, (await slow).body]).toMatchObject([
      200,
      { packet_id: made.body.packet_id, deduplicated: true },
    ]);
  });

  test("a transfer that is not on the chain yet is waited for, and its result is reported", async () => {
    const { packet_id } = (await world.create()).body;
    const hash = world.put({ state: "pending" });
    expect((await world.fund(packet_id, hash)).body.red_packet.funding).toMatchObject({
      status: "pending",
      tx_hash: hash,
    });
    world.put({}, { amount: 1n }, hash);
    await world.wait();
    expect((await world.read(packet_id)).red_packet).toMatchObject({
      status: "pending_funding",
      funding: { status: "failed", problem: "wrong_amount", tx_hash: hash },
    });
    expect((await world.fund(packet_id, world.put())).body.red_packet.status).toBe("active");
  });

  test("a transfer removed by a reorganisation credits nothing until it returns", async () => {
    const { packet_id } = (await world.create()).body;
    const hash = world.put({ state: "confirming" });
    await world.fund(packet_id, hash);
    world.chain.drop(hash);
    for (let n = 0; n < 3; n += 1) {
      await world.wait();
    }
    expect((await world.read(packet_id)).red_packet.status).toBe("pending_funding");
    expect(
      await world.server.ctx.db.selectFrom("ledger_transfers").select("id").where("kind", "=", "packet_fund").execute(),
    ).toEqual([]);
    world.put({}, {}, hash);
    await world.wait();
    expect((await world.read(packet_id)).red_packet.status).toBe("active");
  });

  test("a named transfer that never arrives fails the packet after an hour, and is looked for another day", async () => {
    const { packet_id } = (await world.create()).body;
    await world.fund(packet_id, world.put({ state: "pending" }));
    await world.wait(HOUR - 1);
    expect((await world.read(packet_id)).red_packet.status).toBe("pending_funding");
    await world.wait();
    const failed = { status: "failed", funding: { status: "pending" } };
    expect((await world.read(packet_id)).red_packet).toMatchObject(failed);
    const looks = async (ms: number) => {
      const before = world.chain.looks;
      for (let passed = 0; passed < ms; passed += 6_000) await world.wait();
      return world.chain.looks - before;
    };
    expect(await looks(600_000)).toBeLessThanOrEqual(11);
    await world.wait(24 * HOUR);
    expect(await looks(600_000)).toBe(0);
  });

  test("a packet without a transfer fails after an hour, and a later transfer is returned", async () => {
    const { packet_id } = (await world.create()).body;
    await world.wait(HOUR - 1);
    expect((await world.read(packet_id)).red_packet.status).toBe("pending_funding");
    await world.wait(1);
    expect((await world.read(packet_id)).red_packet).toMatchObject({
      status: "failed",
      close_reason: "failed",
      refund: null,
    });
    expectError(await world.claim(packet_id), 409, "packet_not_active");
    expectError(await world.ann.post(`/api/red-packets/${packet_id}/cancel`), 409, "packet_not_active");
    const late = await world.fund(packet_id, world.put());
    expect(late.body.message).toBe("The red packet is closed, and the rest is returned.");
    expect(late.body.red_packet).toMatchObject({
      status: "refunding",
      close_reason: "failed",
      refund: { amount: "9000" },
    });
    expect(world.payouts.requested).toMatchObject([{ reason: "refund", to: "0xAnn", amount: 9_000n }]);
  });

  test("can be named by its sender even if they are banned or the channel is deleted", async () => {
    const deals = { name: "Deals", is_private: true, password: "between us" };
    const { channel_id } = (await world.bob.post("/api/channels", deals)).body;
    expect((await world.ann.post(`/api/channels/${channel_id}/join`, { password: "between us" })).status).toBe(200);
    const wanted = { channel_slug: undefined, channel_id };
    const [banned, late] = [(await world.create(wanted)).body.packet_id, (await world.create(wanted)).body.packet_id];
    const ban = await world.bob.post(`/api/channels/${channel_id}/bans`, { username: "ann" });
    expect(ban.status).toBe(201);
    expectError(await world.ann.get(`/api/red-packets/${banned}`), 403, "password_required");
    expect((await world.fund(banned, world.put())).body.red_packet.status).toBe("active");
    expectError(await world.fund(banned, world.put(), world.cat), 403, "password_required");

    expect((await world.claim(banned)).status).toBe(200);
    await world.wait(2 * 86_400_000);
    for (const payout of world.payouts.requested) await world.payouts.pay(world.server.ctx, payout);
    expect((await world.bob.delete(`/api/channels/${channel_id}`)).status).toBe(200);
    expect((await world.fund(late, world.put())).body.red_packet).toMatchObject({
      status: "refunding",
      refund: { amount: "9000" },
    });
    expectError(await world.fund(late, world.put(), world.cat), 404, "packet_not_found");
  });

  test("to a packet that was cancelled is returned", async () => {
    const { packet_id } = (await world.create()).body;
    const hash = world.put({ state: "confirming" });
    await world.fund(packet_id, hash);
    const cancelled = await world.ann.post(`/api/red-packets/${packet_id}/cancel`);
    expect(cancelled.body.red_packet).toMatchObject({ status: "cancelled", refund: null });
    world.put({}, {}, hash);
    // The server's own sweep may have checked a moment before, and checks again in a minute.
    const returned = await eventually("it is sent back", async () => {
      await world.wait(60_001);
      const { red_packet } = await world.read(packet_id);
      return red_packet.status === "cancelled" ? null : red_packet;
    });
    expect(returned).toMatchObject({ status: "refunding", close_reason: "cancelled" });
    expect(world.payouts.requested).toHaveLength(1);
  });
});

describe("a chain that does not respond", () => {
  test("takes nothing back: a transfer that was seen is waited for even after the hour", async () => {
    const { packet_id } = (await world.create()).body;
    const hash = world.put({ state: "confirming" });
    await world.fund(packet_id, hash);
    world.chain.isSilent = true;
    await world.wait(HOUR - 6_000);
    expect((await world.fund(packet_id, hash)).status).toBe(200);
    expectError(await world.fund(packet_id, world.put()), 409, "packet_not_active");
    for (let n = 0; n < 3; n += 1) await world.wait();
    expect((await world.read(packet_id)).red_packet.status).toBe("pending_funding");
    world.chain.isSilent = false;
    world.put({}, {}, hash);
    await eventually("it is active", async () => {
      await world.wait();
      return (await world.read(packet_id)).red_packet.status === "active";
    });
  });

  test("refuses nothing and credits nothing", async () => {
    const { packet_id } = (await world.create()).body;
    const hash = world.put();
    world.chain.isSilent = true;
    expectError(await world.create(), 502, "chain_unavailable");
    expect((await world.fund(packet_id, hash)).body.red_packet).toMatchObject({
      status: "pending_funding",
      funding: { status: "pending" },
    });
    await world.wait();
    expect((await world.read(packet_id)).red_packet.funding.status).toBe("pending");
    world.chain.isSilent = false;
    await world.wait();
    expect((await world.read(packet_id)).red_packet.status).toBe("active");
  });
});
