import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { LEASE_MS } from "../../src/payments/pay/by-transaction.ts";
import { TREASURY_KEY } from "../support/chains/anvil.ts";
import {
  bankEnv,
  challengeFor,
  challengeIn,
  openBank,
  PLATFORM,
  PRICE,
  payToken,
  present,
} from "../support/chains/payment-world.ts";
import { temporaryFolder } from "../support/config.ts";
import { killDuring, stayDown } from "../support/faults/kill-around.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { Client, eventually, signUp } from "../support/servers/test-server.ts";

/** Kill -9 between the challenge that a budget holds and its payment: the price is reserved once, and counted once. */
const KILLS = Number(process.env.PARLEY_TEST_BUDGET_KILLS ?? 2);
/** What the server may be doing when it is killed, in milliseconds from the request. null: it has answered. */
const MOMENTS = [null, 8, 16, 24, 4, 12];

test(`${KILLS} times two kills around a payment leave its price in the budget exactly once`, async () => {
  await using bank = await openBank();
  const folder = temporaryFolder();
  await using server = new ChildServer(folder, freePort(), { ...bankEnv(bank), PARLEY_EVM_TREASURY_KEY: TREASURY_KEY });
  await server.start();
  const ann = await signUp(server.url, "ann");
  await server.command("user", "level", "ann", "administrator");
  const restart = async () => {
    await server.end("SIGKILL");
    await server.start();
  };
  const newAgent = async (agent_name: string) => {
    const { agent_id, api_key } = (await ann.post("/api/agents", { agent_name })).body;
    return {
      path: `/api/agents/${agent_id}/budgets`,
      agent: new Client(server.url, { authorization: `Bearer ${api_key}` }),
    };
  };
  const sale = async (slug: string) => {
    expect((await ann.post("/api/admin/paid", { slug, price: PRICE, text: "sold" })).status).toBe(201);
    return `/api/paid/${slug}`;
  };
  await eventually("ann sells", async () => (await ann.get("/api/admin/paid")).status === 200);
  const [other, thief] = [await sale("other"), await newAgent("Thief")];
  const hashes: string[] = [];
  for (let n = 0; n < KILLS; n += 1) {
    const wanted = await sale(`wanted-${n}`);
    const { path, agent } = await newAgent(`Buyer ${n}`);
    expect((await ann.put(path, { payments_per_day: [PRICE] })).status).toBe(200);
    const used = async () => (await ann.get(path)).body.budgets[0].used;
    const expectFull = async () => {
      const { status, body } = await agent.get(other);
      expect([status, body.code, await used()]).toEqual([403, "budget_exhausted", PRICE.amount]);
    };
    const { paymentId, amount } = await challengeFor(agent, wanted);
    await restart();
    expect(challengeIn(await agent.get(wanted))).toMatchObject({ paymentId, amount });
    await expectFull();

    const txHash = await payToken(bank, 1, PLATFORM, BigInt(amount));
    hashes.push(txHash);
    const buy = () => present(agent, wanted, { txHash, paymentId });
    const moment = MOMENTS[n % MOMENTS.length] ?? null;
    if (moment === null) await buy();
    await (moment === null ? server.end("SIGKILL") : killDuring(server, moment, buy));
    stayDown(folder, LEASE_MS, { payments: ["lease_until"] });
    await server.start();
    const isSold = async () => (await buy()).status === 200;
    await eventually("the agent gets what it paid for", isSold);
    await expectFull();
    expect((await present(thief.agent, wanted, txHash)).body.code).toBe("payment_already_used");
  }
  await server.end("SIGKILL");
  const db = new Database(join(folder, "parley.sqlite"), { readonly: true });
  const granted = db.query("select tx_hash from payments where state = 'granted' order by id").values();
  expect(granted.flat()).toEqual(hashes);
  const settled = "select count(*), count(distinct agent_id) from agent_demands where state = 'settled' and amount = ?";
  expect(db.query(settled).values(PRICE.amount)).toEqual([[KILLS, KILLS]]);
  expect(db.query("select count(*) from agent_demands").values()).toEqual([[KILLS]]);
  db.close();
});
