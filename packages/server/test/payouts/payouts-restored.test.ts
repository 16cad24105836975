import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Hex } from "viem";
import { auditLedger } from "../../src/points/ledger-audit.ts";
import { ANVIL_CHAIN_ID, Anvil, accountOf, TREASURY_KEY } from "../support/chains/anvil.ts";
import { evmSettings } from "../support/chains/evm.ts";
import { TREASURY } from "../support/chains/paying-server.ts";
import { type CliResult, cli } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { giveProvenAddress } from "../support/proven-address.ts";
import { type Client, eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";
import { auditLines } from "../support/staff.ts";

/**
 * A database that does not know what was paid since its backup: each payout is recorded as paid before payouts are
 * resumed.
 */

const UNIT = 10n ** 16n;
const [SENDER, CLAIMER] = [1, 2];
const BOBS = accountOf(CLAIMER).address;

let anvil: Anvil;
let server: TestServer;
let ann: Client;
let bob: Client;
let env: Record<string, string>;
beforeAll(async () => {
  anvil = await Anvil.start();
  const dataDir = temporaryFolder();
  env = {
    PARLEY_DATA_DIR: dataDir,
    PARLEY_EVM_RPC_URL: anvil.url,
    PARLEY_EVM_CHAIN_ID: String(ANVIL_CHAIN_ID),
    PARLEY_EVM_CONFIRMATIONS: "3",
    PARLEY_EVM_TREASURY_KEY: TREASURY_KEY,
  };
  server = await startTestServer({ dataDir, rateLimits: "off", ...evmSettings(anvil.url) });
  [ann, bob] = [await server.user("ann"), await server.user("bob")];
  await giveProvenAddress(server, "ann", { chain: "evm", address: accountOf(SENDER).address });
  await giveProvenAddress(server, "bob", { chain: "evm", address: BOBS });
});
afterAll(async () => {
  if (server !== undefined) expect((await auditLedger(server.ctx.db)).problems).toEqual([]);
  await server?.[Symbol.asyncDispose]();
  await anvil?.[Symbol.asyncDispose]();
});

/**
 * Creates a packet of ann's with two equal shares, of which bob has claimed one while payouts are paused; returns its
 * number.
 */
async function owed(): Promise<number> {
  const tx_hash = await anvil.send(SENDER, TREASURY, 2n * UNIT);
  await anvil.mine(3);
  const body = { chain: "evm", total_amount: String(2n * UNIT), count: 2, split_type: "equal", tx_hash };
  const { packet_id } = (await ann.post("/api/red-packets", { channel_slug: "general", ...body })).body;
  expect((await bob.post(`/api/red-packets/${packet_id}/claim`)).status).toBe(200);
  return packet_id;
}

const paid = (id: number | string, hash: string): Promise<CliResult> => cli(["payouts", "paid", String(id), hash], env);
const open = async (): Promise<number[]> => {
  const { payouts } = JSON.parse((await cli(["payouts", "list", "--open", "--json"], env)).out);
  return payouts.map(({ payout_id }: { payout_id: number }) => payout_id);
};

test("a payout that was already paid is settled by its transaction, and not paid again", async () => {
  await cli(["payouts", "stop"], env);
  const packets = [await owed(), await owed()];
  const [first = 0, second = 0] = await open();
  // Sent by the database that is lost.
  const hash = await anvil.send(0, BOBS, UNIT);
  const wrong: [RegExp, Hex][] = [
    [/did not move/, await anvil.send(0, BOBS, UNIT - 1n)],
    [/did not move/, await anvil.send(0, accountOf(3).address, UNIT)],
    [/did not move/, await anvil.send(3, BOBS, UNIT)],
    [/is unknown, not final/, `0x${"ab".repeat(32)}`],
  ];
  await anvil.mine(3);
  const young = await anvil.send(0, BOBS, UNIT);
  for (const [words, other] of [
    ...wrong,
    [/is confirming, not final/, young],
    [/is not a transaction hash/, "0x12"],
  ] as const) {
    const { code, err } = await paid(first, other);
    expect([code, err]).toEqual([1, expect.stringMatching(words)]);
  }
  expect((await paid("one", hash)).code).toBe(2);
  expect((await paid(999_999, hash)).err).toContain("There is no payout 999999");
  expect(await open()).toEqual([first, second]);

  expect(await paid(first, hash)).toMatchObject({ code: 0, out: expect.stringContaining(`${first} is settled`) });
  expect((await paid(first, hash)).err).toContain("already settled");
  expect((await paid(second, hash)).err).toContain(`already paid payout ${first}`);
  expect(await auditLines(server)).toContain(`command line payout_paid payout:${first}`);
  const { my_claim } = (await bob.get(`/api/red-packets/${packets[0]}`)).body.red_packet;
  expect(my_claim.payout).toMatchObject({ status: "settled", tx_hash: hash });

  const before = await anvil.client.getBalance({ address: BOBS });
  await cli(["payouts", "resume"], env);
  const isPaid = async () => {
    await anvil.mine();
    return (await open()).length === 0;
  };
  await eventually("the other is paid", isPaid, 40_000);
  expect(await anvil.client.getBalance({ address: BOBS })).toBe(before + UNIT);
  expect((await cli(["payouts", "reconcile"], env)).code).toBe(0);
});

test("no payment can be recorded while payouts are running", async () => {
  await cli(["payouts", "stop"], env);
  await owed();
  const [id = 0] = await open();
  const hash = await anvil.send(0, BOBS, UNIT);
  await anvil.mine(3);
  await server.ctx.db
    .updateTable("payouts")
    .set({ due_at: server.ctx.clock.now() + 600_000 })
    .where("id", "=", id)
    .execute();
  await cli(["payouts", "resume"], env);
  expect((await paid(id, hash)).err).toContain("Stop them first");
  await cli(["payouts", "stop"], env);
  expect((await paid(id, hash)).code).toBe(0);
});
