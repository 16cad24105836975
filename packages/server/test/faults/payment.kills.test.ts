import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { LEASE_MS } from "../../src/payments/pay/by-transaction.ts";
import { TREASURY_KEY } from "../support/chains/anvil.ts";
import { bankEnv, openBank, PLATFORM, PRICE, payToken } from "../support/chains/payment-world.ts";
import { temporaryFolder } from "../support/config.ts";
import { killDuring, stayDown } from "../support/faults/kill-around.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { eventually, signUp } from "../support/servers/test-server.ts";

/**
 * Kill -9 between payment and response (guarantees P14): the same payer gets what they paid for, once, and nobody else
 * does.
 */
const KILLS = Number(process.env.PARLEY_TEST_PAYMENT_KILLS ?? 4);

test(`${KILLS} kills between payment and response lose and repeat nothing`, async () => {
  await using bank = await openBank();
  const folder = temporaryFolder();
  await using server = new ChildServer(folder, freePort(), { ...bankEnv(bank), PARLEY_EVM_TREASURY_KEY: TREASURY_KEY });
  await server.start();
  const register = (username: string) => signUp(server.url, username);
  const [seller, ann, bob] = [await register("seller"), await register("ann"), await register("bob")];
  const hashes: string[] = [];
  for (let n = 0; n < KILLS; n++) {
    const { channel_id } = (await seller.post("/api/channels", { name: `Shop ${n}` })).body;
    await seller.put(`/api/channels/${channel_id}`, { price: PRICE });
    const path = `/api/channels/${channel_id}/join`;
    for (const who of [ann, bob]) expect((await who.post(path)).status).toBe(402);
    const txHash = await payToken(bank, 1, PLATFORM, BigInt(PRICE.amount));
    hashes.push(txHash);
    const headers = { "payment-signature": txHash };
    // From before the request is read until after it is answered.
    await killDuring(server, n * 12, () => ann.send("POST", path, { headers }));
    stayDown(folder, LEASE_MS, { payments: ["lease_until"] });
    await server.start();
    await eventually(
      "ann gets what she paid for",
      async () => (await ann.send("POST", path, { headers })).body.my_role === "member",
    );
    expect((await bob.send("POST", path, { headers })).body.code).toBe("payment_already_used");
  }
  await server.end("SIGKILL");
  const db = new Database(join(folder, "parley.sqlite"), { readonly: true });
  const granted = db.query("select tx_hash from payments where state = 'granted' order by id").values();
  expect(granted.flat().sort()).toEqual(hashes.sort());
  expect(db.query("select count(*) from chain_receipts").values()).toEqual([[KILLS]]);
  db.close();
});
