import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ChainWorld } from "../support/chains/chain-world.ts";
import { TREASURY, USDC } from "../support/chains/scripted-chain.ts";
import { expectError } from "../support/expect-error.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";

let world: ChainWorld;
beforeEach(async () => {
  world = await ChainWorld.start();
});
afterEach(() => world[Symbol.asyncDispose]());

describe("a red packet on a chain", () => {
  test("waits for its deposit, and is then funded, claimed and paid out", async () => {
    await using socket = await LiveSocket.open(world.server.url);
    await socket.ask("channel:join", { channel_slug: "general" });
    const made = await world.create();
    expect(made.status).toBe(201);
    const { packet_id, red_packet, deposit } = made.body;
    expect(deposit).toMatchObject({ address: TREASURY, amount: "9000", chain_id: 31_337 });
    expect(red_packet).toMatchObject({
      status: "pending_funding",
      chain: "evm",
      chain_id: 31_337,
      currency: "ETH",
      decimals: 18,
    });
    expect(red_packet.fairness.min_share).toBe("3000");
    expectError(await world.claim(packet_id), 409, "packet_not_active");

    const hash = world.put({ state: "confirming" });
    const named = await world.fund(packet_id, hash);
    expect(named.body.red_packet).toMatchObject({
      status: "pending_funding",
      funding: { tx_hash: hash, status: "pending" },
    });
    await world.wait();
    expect((await world.read(packet_id)).red_packet.status).toBe("pending_funding");
    world.put({ time: world.clock.now() }, {}, hash);
    await world.wait();
    const { red_packet: funded } = await world.read(packet_id);
    expect(funded).toMatchObject({ status: "active", funding: { tx_hash: hash, status: "settled" } });
    // Its time starts now.
    expect(Date.parse(funded.expires_at)).toBe(world.clock.now() + 86_400_000);
    const { data } = await socket.next("red_packet:new");
    expect(data).toMatchObject({ packet_id, seq: 3, red_packet: { status: "active", funding: { tx_hash: null } } });

    expectError(await world.claim(packet_id, world.cat), 422, "wallet_address_required");
    const claimed = await world.claim(packet_id);
    expect(claimed.body.claim).toMatchObject({
      amount: "3000",
      chain: "evm",
      address: "0xBob",
      payout: { status: "pending", tx_hash: null },
    });
    expect(world.payouts.requested).toEqual([
      {
        key: `packet:${packet_id}:claim:2`,
        reason: "claim",
        chain: "evm",
        chainId: 31_337,
        currency: "ETH",
        tokenAddress: null,
        to: "0xBob",
        amount: 3_000n,
      },
    ]);
    for (const payout of world.payouts.requested) await world.payouts.pay(world.server.ctx, payout);
    const { claims } = await world.read(packet_id, world.bob);
    expect(claims[0].payout).toMatchObject({ status: "settled", tx_hash: expect.stringMatching(/^0xpaid/) });
    // Others must not learn which address belongs to whom.
    const seen = await world.read(packet_id, world.cat);
    expect([seen.claims[0].address, seen.claims[0].payout.tx_hash, seen.red_packet.funding.tx_hash]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test("reports the outcome of a payout on every socket: to all that it is paid, and to the payee by which transaction", async () => {
    const id = await world.active();
    await using his = await LiveSocket.open(world.server.url, world.bob.credential);
    await using guests = await LiveSocket.open(world.server.url);
    for (const socket of [his, guests]) await socket.ask("channel:join", { channel_slug: "general" });
    await world.claim(id);
    const [payout] = world.payouts.requested;
    if (payout === undefined) throw new Error("no payout was asked for");
    await world.payouts.pay(world.server.ctx, payout);
    for (const socket of [his, guests]) {
      const { data } = await socket.next("red_packet:update");
      expect(data.claim).toMatchObject({
        username: "bob",
        address: null,
        payout: { status: "settled", tx_hash: null },
      });
    }
    const { data } = await his.next("red_packet:own");
    expect(data.red_packet).toEqual((await world.read(id, world.bob)).red_packet);
    expect(data.red_packet.my_claim.payout).toMatchObject({ status: "settled", tx_hash: `0xpaid-${payout.key}` });
    await guests.settle();
    expect(guests.all("red_packet:own")).toEqual([]);
    // A user who was away receives it on return, with everything else they missed.
    await using later = await LiveSocket.open(world.server.url);
    const { epoch } = (await his.next("session:ready")).data;
    const resume = { channel_slug: "general", after_seq: his.seqs.at(-2), epoch };
    const { data: missed } = await later.ask("channel:join", resume);
    expect(missed).toMatchObject({ recovered: true, events: [{ event: "red_packet:update" }] });
  });

  test("is not created if it could not be paid out, but a packet that was already paid for is accepted", async () => {
    world.payouts.trouble = "low_gas";
    const refused = await world.create();
    expectError(refused, 503, "payouts_unavailable");
    expect(refused.body).toMatchObject({ details: { reason: "low_gas" }, retry_after: 300 });
    expect((await world.create({ tx_hash: world.put() })).status).toBe(201);
    world.payouts.trouble = null;
    expect((await world.create()).status).toBe(201);
  });

  test("is active at once if its transfer is already final", async () => {
    const tx_hash = world.put();
    const made = await world.create({ tx_hash });
    expect(made.body.red_packet).toMatchObject({ status: "active", funding: { tx_hash, status: "settled" } });
    expectError(await world.create({ tx_hash }), 409, "tx_already_used");
    expect((await world.ann.get("/api/red-packets?channel_id=general")).body.red_packets).toHaveLength(1);
  });

  test("a packet of a token requires that token", async () => {
    const token = { currency: "USDC", total_amount: "30000", token_address: "0xUsdc" };
    const { packet_id, red_packet } = (await world.create(token)).body;
    expect(red_packet).toMatchObject({ token_address: "0xUsdc", decimals: 6, fairness: { min_share: "10000" } });
    const coin = world.put({}, { amount: 30_000n });
    const mismatch = await world.fund(packet_id, coin);
    expectError(mismatch, 422, "funding_mismatch");
    expect(mismatch.body.details).toEqual({ problem: "wrong_currency" });
    const right = world.put({}, { asset: USDC, amount: 30_000n });
    expect((await world.fund(packet_id, right)).body.red_packet.status).toBe("active");
  });

  test("returns the rest on the chain when its time is over", async () => {
    const id = await world.active({ expires_in: 60 });
    await world.claim(id);
    await world.wait(61_000);
    expect((await world.read(id)).red_packet).toMatchObject({
      status: "refunding",
      close_reason: "expired",
      remaining_amount: "0",
      refund: { amount: "6000", status: "pending", tx_hash: null },
    });
    const [, refund] = world.payouts.requested;
    if (refund === undefined) throw new Error("no refund");
    expect(refund).toMatchObject({ key: `packet:${id}:refund`, reason: "refund", to: "0xAnn", amount: 6_000n });
    expectError(await world.ann.delete("/api/channels/1"), 403, "forbidden");
    await world.payouts.fail(world.server.ctx, refund);
    expect((await world.read(id)).red_packet).toMatchObject({ status: "refunding", refund: { status: "failed" } });
    await world.payouts.pay(world.server.ctx, refund);
    expect((await world.read(id)).red_packet).toMatchObject({ status: "refunded", refund: { status: "settled" } });
    // A settled payout stays settled, whatever is reported later.
    await world.payouts.fail(world.server.ctx, refund);
    expect((await world.read(id)).red_packet).toMatchObject({ status: "refunded", refund: { status: "settled" } });
  });

  test("a packet is still paid and returned after its channel is deleted, and its claimer is notified", async () => {
    const { channel_id } = (await world.ann.post("/api/channels", { name: "Deals" })).body;
    const [claimed, late] = [
      await world.active({ channel_slug: undefined, channel_id, count: 1 }),
      (await world.create({ channel_slug: undefined, channel_id })).body.packet_id,
    ];
    await world.claim(claimed);
    const [share] = world.payouts.requested;
    if (share === undefined) throw new Error("no payout was asked for");
    await world.payouts.fail(world.server.ctx, share);
    // The other one is given up while a named transfer is on its way.
    const hash = world.put({ state: "pending" });
    await world.fund(late, hash);
    await world.wait(3_600_001);
    await world.wait();
    expect((await world.ann.delete(`/api/channels/${channel_id}`)).status).toBe(200);

    await using his = await LiveSocket.open(world.server.url, world.bob.credential);
    await world.payouts.pay(world.server.ctx, share);
    expect((await his.next("red_packet:own")).data.red_packet.my_claim.payout.status).toBe("settled");
    world.put({ time: world.clock.now() }, {}, hash);
    await world.wait(60_001);
    const refund = world.payouts.requested.at(-1);
    expect(refund).toMatchObject({ key: `packet:${late}:refund`, amount: 9_000n });
    if (refund !== undefined) await world.payouts.pay(world.server.ctx, refund);
    const { db } = world.server.ctx;
    expect(await db.selectFrom("packets").select(["id", "status"]).orderBy("id").execute()).toEqual([
      { id: claimed, status: "exhausted" },
      { id: late, status: "refunded" },
    ]);
  });
});

test("an impossible packet is refused before anything is created", async () => {
  for (const more of [
    { chain_id: 1 },
    { currency: "DOGE" },
    { token_address: "0xNone", currency: null },
    { currency: "ETH", token_address: "0xUsdc" },
    { chain: "solana" },
  ])
    expectError(await world.create(more), 400, "unsupported_chain");
  const small = await world.create({ total_amount: "8999" });
  expectError(small, 400, "share_too_small");
  expect(small.body.details).toEqual({ min_share: "3000", min_total: "9000" });
  expectError(await world.create({ total_amount: "2" }), 400, "invalid_amount");
  expectError(await world.create({ tx_hash: "nonsense" }), 400, "invalid_tx_hash");
  const { packet_id } = (await world.create()).body;
  expectError(await world.fund(packet_id, "nonsense"), 400, "invalid_tx_hash");
  expectError(await world.fund(packet_id, world.put(), world.bob), 403, "forbidden");
  expectError(await world.fund(99_999, "0xh1"), 404, "packet_not_found");
});

test("a malformed amount creates nothing, and asks for no deposit", async () => {
  const ledger = () => world.server.ctx.db.selectFrom("ledger_transfers").select("id").execute();
  const before = await ledger();
  for (const total_amount of [
    9_000,
    9_000.5,
    -1,
    0,
    null,
    "0",
    "-9000",
    "09000",
    "9000.0",
    "9e3",
    String(2n ** 256n),
  ]) {
    const refused = await world.create({ total_amount });
    expectError(refused, 400, "invalid_amount");
    expect(refused.body.deposit).toBeUndefined();
  }
  expect((await world.ann.get("/api/red-packets?channel_id=general")).body.red_packets).toEqual([]);
  expect(await ledger()).toEqual(before);
});

test("a chain that is no longer configured funds and pays nothing, and waiting payouts are paid when it is back", async () => {
  const [waiting, active] = [(await world.create()).body.packet_id, await world.active()];
  const hash = world.put();
  const chainId = (chain_id: number) => world.server.ctx.db.updateTable("packets").set({ chain_id }).execute();
  await chainId(5);
  expectError(await world.fund(waiting, hash), 502, "chain_unavailable");
  expectError(await world.claim(active), 502, "chain_unavailable");
  expect(world.payouts.requested).toEqual([]);
  await chainId(31_337);
  expect((await world.fund(waiting, hash)).body.red_packet.status).toBe("active");
  expect((await world.claim(active)).status).toBe(200);
});
