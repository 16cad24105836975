import { describe, expect, test } from "bun:test";
import type { Insertable } from "kysely";
import type { PayoutsTable } from "../../src/db/tables/payouts.ts";
import { reconcile } from "../../src/payouts/reconcile/reconcile-job.ts";
import { cli } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { type Answered, type Client, startTestServer } from "../support/servers/test-server.ts";
import { auditLines, staff } from "../support/staff.ts";

/** Payouts as administrators see them (protocol §6), over real HTTP and at the command line. */
const callers: [name: string, client: Client, level: number][] = [];
const dataDir = temporaryFolder();
const env = { PARLEY_DATA_DIR: dataDir };

const server = await forAllTests(startTestServer({ dataDir }));
callers.push(["guest", server.guest, -1], ["agent", await server.agent("Helper"), -1]);
callers.push(["user", await server.user("bob"), 0]);
for (const level of [1, 2, 3] as const) {
  callers.push([`level ${level}`, await staff(server, `staff${level}`, level), level]);
}
const level = (wanted: number): Client => callers.find((caller) => caller[2] === wanted)?.[1] ?? server.guest;

let rows = 0;
async function payout(of: Partial<Insertable<PayoutsTable>> = {}): Promise<number> {
  const number = ++rows;
  const isOver = of.state === "settled" || of.state === "failed";
  const { id } = await server.ctx.db
    .insertInto("payouts")
    .values({
      key: `test:claim:${number}`,
      purpose: "claim",
      chain: "evm",
      chain_id: 31_337,
      currency: "ETH",
      token_address: null,
      ledger_currency: "evm:31337:ETH",
      recipient: `0x${number}`,
      amount: String(number),
      state: "queued",
      round: 0,
      refusals: 0,
      due_at: 0,
      created_at: 1_000,
      updated_at: 1_000,
      ended_at: isOver ? 2_000 : null,
      ...of,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

describe("the right to payouts", () => {
  test.each<[string, (who: Client) => Promise<Answered>]>([
    ["list payouts", (who) => who.get("/api/admin/payouts")],
    ["retry one", async (who) => who.post(`/api/admin/payouts/${await payout({ state: "failed" })}/retry`)],
  ])("to %s starts at level 2", async (_name, act) => {
    for (const [name, client, has] of callers) {
      const { status, body } = await act(client);
      const expected = has === -1 ? "session_required" : has < 2 ? "forbidden" : "ok";
      expect([name, status < 300 ? "ok" : body.code]).toEqual([name, expected]);
    }
  });
});

describe("GET /api/admin/payouts", () => {
  test("returns the newest first, filtered, in pages", async () => {
    const queued = await payout({ currency: "ONE" });
    const settled = await payout({
      currency: "ONE",
      state: "settled",
      purpose: "refund",
      hash: "0xabc",
      fee_paid: "21000",
    });
    const held = await payout({ currency: "ONE", chain: "solana", hold: "daily_cap", amount: String(2n ** 256n - 1n) });
    const ids = async (query: string): Promise<number[]> => {
      const answer = await level(2).get(`/api/admin/payouts?currency=ONE${query}`);
      return answer.body.payouts.map(({ payout_id }: { payout_id: number }) => payout_id);
    };
    expect(await ids("")).toEqual([held, settled, queued]);
    expect(await ids("&open=true")).toEqual([held, queued]);
    expect(await ids("&open=false")).toEqual([settled]);
    expect(await ids("&state=queued&chain=solana")).toEqual([held]);
    expect(await ids("&purpose=refund")).toEqual([settled]);
    const page = (await level(3).get("/api/admin/payouts?currency=ONE&limit=1")).body;
    expect(page).toMatchObject({ has_more: true, next_before: held, limit: 1, halted: null });
    expect(page.payouts[0]).toMatchObject({ hold: "daily_cap", amount: String(2n ** 256n - 1n), tx_hash: null });
    expect(await ids(`&before=${held}&limit=1`)).toEqual([settled]);
    expectError(await level(2).get("/api/admin/payouts?limit=0"), 400, "invalid_limit");
    expectError(await level(2).get("/api/admin/payouts?state=lost"), 400, "invalid_request");
  });
});

describe("POST /api/admin/payouts/:payout_id/retry", () => {
  test("retries a failed payout once, and audits it", async () => {
    const id = await payout({ state: "failed", hold: "would_fail", refusals: 8, hash: "0xdead", key: "somebody:else" });
    const answer = await level(2).post(`/api/admin/payouts/${id}/retry`);
    expect(answer.body.payout).toMatchObject({ state: "queued", hold: null, tx_hash: null, ended_at: null });
    expect(await auditLines(server)).toContain(`staff2 payout_retry payout:${id}`);
    expectError(await level(2).post(`/api/admin/payouts/${id}/retry`), 409, "payout_not_failed");
  });

  test.each<[string, number, string]>([
    ["999999", 404, "payout_not_found"],
    ["x", 400, "invalid_id"],
  ])("of %s → %d %s", async (id, status, code) => {
    expectError(await level(2).post(`/api/admin/payouts/${id}/retry`), status, code);
  });

  test("answers 409 payout_not_failed for a settled payout or one that fills a gap", async () => {
    for (const id of [await payout({ state: "settled" }), await payout({ state: "failed", purpose: "gap" })]) {
      expectError(await level(2).post(`/api/admin/payouts/${id}/retry`), 409, "payout_not_failed");
    }
  });
});

test("payouts can be stopped and resumed at the command line, which administrators see and the audit log records", async () => {
  const halted = async () => (await level(2).get("/api/admin/payouts?limit=1")).body.halted;
  expect((await cli(["payouts", "stop"], env)).code).toBe(0);
  expect(await halted()).toBe("stopped");
  expect(JSON.parse((await cli(["payouts", "list", "--limit", "1", "--json"], env)).out)).toMatchObject({
    halted: "stopped",
    has_more: true,
  });
  expect(JSON.parse((await cli(["payouts", "resume", "--json"], env)).out)).toEqual({ stopped: false });
  expect(await halted()).toBeNull();
  expect((await auditLines(server)).slice(-2)).toEqual([
    "command line payouts_stop payouts:all",
    "command line payouts_resume payouts:all",
  ]);
  expect((await cli(["payouts", "list", "--state", "lost"], env)).code).toBe(2);
  expect((await cli(["payouts", "list", "--limit", "0"], env)).code).toBe(2);
});

test("reconcile reports differences and fails", async () => {
  const { code, out } = await cli(["payouts", "reconcile"], env);
  expect(code).toBe(1);
  expect(out).toContain("PROBLEM payouts of");
  const problems = await reconcile(server.ctx);
  expect(problems.length).toBeGreaterThan(0);
  expect((await server.guest.get("/metrics")).body).toContain(`parley_payouts_mismatches ${problems.length}`);
});

test("the metrics report how many payouts are open, and for how long", async () => {
  server.ctx.metrics.payoutsAre({ open: 3, oldest: server.ctx.clock.now() - 90_000, failed: 1 });
  server.ctx.metrics.treasuryIs("evm:31337:ETH", 1.5, true);
  const text = (await server.guest.get("/metrics")).body;
  for (const line of [
    "parley_payouts_open 3",
    "parley_payouts_failed 1",
    'parley_treasury_balance{asset="evm:31337:ETH"} 1.5',
    'parley_treasury_low{asset="evm:31337:ETH"} 1',
  ])
    expect(text).toContain(line);
  expect(text).toMatch(/parley_payouts_oldest_seconds (89|9\d)/);
});
