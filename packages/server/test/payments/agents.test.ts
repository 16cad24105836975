import { expect, test } from "bun:test";
import { challengeIn, openShop, PLATFORM, PRICE, payToken, present } from "../support/chains/payment-world.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";

/** Agents in channels with a price (protocol §5, §7). */
eachDatabase(async (name, open) => {
  const { bank, server, ann } = await forAllTests(openShop({ database: await open() }));

  let rooms = 0;
  const room = async (): Promise<number> =>
    (await ann.post("/api/channels", { name: `Shop ${++rooms}`, price: PRICE })).body.channel_id;
  const pay = (from: number) => payToken(bank, from, PLATFORM, BigInt(PRICE.amount));

  test("an agent pays at its login, and can then read and write", async () => {
    const id = await room();
    const { channel_slug } = (await ann.get(`/api/channels/${id}`)).body.channel;
    const agent = await server.agent(`Buyer ${name}`);
    const body = { channel_slug, agent_name: `Buyer ${name}` };
    const { paymentId } = challengeIn(await agent.post("/api/agenthub/login", body));
    const proof = JSON.stringify({ txHash: await pay(5), paymentId });
    const headers = { "payment-signature": proof };
    expect((await agent.send("POST", "/api/agenthub/login", { body, headers })).status).toBe(200);
    expect((await agent.post("/api/agenthub/send", { channel_slug, message: "hello" })).status).toBe(201);
  });

  test("an agent pays at exactly the path that its unpaid login names, and is logged in", async () => {
    const id = await room();
    const { channel_slug } = (await ann.get(`/api/channels/${id}`)).body.channel;
    const agent = await server.agent(`Caller ${name}`);
    const body = { channel_slug, agent_name: `Caller ${name}` };
    const unpaid = await agent.post("/api/agenthub/login", body);
    const { paymentId } = challengeIn(unpaid);
    const { resource } = unpaid.body.payment;
    const paid = await present(agent, resource, { txHash: await pay(5), paymentId }, "POST");
    expect([paid.status, paid.body.my_role]).toEqual([200, "member"]);
    expect((await agent.post("/api/agenthub/login", body)).status).toBe(200);
    expect((await agent.post("/api/agenthub/send", { channel_slug, message: "hello" })).status).toBe(201);
  });
});
