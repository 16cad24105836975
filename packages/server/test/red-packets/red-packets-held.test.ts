import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ChainWorld } from "../support/chains/chain-world.ts";
import { expectError } from "../support/expect-error.ts";
import { eventually, PASSWORD } from "../support/servers/test-server.ts";

let world: ChainWorld;
beforeEach(async () => {
  world = await ChainWorld.start();
});
afterEach(() => world[Symbol.asyncDispose]());

/** While value of users can still leave a packet, neither its channel nor its sender's account can be deleted. */
describe("a red packet on a chain", () => {
  test("keeps its channel from being deleted until its last payout is settled", async () => {
    const made = await world.ann.post("/api/channels", { name: "Deals" });
    const id = await world.active({ channel_slug: undefined, channel_id: made.body.channel_id, count: 1 });
    await world.claim(id);
    const remove = () => world.ann.delete(`/api/channels/${made.body.channel_id}`);
    expectError(await remove(), 409, "open_red_packets");
    for (const payout of world.payouts.requested) await world.payouts.pay(world.server.ctx, payout);
    expect((await remove()).status).toBe(200);
  });

  test("a packet cancelled before it is funded blocks the deletion of neither its channel nor its sender", async () => {
    const { channel_id } = (await world.ann.post("/api/channels", { name: "Deals" })).body;
    const { packet_id } = (await world.create({ channel_slug: undefined, channel_id }, world.ann)).body;
    expect((await world.ann.post(`/api/red-packets/${packet_id}/cancel`)).body.red_packet.status).toBe("cancelled");
    const { packet_id: other } = (await world.create({}, world.bob)).body;
    await world.bob.post(`/api/red-packets/${other}/cancel`);
    expect((await world.ann.delete(`/api/channels/${channel_id}`)).status).toBe(200);
    expect((await world.bob.delete("/api/user/bob", { body: { password: PASSWORD } })).status).toBe(200);
  });

  test("a packet cancelled while its transfer becomes final blocks both deletions until the transfer is returned", async () => {
    const { channel_id } = (await world.bob.post("/api/channels", { name: "Deals" })).body;
    const { packet_id } = (await world.create({ channel_slug: undefined, channel_id })).body;
    const hash = world.put({ state: "confirming" });
    await world.fund(packet_id, hash);
    await world.ann.post(`/api/red-packets/${packet_id}/cancel`);
    const [remove, erase] = [
      () => world.bob.delete(`/api/channels/${channel_id}`),
      () => world.ann.delete("/api/user/ann", { body: { password: PASSWORD } }),
    ];
    for (const go of [remove, erase]) expectError(await go(), 409, "open_red_packets");
    world.put({}, {}, hash);
    // The server's own sweep may have checked a moment before, and checks again in a minute.
    await eventually("it is given back", async () => {
      await world.wait(60_001);
      return world.payouts.requested.length === 1;
    });
    for (const go of [remove, erase]) expectError(await go(), 409, "open_red_packets");
    for (const payout of world.payouts.requested) await world.payouts.pay(world.server.ctx, payout);
    for (const go of [remove, erase]) expect((await go()).status).toBe(200);
  });
});
