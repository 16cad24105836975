import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { loadConfig } from "../../src/config/load-config.ts";
import type { Db } from "../../src/db/db.ts";
import { StartupError } from "../../src/db/startup-error.ts";
import { cli } from "../support/cli.ts";
import { stillClock } from "../support/clock.ts";
import { temporaryFolder } from "../support/config.ts";
import { eachDatabase } from "../support/databases.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/** `PARLEY_VALUE=off`: the work that keeps a server from starting so, and the settings, commands and doctor. */

const NOW = stillClock().now();
const ADDRESS = `0x${"1".repeat(40)}`;
const HASH = `0x${"2".repeat(64)}`;

async function addPayout(db: Db, change: { state: "queued" | "settled" | "failed"; purpose?: "claim" | "gap" }) {
  const ended_at = change.state === "queued" ? null : NOW;
  await db
    .insertInto("payouts")
    .values({
      ...{ key: "packet:1:claim:1", purpose: "claim", chain: "evm", chain_id: 1, currency: "ETH", token_address: null },
      ...{ ledger_currency: "evm:1:ETH", recipient: ADDRESS, amount: "5", hold: null, payer: null, nonce: null },
      ...{ round: 1, refusals: 0, hash: null, fee_paid: null, day: null, due_at: NOW },
      ...{ created_at: NOW, updated_at: NOW, ended_at, ...change },
    })
    .execute();
}

async function addPayment(
  db: Db,
  change: { state: "verifying" | "granted" | "refused"; lease_until: number; due_at: number | null },
) {
  await db
    .insertInto("payments")
    .values({
      ...{ chain: "evm", chain_id: 1, tx_hash: HASH, resource: "/api/paid/a", principal: "g", currency: "ETH" },
      ...{ recipient: ADDRESS, price: "5", created_at: NOW, granted_at: change.state === "granted" ? NOW : null },
      ...change,
    })
    .execute();
}

async function addSettlement(db: Db, state: "reserved" | "settling" | "settled" | "granted", lease_until: number) {
  await db
    .insertInto("payment_settlements")
    .values({
      ...{ chain_id: 1, token_address: ADDRESS, authorizer: ADDRESS, nonce: HASH, resource: "/api/paid/a" },
      ...{ principal: "g", payment_id: "a", currency: "USDC", recipient: ADDRESS, amount: "5", valid_before: NOW },
      ...{ state, lease_until, created_at: NOW, due_at: null, from_height: state === "reserved" ? null : 1 },
      tx_hash: state === "settled" || state === "granted" ? HASH : null,
    })
    .execute();
}

const SOON = NOW + 10_000;
const AGO = NOW - 10_000;

/** Work by what it leaves in the database, with what the server says of it; null: the server starts. */
const ROWS: readonly [name: string, add: (db: Db) => Promise<void>, says: string | null][] = [
  ["a payout that waits", (db) => addPayout(db, { state: "queued" }), "1 payout is unpaid"],
  ["a payout that failed", (db) => addPayout(db, { state: "failed" }), "1 payout is unpaid"],
  ["a nonce that is being used up", (db) => addPayout(db, { state: "queued", purpose: "gap" }), "1 payout is unpaid"],
  ["a nonce that could not be used up", (db) => addPayout(db, { state: "failed", purpose: "gap" }), null],
  ["a payout that is paid", (db) => addPayout(db, { state: "settled" }), null],
  [
    "a payment that is being checked",
    (db) => addPayment(db, { state: "verifying", lease_until: SOON, due_at: null }),
    "1 payment is under way",
  ],
  [
    "a granted payment whose block may go",
    (db) => addPayment(db, { state: "granted", lease_until: AGO, due_at: SOON }),
    "1 payment is under way",
  ],
  [
    "a payment whose check a crash ended",
    (db) => addPayment(db, { state: "verifying", lease_until: AGO, due_at: null }),
    null,
  ],
  ["a payment for good", (db) => addPayment(db, { state: "granted", lease_until: AGO, due_at: null }), null],
  ["a payment that was refused", (db) => addPayment(db, { state: "refused", lease_until: AGO, due_at: null }), null],
  ["an authorization that was just reserved", (db) => addSettlement(db, "reserved", SOON), "1 payment is under way"],
  ["an authorization that is being settled", (db) => addSettlement(db, "settling", AGO), "1 payment is under way"],
  ["an authorization that is not final", (db) => addSettlement(db, "settled", AGO), "1 payment is under way"],
  ["a reservation that a crash left", (db) => addSettlement(db, "reserved", AGO), null],
  ["an authorization that was granted", (db) => addSettlement(db, "granted", AGO), null],
];

eachDatabase((_name, open) => {
  /** Starts a server without value on that database, and returns why it refuses; null if it starts. */
  async function refusal(prepare: (db: Db) => Promise<void>): Promise<string | null> {
    const clock = stillClock();
    const database = await open(clock);
    await prepare(database.db);
    try {
      await using _server = await startTestServer({ value: "off" }, { database, clock });
      return null;
    } catch (error) {
      if (error instanceof StartupError) return error.message;
      throw error;
    }
  }

  test.each(ROWS)(
    "a server refuses to start without value only if something is under way: %s",
    async (_, add, says) => {
      const message = await refusal(add);
      if (says === null) expect(message).toBeNull();
      else expect(message).toStartWith(`PARLEY_VALUE is off, but ${says}. Start with PARLEY_VALUE=on until`);
    },
  );

  test("a server names everything that is open, and starts when it is finished", async () => {
    const clock = stillClock();
    const database = await open(clock);
    const kept = { ...database, [Symbol.asyncDispose]: async () => {} };
    let packet: number;
    {
      await using server = await startTestServer({ initialPoints: 100 }, { database: kept, clock });
      const ann = await server.user("ann");
      clock.advance(86_400_000);
      const made = await ann.post("/api/red-packets", { channel_slug: "general", total_amount: "10", count: 2 });
      expect(made.status).toBe(201);
      packet = made.body.packet_id;
      await addPayout(server.ctx.db, { state: "queued" });
      const starting = startTestServer({ value: "off" }, { database: kept, clock });
      await expect(starting).rejects.toThrow(/^PARLEY_VALUE is off, but 1 red packet is open, 1 payout is unpaid\. /);
      expect((await ann.post(`/api/red-packets/${packet}/cancel`)).status).toBe(200);
      await server.ctx.db.updateTable("payouts").set({ state: "settled", ended_at: clock.now() }).execute();
    }
    await using _without = await startTestServer({ value: "off" }, { database, clock });
  });
});

describe("PARLEY_VALUE", () => {
  test("is on by default, and can only be on or off", () => {
    expect(loadConfig({}).value).toBe("on");
    expect(loadConfig({ PARLEY_VALUE: "on" }).value).toBe("on");
    expect(() => loadConfig({ PARLEY_VALUE: "no" })).toThrow("PARLEY_VALUE must be one of on, off");
  });

  test("off, has the settings of chains, payments and payouts neither read nor checked", () => {
    const ignored = {
      PARLEY_EVM_RPC_URL: "http://127.0.0.1:1",
      PARLEY_EVM_TREASURY_KEY_FILE: "/nowhere/key",
      PARLEY_SOLANA_RPC_URL: "nonsense",
      PARLEY_PAYMENT_RECIPIENT: ADDRESS,
      PARLEY_PAYOUT_DAILY_MAX: "DOGE=1",
    };
    const { value, evmRpcUrls, evmTreasuryKey, solanaRpcUrls, paymentRecipients } = loadConfig({
      ...ignored,
      PARLEY_VALUE: "off",
    });
    expect({ value, evmRpcUrls, evmTreasuryKey, solanaRpcUrls, paymentRecipients }).toEqual({
      value: "off",
      evmRpcUrls: [],
      evmTreasuryKey: null,
      solanaRpcUrls: [],
      paymentRecipients: [],
    });
    expect(() => loadConfig(ignored)).toThrow("PARLEY_SOLANA_RPC_URL");
    expect(() => loadConfig({ PARLEY_VALUE: "off", PARLEY_EVM_RPC_URLS: "x" })).toThrow("not a known setting");
  });

  test("off, takes the commands of payments, red packets and payouts away", async () => {
    const env = { PARLEY_DATA_DIR: temporaryFolder(), PARLEY_VALUE: "off" };
    const [off, on] = [await cli(["--help"], env), await cli(["--help"], {})];
    const ofValue = /^ {2}(paid|payments|payouts|packet) /gm;
    expect(on.out.match(ofValue)).toHaveLength(10);
    expect(off.out.match(ofValue)).toBeNull();
    expect(off.out).toContain("backup verify");
    for (const args of [["payouts", "list"], ["paid", "--help"], ["packet", "verify", "x", "--help"], ["payments"]]) {
      const { code, out, err } = await cli(args, env);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toContain("while PARLEY_VALUE is off");
    }
    expect((await cli(["payout", "list"], env)).err).not.toContain("PARLEY_VALUE");
  });

  test("is examined by the doctor before it is off", async () => {
    const dataDir = temporaryFolder();
    const env = { PARLEY_DATA_DIR: dataDir, PORT: "0", PARLEY_BLUESKY_API_URL: "off" };
    const diagnosed = async (more = {}) => {
      const { code, out } = await cli(["doctor", "--json"], { ...env, ...more });
      const findings: { check: string; state: string; text: string }[] = JSON.parse(out).findings;
      return { code, findings, of: (check: string) => findings.filter((finding) => finding.check === check) };
    };
    {
      await using _server = await startTestServer({ dataDir });
    }
    const [on, off] = [await diagnosed(), await diagnosed({ PARLEY_VALUE: "off" })];
    expect([on.code, off.code]).toEqual([0, 0]);
    expect(on.of("value")).toEqual([]);
    expect([on.of("EVM chain").length, on.of("Solana").length]).toEqual([1, 1]);
    expect(off.of("value")).toMatchObject([
      { state: "ok", text: expect.stringContaining("nothing of them is unfinished") },
    ]);
    // Their tables are still checked.
    const kinds = ["EVM chain", "Solana", "facilitator", "payouts", "red packets"];
    expect(
      off.findings
        .map(({ check }) => check)
        .filter((check) => kinds.includes(check))
        .sort(),
    ).toEqual(["payouts", "red packets"]);
    using file = new Database(join(dataDir, "parley.sqlite"));
    file.run(
      `insert into payments (chain, chain_id, tx_hash, resource, principal, currency, recipient, price, created_at, granted_at, state, lease_until, due_at)
       values ('evm', 1, 'a', '/api/paid/a', 'g', 'ETH', 'b', '5', 1, 1, 'granted', 1, 2)`,
    );
    const open = await diagnosed({ PARLEY_VALUE: "off" });
    expect(open.code).toBe(1);
    expect(open.of("value")).toMatchObject([
      { state: "problem", text: expect.stringContaining("1 payment is under way") },
    ]);
  });
});
