import { afterEach, beforeEach, expect, test } from "bun:test";
import { sql } from "kysely";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { createUser } from "../accounts/accounts.service.ts";
import type { AppContext } from "../context.ts";
import type { OpenDatabase } from "../db/database.ts";
import { transact } from "../db/transact.ts";
import { postTransfer } from "../ledger/ledger.ts";
import { creditLike } from "./earning.ts";
import { auditLedger } from "./ledger-audit.ts";

const LEFT_OUT = /^the chain of entries is broken/;

eachDatabase((_, open) => {
  let database: OpenDatabase;
  let ctx: AppContext;
  beforeEach(async () => {
    database = await open();
    ctx = testContext(database);
    await fill(ctx);
  }, 60_000);
  afterEach(() => database[Symbol.asyncDispose]());

  test("a ledger that was written by its rules passes the audit", async () => {
    expect(await problems()).toEqual([]);
    expect((await auditLedger(ctx.db)).entries).toBe(12);
  });

  test.each<[string, (ctx: AppContext) => Promise<unknown>, RegExp[]]>([
    [
      "a balance that was raised",
      ({ db }) => db.updateTable("ledger_balances").set({ balance: "1000" }).where("account", "=", "user:2").execute(),
      [/^user:2 has 1000 points, but its entries sum to 82$/],
    ],
    [
      "a balance that is missing",
      ({ db }) => db.deleteFrom("ledger_balances").where("account", "=", "user:2").execute(),
      [LEFT_OUT, /^the balance of user:2 points is missing, but its entries sum to 82$/],
    ],
    [
      "a balance without entries",
      ({ db }) =>
        db.insertInto("ledger_balances").values({ account: "user:9", currency: "ETH", balance: "5" }).execute(),
      [/^user:9 has 5 ETH, but its entries sum to 0$/],
    ],
    [
      "an amount that was changed",
      ({ db }) =>
        db
          .updateTable("ledger_entries")
          .set({ amount: "-25" })
          .where("account", "=", "user:1")
          .where("amount", "=", "-20")
          .execute(),
      [
        /^entry \d+ says that user:1 has 82 points, but the sum is 77$/,
        /^user:1 has 82 points, but its entries sum to 77$/,
        /^transfer \d+ sums to -5 points$/,
        /^all entries of points sum to -5$/,
      ],
    ],
    [
      "an amount that exceeds the balance",
      ({ db }) =>
        db
          .updateTable("ledger_entries")
          .set({ amount: "-200" })
          .where("amount", "=", "-20")
          .where("account", "=", "user:2")
          .execute(),
      [
        /^entry \d+ brings user:2 to -98 points$/,
        /^entry \d+ says that user:2 has 82 points, but the sum is -98$/,
        /^user:2 has 82 points, but its entries sum to -98$/,
        /^transfer \d+ sums to -180 points$/,
        /^all entries of points sum to -180$/,
      ],
    ],
    [
      "entries that were deleted",
      ({ db }) => db.deleteFrom("ledger_entries").where("account", "=", "packet:1").execute(),
      [
        /^packet:1 has 40 points, but its entries sum to 0$/,
        /^transfer \d+ sums to -20 points$/,
        /^transfer \d+ sums to -20 points$/,
        LEFT_OUT,
        /^all entries of points sum to -40$/,
      ],
    ],
    [
      "a transfer whose entries were deleted",
      async ({ db }) => {
        const transfer = db.selectFrom("ledger_transfers").select("id").where("key", "=", "fund:1");
        await db.deleteFrom("ledger_entries").where("transfer_id", "=", transfer).execute();
      },
      [
        /^entry \d+ of packet:1 follows entry \d+, which belongs to another account$/,
        /^transfer \d+ \(fund:1\) has no entries$/,
        /^packet:1 has 40 points, but its entries sum to 20$/,
        /^user:1 has 82 points, but its entries sum to 102$/,
        LEFT_OUT,
      ],
    ],
    [
      "a balance that names another entry as its last",
      ({ db }) => db.updateTable("ledger_balances").set({ last_id: 1 }).where("account", "=", "user:1").execute(),
      [LEFT_OUT],
    ],
    [
      "an entry whose predecessor was changed",
      ({ db }) =>
        db
          .updateTable("ledger_entries")
          .set({ previous_id: null })
          .where("account", "=", "packet:1")
          .where("balance", "=", "40")
          .execute(),
      [/^entry \d+ says that packet:1 has 40 points, but the sum is 20$/, LEFT_OUT],
    ],
    [
      "honor that was not earned",
      ({ db }) => db.updateTable("honor").set({ total_points: 8000 }).where("user_id", "=", 1).execute(),
      [/^user:1 is recorded as having earned 8000, but its entries sum to 2$/],
    ],
    [
      "honor that was removed",
      ({ db }) => db.deleteFrom("honor").where("user_id", "=", 1).execute(),
      [/^user:1 is recorded as having earned nothing, but its entries sum to 2$/],
    ],
  ])("the audit finds %s", async (_, tamper, expected) => {
    await forge(ctx);
    await tamper(ctx);
    const found = await problems();
    expect(found).toHaveLength(expected.length);
    for (const [at, text] of expected.entries()) expect(found[at]).toMatch(text);
  });

  const problems = async () => (await auditLedger(ctx.db)).problems;
});

/** Two users with 100 points each, a like by each, and 20 points of each in a packet. */
async function fill(ctx: AppContext): Promise<void> {
  await transact(ctx, async (ctx) => {
    for (const username of ["ann", "bob"])
      await createUser(ctx, { username, email: null, passwordHash: null, invitedBy: null, adminLevel: null });
    await creditLike(ctx, { messageId: 1, authorId: 1, likerId: 2 });
    await creditLike(ctx, { messageId: 2, authorId: 2, likerId: 1 });
    for (const id of [1, 2]) {
      const legs = [
        { account: `user:${id}`, amount: -20n },
        { account: "packet:1", amount: 20n },
      ];
      await postTransfer(ctx, { key: `fund:${id}`, kind: "red_packet", currency: "points", legs });
    }
  });
}

/** Removes what prevents manual changes of past entries. */
async function forge({ db }: AppContext): Promise<void> {
  for (const statement of ["drop trigger ledger_entries_no_update", "drop trigger ledger_entries_no_delete"])
    await sql
      .raw(statement)
      .execute(db)
      .catch(() => {});
  await sql
    .raw("drop trigger ledger_entries_append_only on ledger_entries")
    .execute(db)
    .catch(() => {});
}
