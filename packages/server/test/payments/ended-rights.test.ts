import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { replaceKeys } from "../../src/agents/keys/key-lifecycle.ts";
import { transact } from "../../src/db/transact.ts";
import { ChainWorld } from "../support/chains/chain-world.ts";
import { challengeFor, challengeIn, present, sell } from "../support/chains/payment-world.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { newChannel } from "../support/new-channel.ts";
import { during } from "../support/rights/slow-call.ts";
import { Client, logIn } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

const AMOUNT = 1_000_000n;

/** A right that ends while the chain is asked: money is neither taken without what it pays for, nor spent twice. */
eachDatabase((_, open) => {
  let world: ChainWorld;
  let price: object;
  beforeEach(async () => {
    world = await ChainWorld.start({}, { database: await open() });
    price = { amount: String(AMOUNT), currency: "ETH", chain_id: world.chain.chainId };
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const pay = (sender = "0xAnn", more = {}) => world.put({}, { sender, amount: AMOUNT, ...more });
  const states = async () => {
    const rows = await world.server.ctx.db.selectFrom("payments").select("state").orderBy("id").execute();
    return rows.map(({ state }) => state);
  };
  const meanwhile = <T>(act: () => Promise<T>, end: () => Promise<unknown>) => during(world.server, act, end, "chain");
  const shop = async () => {
    const { id, slug } = await newChannel(world.bob);
    expect((await world.bob.put(`/api/channels/${id}`, { price })).status).toBe(200);
    return { id, slug, path: `/api/channels/${id}/join` };
  };
  const isMember = async (client: Client, id: number) =>
    (await client.get(`/api/channels/${id}`)).body.channel?.my_role === "member";

  describe.each(["GET", "POST"] as const)("a resource that is bought by %s", (method) => {
    test("is not sold to a session that has ended, whose user buys it later with the same transaction", async () => {
      const path = await sell(world.server, "thing", price);
      const again = await logIn(world.server.url, "ann");
      await challengeFor(world.ann, path);
      const txHash = pay();
      const bought = await meanwhile(
        () => present(world.ann, path, txHash, method),
        () => world.ann.post("/api/auth/logout", {}),
      );
      expectError(bought, 401, "session_required");
      expect(await states()).not.toContain("granted");
      expect((await present(again, path, txHash, method)).body).toBe("The content of thing");
      expectError(await present(world.bob, path, txHash, method), 409, "payment_already_used");
      expect((await states()).filter((state) => state === "granted")).toHaveLength(1);
    });

    test("is not sold to a key that is revoked, and is sold to its agent's next key", async () => {
      const path = await sell(world.server, "thing", price);
      const admin = await staff(world.server, "warden", 2);
      const agent = await world.server.agent();
      await challengeFor(agent, path);
      const txHash = pay("0xElse");
      const bought = await meanwhile(
        () => present(agent, path, txHash, method),
        () => admin.delete(`/api/agenthub/agent-api-key/${agent.keyId}`),
      );
      expectError(bought, 401, "key_revoked");
      expect(await states()).not.toContain("granted");
      const { api_key } = await transact(world.server.ctx, (ctx) => replaceKeys(ctx, agent.agentId, 0));
      const next = new Client(world.server.url, { authorization: `Bearer ${api_key}` });
      expect((await present(next, path, txHash, method)).body).toBe("The content of thing");
    });
  });

  test("a user who is banned meanwhile does not join and is not charged; they join with it when the ban ends", async () => {
    const { id, path } = await shop();
    const { recipient } = challengeIn(await world.ann.post(path));
    const txHash = pay("0xAnn", { recipient });
    const joining = await meanwhile(
      () => present(world.ann, path, txHash, "POST"),
      () => world.bob.post(`/api/channels/${id}/bans`, { username: "ann" }),
    );
    expectError(joining, 403, "banned");
    expect(await states()).not.toContain("granted");
    await world.bob.delete(`/api/channels/${id}/bans/ann`);
    expect((await present(world.ann, path, txHash, "POST")).status).toBe(200);
    expect(await isMember(world.ann, id)).toBe(true);
    expect((await states()).filter((state) => state === "granted")).toHaveLength(1);
  });

  test("an agent that is banned meanwhile does not log in and is not charged", async () => {
    const { id, slug } = await shop();
    const agent = await world.server.agent("Buyer");
    const login = (txHash: string | null) =>
      agent.post(
        "/api/agenthub/login",
        { channel_slug: slug, agent_name: "Buyer" },
        { headers: txHash === null ? {} : { "payment-signature": JSON.stringify({ txHash }) } },
      );
    const { recipient } = challengeIn(await login(null));
    const txHash = pay("0xElse", { recipient });
    const joining = await meanwhile(
      () => login(txHash),
      () => world.bob.post(`/api/channels/${id}/bans`, { agent_name: "Buyer" }),
    );
    expectError(joining, 403, "banned");
    expect(await states()).not.toContain("granted");
  });

  describe("of a red packet on a chain,", () => {
    test("a user who is banned meanwhile claims no share, and the share is left", async () => {
      const { id } = await newChannel(world.ann);
      const packet = await world.active({ channel_slug: undefined, channel_id: id });
      const claiming = await meanwhile(
        () => world.claim(packet),
        () => world.ann.post(`/api/channels/${id}/bans`, { username: "bob" }),
      );
      expectError(claiming, 403, "not_eligible");
      expect((await world.read(packet)).red_packet).toMatchObject({ status: "active", remaining_count: 3 });
      await world.ann.delete(`/api/channels/${id}/bans/bob`);
      expect((await world.claim(packet)).status).toBe(200);
    });

    test("a member who is removed meanwhile claims no share and does not come back", async () => {
      const { id } = await newChannel(world.ann, { is_private: true });
      await world.ann.put(`/api/channels/${id}/members/bob`, { role: "member" });
      const packet = await world.active({ channel_slug: undefined, channel_id: id });
      const claiming = await meanwhile(
        () => world.claim(packet),
        () => world.ann.delete(`/api/channels/${id}/members/bob`),
      );
      expectError(claiming, 404, "packet_not_found");
      expect((await world.read(packet)).red_packet).toMatchObject({ status: "active", remaining_count: 3 });
    });

    test("a sender who is muted meanwhile makes none", async () => {
      const { id } = await newChannel(world.bob);
      await world.ann.post(`/api/channels/${id}/join`);
      const making = await meanwhile(
        () => world.create({ channel_slug: undefined, channel_id: id }),
        () => world.bob.put(`/api/channels/${id}/members/ann`, { muted_until: "2999-01-01T00:00:00.000Z" }),
      );
      expectError(making, 403, "muted");
      expect(await world.server.ctx.db.selectFrom("packets").select("id").execute()).toEqual([]);
    });

    test("a sender who is banned meanwhile still funds it, because the money has moved", async () => {
      const { id } = await newChannel(world.bob);
      await world.ann.post(`/api/channels/${id}/join`);
      const { packet_id } = (await world.create({ channel_slug: undefined, channel_id: id })).body;
      const funding = await meanwhile(
        () => world.fund(packet_id, world.put()),
        () => world.bob.post(`/api/channels/${id}/bans`, { username: "ann" }),
      );
      expect(funding.status).toBe(200);
      expect(funding.body.red_packet).toMatchObject({ status: "active" });
    });
  });
});
