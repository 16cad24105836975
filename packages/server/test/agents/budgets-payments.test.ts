import { expect, test } from "bun:test";
import { PAYMENT_SECONDS } from "@parley/protocol/payments";
import { issueKey } from "../../src/agents/keys/keys.ts";
import {
  COIN_PRICE,
  challengeFor,
  challengeIn,
  openShop,
  PLATFORM,
  PRICE,
  payToken,
  present,
  sell,
} from "../support/chains/payment-world.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { type Answered, Client } from "../support/servers/test-server.ts";

const price = BigInt(PRICE.amount);
const inUsdc = (amount: bigint) => [{ ...PRICE, amount: String(amount) }];

/** Budgets of payments at the routes that cost something (protocol §12.8). */
eachDatabase(async (name, open) => {
  const clock = datedClock();
  const { bank, server, ann } = await forAllTests(openShop({ database: await open(), clock }, { rateLimits: "off" }));

  let made = 0;
  async function buyer(budgets: object) {
    const agentName = `Buyer ${name} ${++made}`;
    const { api_key, agent_id } = await issueKey(server.ctx, { agentName, ownerUsername: "ann" });
    const agent = new Client(server.url, { authorization: `Bearer ${api_key}` });
    const path = `/api/agents/${agent_id}/budgets`;
    expect((await ann.put(path, budgets)).status).toBe(200);
    return {
      agent,
      logIn: (channel_slug: string) => agent.post("/api/agenthub/login", { channel_slug, agent_name: agentName }),
      used: async () => (await ann.get(path)).body.budgets[0].used,
    };
  }
  const offer = (what: object = PRICE) => sell(server, `${name}-${++made}`, what);
  async function room(): Promise<string> {
    const { channel_id } = (await ann.post("/api/channels", { name: `Shop ${++made}`, price: PRICE })).body;
    return (await ann.get(`/api/channels/${channel_id}`)).body.channel.channel_slug;
  }
  function expectExhausted(answer: Answered, details: object): void {
    expect([answer.status, answer.body.code, answer.body.payment]).toEqual([403, "budget_exhausted", undefined]);
    expect(answer.headers.get("payment-required")).toBeNull();
    const { chain_id, currency } = PRICE;
    expect(answer.body.details).toMatchObject({ chain_id, currency, resets_at: expect.any(String), ...details });
  }
  const full = { budget: "payments_per_day", limit: PRICE.amount, used: PRICE.amount };

  test("a budget of one price holds one challenge, at a resource or a login, and one payment", async () => {
    const [first, other, shop] = [await offer(), await offer(), await room()];
    const { agent, logIn, used } = await buyer({ payments_per_day: inUsdc(price) });
    const { paymentId, amount } = await challengeFor(agent, first);
    expect((await challengeFor(agent, first)).paymentId).toBe(paymentId);
    for (const refused of [await agent.get(other), await logIn(shop)]) expectExhausted(refused, full);
    const txHash = await payToken(bank, 1, PLATFORM, BigInt(amount));
    expect((await present(agent, first, { txHash, paymentId })).status).toBe(200);
    // The tail of the amount says who paid, and is no part of the price.
    expect([BigInt(amount) > price, await used()]).toEqual([true, PRICE.amount]);
    for (const refused of [await agent.get(other), await logIn(shop)]) expectExhausted(refused, full);
    expect((await present(agent, first, { txHash, paymentId })).status).toBe(200);
    expect(await used()).toBe(PRICE.amount);

    const visitor = await buyer({ payments_per_day: inUsdc(price) });
    challengeIn(await visitor.logIn(shop));
    challengeIn(await visitor.logIn(shop));
    expectExhausted(await visitor.agent.get(first), full);
  });

  test("a price above the most of a payment is refused, and so is an asset outside the list", async () => {
    const [fits, dear, coins] = [await offer(), await offer(inUsdc(price + 1n)[0]), await offer(COIN_PRICE)];
    const careful = await buyer({ payment_max: inUsdc(price) });
    await challengeFor(careful.agent, fits);
    expectExhausted(await careful.agent.get(dear), { budget: "payment_max", limit: PRICE.amount });
    const plain = await buyer({ payments_per_day: inUsdc(price * 100n) });
    for (const { agent } of [careful, plain]) expectExhausted(await agent.get(coins), { currency: "ETH", limit: "0" });
    await challengeFor(plain.agent, dear);
  });

  test("of 20 requests at once for different resources only as many get a challenge as the budget holds", async () => {
    const paths = await Promise.all(Array.from({ length: 20 }, () => offer()));
    const { agent, used } = await buyer({ payments_per_day: inUsdc(price * 3n + 2n) });
    const answers = await Promise.all(paths.map((path) => agent.get(path)));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(402), count(403), await used()]).toEqual([3, 17, String(price * 3n)]);
  });

  test("a challenge that lapses makes room for another one", async () => {
    const [first, other] = [await offer(), await offer()];
    const { agent, used } = await buyer({ payments_per_day: inUsdc(price) });
    await challengeFor(agent, first);
    clock.ahead += PAYMENT_SECONDS * 1_000 - 5_000;
    expectExhausted(await agent.get(other), full);
    clock.ahead += 5_001;
    expect(await used()).toBe("0");
    await challengeFor(agent, other);
    expectExhausted(await agent.get(first), full);
    expect(await used()).toBe(PRICE.amount);
  });
});
