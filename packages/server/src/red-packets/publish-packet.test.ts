import { expect, test } from "bun:test";
import { EVENTS } from "@parley/protocol/events";
import { Compile } from "typebox/compile";
import { eventsOf, user } from "../../test/support/actors.ts";
import { FakePayouts } from "../../test/support/chains/fake-payouts.ts";
import { ETH, ScriptedChain, TREASURY } from "../../test/support/chains/scripted-chain.ts";
import { stillClock } from "../../test/support/clock.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { chainsOf } from "../chains/chains.ts";
import { transact } from "../db/transact.ts";
import type { UserIdentity } from "../http/identity.ts";
import { userTopic } from "../realtime/topics.ts";
import { claimPacket } from "./claim/claims.service.ts";
import { payoutChanged } from "./claim/payout-results.ts";
import { sweepPackets } from "./close/sweep.ts";
import { createPacket } from "./create/create.service.ts";
import { fundPacket } from "./fund/fund.service.ts";
import { readPacket } from "./packets.service.ts";

const GENERAL = 1;
const UPDATE = Compile(EVENTS["red_packet:update"].data);
const OWN = Compile(EVENTS["red_packet:own"].data);

eachDatabase((_, open) => {
  /** Ann has made a packet on a chain, for two; what she and Bob hear of their own is kept, as it is sent. */
  async function world() {
    const database = await open();
    const clock = stillClock();
    const ctx = testContext(database, { clock });
    const chain = new ScriptedChain();
    chainsOf(ctx).add(chain);
    const payouts = new FakePayouts(ctx);
    const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
    for (const [who, evm_address] of [
      [ann, "0xAnn"],
      [bob, "0xBob"],
    ] as const)
      await ctx.db
        .updateTable("users")
        .set({ evm_address, evm_proven_at: clock.now() })
        .where("id", "=", who.userId)
        .execute();
    const wanted = { channel_id: GENERAL, total_amount: "6000", count: 2, chain: "evm", currency: "ETH" } as const;
    const { packet_id } = await createPacket(ctx, ann, wanted, null);
    const heard: { topic: string; data: unknown }[] = [];
    ctx.broker.onMessages((topic, messages) => {
      for (const { event, frame } of messages)
        if (event === "red_packet:own") heard.push({ topic, data: JSON.parse(frame).data });
    });
    for (const { userId } of [ann, bob]) await ctx.broker.subscribe(userTopic(userId));
    const put = (amount = 6_000n, state: "confirming" | "final" = "final", hash?: string) => {
      const transfers = [{ asset: ETH, sender: "0xAnn", recipient: TREASURY, amount }];
      return chain.put({ state, time: clock.now(), transfers }, hash);
    };
    return {
      ctx,
      ann,
      bob,
      payouts,
      packet_id,
      put,
      /** Returns what the channel received since the last call: the event, the packet and the share. */
      async told() {
        const events = await eventsOf(ctx, GENERAL);
        await ctx.db.deleteFrom("channel_events").where("channel_id", "=", GENERAL).execute();
        return events.map(({ seq, event, data }) => {
          const whole = { channel_id: GENERAL, seq, ...(data as object) };
          if (event === "red_packet:update") expect(UPDATE.Errors(whole)).toEqual([]);
          const { red_packet, claim } = data as {
            red_packet: Record<string, unknown>;
            claim?: { payout: object } | null;
          };
          return { event, red_packet, payout: claim?.payout ?? null };
        });
      },
      /** Returns what one user received on their own topic since the last call. */
      own({ userId }: UserIdentity) {
        const mine = heard.filter(({ topic }) => topic === userTopic(userId));
        for (const one of mine) heard.splice(heard.indexOf(one), 1);
        for (const { data } of mine) expect(OWN.Errors(data)).toEqual([]);
        // biome-ignore lint/suspicious/noExplicitAny: a test looks into what it has checked against its schema.
        return mine.map(({ data }) => (data as any).red_packet);
      },
      async wait(ms = 6_000) {
        clock.advance(ms);
        await sweepPackets(ctx);
      },
      async claimed(by: UserIdentity) {
        await fundPacket(ctx, ann, packet_id, put());
        await claimPacket(ctx, by, packet_id);
        await this.told();
        this.own(ann);
        const request = payouts.requested.at(-1);
        if (request === undefined) throw new Error("no payout was asked for");
        return request;
      },
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    };
  }

  test("a pending share is published to its claimant, and a paid one to the channel, too", async () => {
    await using at = await world();
    const { ctx, ann, bob } = at;
    const request = await at.claimed(bob);
    const becomes = (status: "pending" | "failed" | "settled", hash: string | null) =>
      transact(ctx, (ctx) => payoutChanged(ctx, { key: request.key, status, hash }));

    await becomes("pending", "0xsent");
    expect(at.own(bob)).toMatchObject([
      { my_claim: { address: "0xBob", payout: { status: "pending", tx_hash: "0xsent" } } },
    ]);
    await becomes("pending", "0xsent");
    expect(at.own(bob)).toEqual([]);
    expect(await at.told()).toEqual([]);

    await becomes("failed", "0xsent");
    expect(await at.told()).toMatchObject([
      { event: "red_packet:update", red_packet: { my_claim: null }, payout: { status: "failed", tx_hash: null } },
    ]);
    expect(at.own(bob)).toMatchObject([{ my_claim: { payout: { status: "failed" } } }]);
    await becomes("pending", null);
    await at.payouts.pay(ctx, request);
    expect((await at.told()).map(({ payout }) => payout)).toMatchObject([{ status: "pending" }, { status: "settled" }]);
    const settled = { status: "settled", tx_hash: `0xpaid-${request.key}` };
    expect(at.own(bob).at(-1)).toMatchObject({ my_claim: { payout: settled } });
    // The update equals what the user reads.
    expect((await readPacket(ctx, bob, at.packet_id)).red_packet.my_claim?.payout).toMatchObject(settled);

    await becomes("failed", null);
    expect([await at.told(), at.own(bob), at.own(ann)]).toEqual([[], [], []]);
  });

  test("a rollback publishes nothing", async () => {
    await using at = await world();
    const { key } = await at.claimed(at.bob);
    const failing = transact(at.ctx, async (ctx) => {
      await payoutChanged(ctx, { key, status: "settled", hash: "0xpaid" });
      throw new Error("the lease is lost");
    });
    await expect(failing).rejects.toThrow("the lease is lost");
    expect([await at.told(), at.own(at.bob)]).toEqual([[], []]);
  });

  test("updates of the funding are published: named, rejected, replaced and final", async () => {
    await using at = await world();
    const { ctx, ann, packet_id } = at;
    const hash = at.put(5n, "confirming");
    await fundPacket(ctx, ann, packet_id, hash).catch(() => {});
    expect(await at.told()).toEqual([]);

    at.put(6_000n, "confirming", hash);
    await fundPacket(ctx, ann, packet_id, hash);
    const funding = { tx_hash: null, status: "pending" };
    expect(await at.told()).toMatchObject([{ event: "red_packet:update", red_packet: { funding }, payout: null }]);
    expect(at.own(ann)).toMatchObject([{ funding: { tx_hash: hash, status: "pending" }, my_claim: null }]);
    await at.wait();
    expect([await at.told(), at.own(ann)]).toEqual([[], []]);

    at.put(5n, "final", hash);
    await at.wait();
    const wrong = { status: "failed", problem: "wrong_amount" };
    expect(await at.told()).toMatchObject([{ event: "red_packet:update", red_packet: { funding: wrong } }]);
    expect(at.own(ann)).toMatchObject([{ funding: wrong }]);
    await fundPacket(ctx, ann, packet_id, at.put());
    expect((await at.told()).map(({ event }) => event)).toEqual(["red_packet:new"]);
  });

  test("a refund is published with the sender's own share", async () => {
    await using at = await world();
    const { ctx, ann } = at;
    await at.claimed(ann);
    await at.wait(86_400_001);
    expect((await at.told()).map(({ event }) => event)).toEqual(["red_packet:closed"]);
    const refund = at.payouts.requested.at(-1);
    if (refund?.reason !== "refund") throw new Error("no refund was asked for");
    await transact(ctx, (ctx) => payoutChanged(ctx, { key: refund.key, status: "pending", hash: "0xback" }));
    expect(await at.told()).toEqual([]);
    expect(at.own(ann)).toMatchObject([{ refund: { tx_hash: "0xback" }, my_claim: { address: "0xAnn" } }]);
    await at.payouts.pay(ctx, refund);
    const told = { status: "refunded", refund: { amount: "3000", status: "settled", tx_hash: null } };
    expect(await at.told()).toMatchObject([{ event: "red_packet:update", red_packet: told, payout: null }]);
    expect(at.own(ann)).toMatchObject([{ status: "refunded", refund: { tx_hash: `0xpaid-${refund.key}` } }]);
    expect(at.own(at.bob)).toEqual([]);
  });
});
