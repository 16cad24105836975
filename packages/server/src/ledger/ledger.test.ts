import { afterEach, beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import type { AppContext } from "../context.ts";
import type { OpenDatabase } from "../db/database.ts";
import { transact } from "../db/transact.ts";
import { balanceOf, postTransfer } from "./ledger.ts";
import { AMOUNT_MAX, type Leg } from "./transfer.ts";

const leg = (account: string, amount: bigint | number): Leg => ({ account, amount: BigInt(amount) });

/** Posts one transfer in its own transaction. */
const post = (ctx: AppContext, key: string, legs: Leg[], kind = "test", currency = "points") =>
  transact(ctx, (ctx) => postTransfer(ctx, { key, kind, currency, legs }));

const give = (ctx: AppContext, account: string, amount: bigint | number, key = `give:${account}`) =>
  post(ctx, key, [leg("system:grants", -BigInt(amount)), leg(account, amount)]);

const codeOf = (act: Promise<unknown>): Promise<unknown> =>
  act.then(() => "none").catch((error) => error.code ?? error.message);

const points = (ctx: AppContext, account: string) => balanceOf(ctx, account, "points");

eachDatabase((name, open) => {
  let database: OpenDatabase;
  let ctx: AppContext;
  beforeEach(async () => {
    database = await open();
    ctx = testContext(database);
  }, 60_000);
  afterEach(() => database[Symbol.asyncDispose]());

  test("a transfer moves value, and its entries record it", async () => {
    expect(await give(ctx, "user:1", 100)).toEqual({ isNew: true });
    await post(ctx, "split", [leg("user:2", 30), leg("user:1", -50), leg("packet:9", 20)], "packet");
    expect(await points(ctx, "user:1")).toBe(50n);
    expect(await points(ctx, "user:2")).toBe(30n);
    expect(await points(ctx, "packet:9")).toBe(20n);
    expect(await points(ctx, "user:3")).toBe(0n);
    expect(await balanceOf(ctx, "user:1", "ETH")).toBe(0n);
    const entries = await ctx.db
      .selectFrom("ledger_entries")
      .select(["account", "currency", "amount", "balance"])
      .orderBy("id")
      .execute();
    expect(entries.map((entry) => Object.values(entry).join(" "))).toEqual([
      "system:grants points -100 ",
      "user:1 points 100 100",
      "packet:9 points 20 20",
      "user:1 points -50 50",
      "user:2 points 30 30",
    ]);
  });

  test("a key moves value once and cannot be used for another transfer", async () => {
    await give(ctx, "user:1", 100);
    expect(await give(ctx, "user:1", 100)).toEqual({ isNew: false });
    await give(ctx, "user:9", 1);
    expect(await give(ctx, "user:1", 100)).toEqual({ isNew: false });
    expect(await points(ctx, "user:1")).toBe(100n);
    const other = /already posted/;
    expect(await codeOf(give(ctx, "user:1", 99))).toMatch(other);
    expect(await codeOf(give(ctx, "user:2", 100, "give:user:1"))).toMatch(other);
    const legs = [leg("system:grants", -100), leg("user:1", 100)];
    expect(await codeOf(post(ctx, "give:user:1", legs, "another"))).toMatch(other);
    expect(await codeOf(post(ctx, "give:user:1", legs, "test", "ETH"))).toMatch(other);
    expect(await codeOf(post(ctx, "give:user:1", [...legs, leg("a:1", 1), leg("a:2", -1)]))).toMatch(other);
    expect(await points(ctx, "user:1")).toBe(100n);
  });

  test("a transfer that exceeds the balance moves nothing", async () => {
    await give(ctx, "user:1", 10);
    const spend = post(ctx, "spend", [leg("user:1", -11), leg("user:2", 11)]);
    expect(await codeOf(spend)).toBe("insufficient_balance");
    expect(await codeOf(post(ctx, "x", [leg("user:1", -11), leg("a:1", 11)]))).toBe("insufficient_balance");
    expect(await points(ctx, "user:1")).toBe(10n);
    expect(await points(ctx, "user:2")).toBe(0n);
    // The key of a failed transfer stays free.
    expect(await post(ctx, "spend", [leg("user:1", -10), leg("user:2", 10)])).toEqual({ isNew: true });
  });

  test("amounts are exact up to 2^256", async () => {
    await give(ctx, "user:1", AMOUNT_MAX);
    await give(ctx, "user:1", AMOUNT_MAX - 1n, "again");
    expect(await points(ctx, "user:1")).toBe(2n ** 257n - 1n);
    await post(ctx, "all", [leg("user:1", -AMOUNT_MAX), leg("user:2", AMOUNT_MAX)]);
    expect(await points(ctx, "user:1")).toBe(AMOUNT_MAX - 1n);
  });

  test.each([
    ["legs that do not sum to zero", "the legs sum to -1", [leg("user:1", 1), leg("user:2", -2)]],
    ["one leg", "it has fewer than two legs", [leg("user:1", 1)]],
    ["no legs", "it has fewer than two legs", []],
    ["a leg of zero", "user:1 cannot receive 0", [leg("user:1", 0), leg("user:2", 0)]],
    ["an account twice", "an account has more than one leg", [leg("system:x", -2), leg("user:1", 1), leg("user:1", 1)]],
    ["an account without a name", "user: cannot receive 2", [leg("system:x", -2), leg("user:", 2)]],
    ["too many legs", "it has 1024 legs", Array.from({ length: 1024 }, (_, n) => leg(`a:${n}`, n < 512 ? -1 : 1))],
    [
      "an amount that is too large",
      "system:x cannot receive -",
      [leg("system:x", -AMOUNT_MAX - 1n), leg("user:1", AMOUNT_MAX + 1n)],
    ],
    [
      "too large a debt",
      "system:x cannot receive -",
      [leg("system:x", -AMOUNT_MAX - 1n), leg("user:1", AMOUNT_MAX), leg("user:2", 1)],
    ],
  ])("a transfer is refused if it has %s", async (_, problem, legs) => {
    expect(await codeOf(post(ctx, "wrong", legs))).toContain(`cannot be posted: ${problem}`);
    expect(await ctx.db.selectFrom("ledger_transfers").select("id").execute()).toEqual([]);
  });

  test("a transfer is refused if its key, kind or currency is no plain word", async () => {
    const legs = [leg("system:x", -1), leg("user:1", 1)];
    for (const words of [
      ["a key", "test", "points"],
      ["key", "", "points"],
      ["key", "test", "x".repeat(201)],
    ] as const) {
      const [key, kind, currency] = words;
      expect(await codeOf(post(ctx, key, legs, kind, currency))).toMatch(/must be plain words/);
    }
  });

  test("what is on hold cannot be spent, and a hold refuses nothing that is received", async () => {
    await give(ctx, "user:1", 100);
    const spend = (key: string, amount: number, onHold: number) =>
      post(ctx, key, [{ ...leg("user:1", -amount), onHold: BigInt(onHold) }, leg("user:2", amount)]);
    const available = (act: Promise<unknown>) =>
      act.then(() => "posted").catch((error) => `${error.code} ${error.details.available}`);
    expect(await available(spend("more", 41, 60))).toBe("points_on_hold 40");
    expect(await available(spend("rest", 40, 60))).toBe("posted");
    expect(await available(spend("less", 1, 61))).toBe("points_on_hold 0");
    expect(await points(ctx, "user:1")).toBe(60n);
    await post(ctx, "gain", [leg("system:x", -1), { ...leg("user:1", 1), onHold: 1_000n }]);
    expect(await points(ctx, "user:1")).toBe(61n);
  });

  test("transfers need a transaction, and system accounts have no balance to read", async () => {
    const transfer = { key: "k", kind: "test", currency: "points", legs: [leg("system:x", -1), leg("user:1", 1)] };
    expect(await codeOf(postTransfer(ctx, transfer))).toMatch(/outside a transaction/);
    expect(await codeOf(points(ctx, "system:x"))).toMatch(/no balance/);
  });

  test("the database refuses changes that the code never makes", async () => {
    await give(ctx, "user:1", 10);
    const { db } = ctx;
    const refused = (act: { execute(): Promise<unknown> }) => expect(act.execute()).rejects.toThrow();
    const unchangeable = (act: { execute(): Promise<unknown> }) => expect(act.execute()).rejects.toThrow(/append-only/);
    for (const table of ["ledger_entries", "ledger_transfers"] as const) await unchangeable(db.deleteFrom(table));
    await unchangeable(db.updateTable("ledger_entries").set({ amount: "7" }));
    await unchangeable(db.updateTable("ledger_transfers").set({ kind: "other" }));
    for (const balance of ["-1", "01", "00", "", "1.5", "x", "1e3", "1 ", ":"])
      await refused(db.updateTable("ledger_balances").set({ balance }));
    await refused(db.insertInto("ledger_balances").values({ account: "system:x", currency: "points", balance: "1" }));
    const entry = {
      id: 1 * 1024 + 7,
      transfer_id: 1,
      currency: "points",
      account: "user:2",
      amount: "1",
      balance: "1",
    };
    for (const wrong of [
      { amount: "0" },
      { amount: "-" },
      { amount: "--1" },
      { amount: "-01" },
      { amount: "" },
      { amount: "1-" },
      { amount: "-1.5" },
      { amount: "a" },
      { balance: "-1" },
      { balance: "01" },
      { balance: null },
      { account: "system:x" },
      { id: 1 * 1024 + 1 },
      { id: 2 * 1024 },
      { id: 99 * 1024, transfer_id: 99 },
    ])
      await refused(db.insertInto("ledger_entries").values({ ...entry, ...wrong }));
    await db.insertInto("ledger_entries").values(entry).execute();
  });

  test("one of two concurrent transfers of the same points succeeds", async () => {
    for (let round = 0; round < 20; round++) {
      await give(ctx, "user:1", 10, `round:${round}`);
      const spends = ["user:2", "packet:1"].map((to) =>
        codeOf(post(ctx, `spend:${round}:${to}`, [leg("user:1", -10), leg(to, 10)])),
      );
      expect((await Promise.all(spends)).sort()).toEqual(["insufficient_balance", "none"]);
      expect(await points(ctx, "user:1")).toBe(0n);
    }
  });

  test("one of two concurrent transfers with the same key is new", async () => {
    for (let round = 0; round < 20; round++) {
      const posts = [1, 2, 3].map(() => give(ctx, "user:1", 1, `same:${round}`));
      const news = (await Promise.all(posts)).filter(({ isNew }) => isNew);
      expect(news).toHaveLength(1);
    }
    expect(await points(ctx, "user:1")).toBe(20n);
  });

  test("every sum holds after any concurrent transfers (property)", async () => {
    const accounts = ["user:1", "user:2", "user:3", "packet:1"];
    const draw = fc.tuple(fc.constantFrom(...accounts), fc.constantFrom(...accounts), fc.bigInt(1n, 60n), fc.nat(30));
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(draw, { maxLength: 40 }), async (transfers) => {
        run += 1;
        const currency = `c${run}`;
        await Promise.all(
          accounts.map((account) =>
            post(ctx, `${run}:${account}`, [leg("system:x", -50), leg(account, 50)], "test", currency),
          ),
        );
        const results = await Promise.all(
          transfers.map(([from, to, amount, key]) =>
            from === to
              ? "none"
              : codeOf(post(ctx, `${run}:${key}`, [leg(from, -amount), leg(to, amount)], "test", currency)),
          ),
        );
        for (const result of results) expect(result).toMatch(/^none$|^insufficient_balance$|already posted/);
        const balances = await Promise.all(accounts.map((account) => balanceOf(ctx, account, currency)));
        expect(balances.reduce((sum, balance) => sum + balance, 0n)).toBe(200n);
        expect(balances.every((balance) => balance >= 0n)).toBe(true);
        const entries = await ctx.db
          .selectFrom("ledger_entries")
          .selectAll()
          .where("currency", "=", currency)
          .orderBy("id")
          .execute();
        for (const [at, account] of accounts.entries()) {
          const own = entries.filter((entry) => entry.account === account);
          let sum = 0n;
          for (const { amount, balance } of own) {
            sum += BigInt(amount);
            expect(balance).toBe(String(sum));
          }
          expect(sum).toBe(balances[at] ?? -1n);
        }
      }),
      { numRuns: name === "sqlite" ? 60 : 15 },
    );
  });
});
