import { DEMAND_TAILS_MAX } from "@parley/protocol/payments";
import { chainsOf } from "../../src/chains/chains.ts";
import { askCard } from "../support/cards.ts";
import { ETH, ScriptedChain } from "../support/chains/scripted-chain.ts";
import { newChannel } from "../support/new-channel.ts";
import type { Answered, Client } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";
import { AT_ONCE, at, idOf, type LimitRow, repeat, roomOf, type Scene } from "./limit-rows.ts";

const PRICE = { amount: "1000000", currency: ETH.currency, chain_id: 31_337 };

/** Puts resources up for sale on all nodes. Returns what asks for the price of one of them. */
async function shop(scene: Scene, count: number): Promise<(client: Client, n: number) => Promise<Answered>> {
  for (const { ctx } of scene.servers) chainsOf(ctx).add(new ScriptedChain());
  const { username } = await scene.person();
  const admin = await staff(scene.server, `seller-${username}`, 2);
  const slug = (n: number) => `${username}-${n}`;
  await repeat(count, (n) => admin.post("/api/admin/paid", { slug: slug(n), price: PRICE, text: "x" }));
  return (client, n) => client.get(`/api/paid/${slug(n)}`);
}

/** A new agent of an owner who has set these budgets. */
async function ownedAgent(scene: Scene, budgets: object) {
  const [owner, agent] = [await scene.person(), await scene.server.agent()];
  await scene.server.ctx.db
    .updateTable("agents")
    .set({ owner_user_id: await idOf(scene, owner.username), owner_verified: 1 })
    .where("id", "=", agent.agentId)
    .execute();
  await repeat(1, () => owner.put(`/api/agents/${agent.agentId}/budgets`, budgets));
  return agent;
}

/** Limits of points and payments, and of what agents may use up. */
export const VALUE_LIMIT_ROWS: readonly LimitRow[] = [
  {
    name: "points that a user has",
    code: "insufficient_balance",
    async prepare(scene) {
      const ann = await scene.person();
      const { id: channel_id } = await newChannel(ann);
      const { available } = (await ann.get(`/api/user/${ann.username}/points`)).body;
      const total_amount = String((BigInt(available) * 6n) / 10n);
      return (n) => at(scene, ann, n).post("/api/red-packets", { channel_id, total_amount, count: 1 });
    },
  },
  {
    name: "shares of a red packet",
    code: "packet_empty",
    async prepare(scene) {
      const ann = await scene.person();
      const { id: channel_id } = await newChannel(ann);
      const people = await Promise.all(Array.from({ length: AT_ONCE + 1 }, () => scene.person()));
      const made = await ann.post("/api/red-packets", { channel_id, total_amount: "2", count: 2 });
      const claim = (client: Client) => client.post(`/api/red-packets/${made.body.packet_id}/claim`);
      await repeat(1, () => claim(people[AT_ONCE] ?? ann));
      return (n) => claim(at(scene, people[n] ?? ann, n));
    },
  },
  {
    name: "exact amounts that an account is told in a day",
    code: "payment_required",
    isPermitted: ({ body }) => body.payment.amount !== body.payment.price,
    async prepare(scene) {
      const ann = await scene.person();
      const ask = await shop(scene, DEMAND_TAILS_MAX - 1 + AT_ONCE);
      for (let n = 0; n < DEMAND_TAILS_MAX - 1; n++) await ask(ann, n);
      return (n) => ask(at(scene, ann, n), DEMAND_TAILS_MAX - 1 + n);
    },
  },
  {
    name: "messages of an agent with a budget",
    code: "budget_exhausted",
    async prepare(scene) {
      const { slug } = await roomOf(await scene.person());
      const agent = await ownedAgent(scene, { messages_per_day: 1 });
      return (n) => at(scene, agent, n).post("/api/agenthub/send", { channel_slug: slug, message: `more ${n}` });
    },
  },
  {
    name: "characters of an agent with a budget",
    code: "budget_exhausted",
    async prepare(scene) {
      const { slug } = await roomOf(await scene.person());
      const agent = await ownedAgent(scene, { characters_per_day: 5 });
      return (n) => at(scene, agent, n).post("/api/agenthub/send", { channel_slug: slug, message: `a${n % 10}b` });
    },
  },
  {
    name: "questions of an agent with a budget",
    code: "budget_exhausted",
    async prepare(scene) {
      const { username } = await scene.person();
      const { slug } = await roomOf(await scene.person());
      const agent = await ownedAgent(scene, { cards_per_day: 1 });
      const question = { channel_slug: slug, interaction: { who: { users: [username] } } };
      return (n) => askCard(at(scene, agent, n), question);
    },
  },
  {
    name: "payments of an agent with a budget",
    code: "budget_exhausted",
    isPermitted: ({ status }) => status === 402,
    async prepare(scene) {
      const agent = await ownedAgent(scene, { payments_per_day: [PRICE] });
      const ask = await shop(scene, AT_ONCE);
      return (n) => ask(at(scene, agent, n), n);
    },
  },
];
