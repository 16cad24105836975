import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { DUE_MS } from "../../src/payments/settle/settle.ts";
import { arrived, type ExactBank, openExactBank, pack, sign, unpack } from "../support/chains/exact-world.ts";
import type { Facilitator } from "../support/chains/facilitator.ts";
import { bankEnv, PRICE } from "../support/chains/payment-world.ts";
import { temporaryFolder } from "../support/config.ts";
import { stayDown } from "../support/faults/kill-around.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { eventually, signUp } from "../support/servers/test-server.ts";

/**
 * Kill -9 at every step of a payment by authorization (guarantees P14): the payer gets the resource once and pays once; a payment
 * they do not ask for again is granted all the same.
 */
const TIMES = { payment_settlements: ["lease_until", "due_at"] };
type Kill = () => Promise<void>;
const MOMENTS: Record<string, (facilitator: Facilitator, kill: Kill) => void> = {
  "reserved, and the facilitator is looking": (facilitator, kill) => {
    facilitator.verify = async (honest) => kill().then(async () => Response.json(await honest()));
  },
  "told to settle, and nothing is done": (facilitator, kill) => {
    facilitator.settle = async () => kill().then(() => new Response(null, { status: 503 }));
  },
  "settled, and not answered": (facilitator, kill) => {
    facilitator.settle = async (honest) => honest().then(async (done) => kill().then(() => Response.json(done)));
  },
  "settled and answered": (facilitator, kill) => {
    facilitator.settle = async (honest) => {
      const done = await honest();
      setImmediate(() => void kill());
      return Response.json(done);
    };
  },
};

test("kills between signature and response lose and repeat nothing", async () => {
  await using bank = await openExactBank();
  const folder = temporaryFolder();
  await using server = new ChildServer(folder, freePort(), environment(bank));
  await server.start();
  const register = (username: string) => signUp(server.url, username);
  const [seller, ann] = [await register("seller"), await register("ann")];
  const bought: { moment: string; path: string; headers: Record<string, string> }[] = [];
  for (const [moment, arrange] of Object.entries(MOMENTS)) {
    const { channel_id } = (await seller.post("/api/channels", { name: `Shop ${bought.length}` })).body;
    await seller.put(`/api/channels/${channel_id}`, { price: PRICE });
    const path = `/api/channels/${channel_id}/join`;
    const offer = await eventually("authorizations are offered", async () => {
      const asked = await ann.post(path, undefined, { headers: { "x402-version": "2" } });
      const challenge = unpack(asked.headers.get("payment-required"));
      return challenge.accepts.length === 2 ? challenge : null;
    });
    const headers = { "payment-signature": pack(await sign(offer, { index: 1 })) };
    const killed = Promise.withResolvers<void>();
    arrange(bank.facilitator, async () => {
      await server.end("SIGKILL");
      killed.resolve();
    });
    await Promise.all([killed.promise, ann.send("POST", path, { headers }).catch(() => null)]);
    bank.facilitator.reset();
    stayDown(folder, DUE_MS, TIMES);
    await server.start();
    bought.push({ moment, path, headers });
  }
  for (const { moment, path, headers } of bought) {
    const probe = async () => (await ann.send("POST", path, { headers })).body.my_role === "member";
    await eventually(`ann gets what she paid for: ${moment}`, probe);
  }
  expect(await arrived(bank)).toBe(bought.length);
  await server.end("SIGKILL");
  const db = new Database(join(folder, "parley.sqlite"), { readonly: true });
  const granted =
    "select count(*), count(distinct tx_hash), count(distinct resource) from payments where state = 'granted'";
  expect(db.query(granted).values()).toEqual([[bought.length, bought.length, bought.length]]);
  expect(db.query("select count(*) from chain_receipts").values()).toEqual([[bought.length]]);
  expect(db.query("select distinct state from payment_settlements").values()).toEqual([["granted"]]);
  db.close();
});

test("a restarted server finds out by itself what was settled for whom", async () => {
  await using bank = await openExactBank();
  const folder = temporaryFolder();
  await using server = new ChildServer(folder, freePort(), environment(bank));
  await server.start();
  const ann = await signUp(server.url, "ann");
  await Bun.write(join(folder, "report"), "The report");
  await server.command(
    "paid",
    "add",
    "report",
    "--amount",
    PRICE.amount,
    "--currency",
    "USDC",
    "--file",
    join(folder, "report"),
  );
  const path = "/api/paid/report";
  const offer = await eventually("authorizations are offered", async () => {
    const asked = await ann.get(path, { headers: { "x402-version": "2" } });
    const challenge = unpack(asked.headers.get("payment-required"));
    return challenge.accepts.length === 2 ? challenge : null;
  });
  const headers = { "payment-signature": pack(await sign(offer, { index: 2 })) };
  const killed = Promise.withResolvers<void>();
  MOMENTS["settled, and not answered"]?.(bank.facilitator, async () => {
    await server.end("SIGKILL");
    killed.resolve();
  });
  await Promise.all([killed.promise, ann.get(path, { headers }).catch(() => null)]);
  stayDown(folder, DUE_MS, TIMES);
  await server.start();
  const stateOf = (): unknown => {
    const db = new Database(join(folder, "parley.sqlite"), { readonly: true });
    const [state] = db.query("select state from payment_settlements").values().flat();
    db.close();
    return state;
  };
  expect(stateOf()).toBe("settling");
  await eventually("it is granted without anybody asking", () => stateOf() === "granted");
  const told = bank.facilitator.asked.length;
  expect(await ann.get(path, { headers })).toMatchObject({ status: 200, body: "The report" });
  expect(bank.facilitator.asked).toHaveLength(told);
  expect(await arrived(bank)).toBe(1);
});

const environment = (bank: ExactBank): Record<string, string> => ({
  ...bankEnv(bank),
  PARLEY_X402_FACILITATOR_URL: bank.facilitator.url,
  PARLEY_X402_FACILITATOR_AUTHORIZATION: "Bearer of-the-facilitator",
});
