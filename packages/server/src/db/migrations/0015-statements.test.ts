import { expect, test } from "bun:test";
import { sql } from "kysely";
import { user } from "../../../test/support/actors.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDialect } from "../../../test/support/databases.ts";
import { systemClock } from "../../clock.ts";
import { postTransfer } from "../../ledger/ledger.ts";
import { statementOf } from "../../ledger/statement.ts";
import { auditLedger } from "../../points/ledger-audit.ts";
import { columnTypes } from "../columns.ts";
import type { OpenDatabase } from "../database.ts";
import type { Db } from "../db.ts";
import { transact } from "../transact.ts";
import { points } from "./0002-points.ts";
import { packets } from "./0009-packets.ts";
import { statements } from "./0015-statements.ts";
import { packetClaims } from "./0016-packet-claims.ts";
import type { Migration } from "./migration.ts";

/**
 * Entries as `ledger/ledger.ts` wrote them before: numbered consecutively, on PostgreSQL interleaved for concurrent
 * transfers.
 */
const ENTRIES: readonly (readonly [transfer: number, account: string, currency: string, amount: number])[] = [
  [1, "system:grants", "points", -100],
  [1, "user:1", "points", 100],
  [2, "system:treasury:evm:1", "ETH", -50],
  [2, "packet:1", "ETH", 50],
  [4, "packet:2", "points", 30],
  [4, "user:1", "points", -30],
  [3, "user:1", "points", -20],
  [3, "user:2", "points", 20],
  [5, "packet:2", "points", -30],
  [5, "user:1", "points", 13],
  [5, "user:2", "points", 17],
  [6, "packet:1", "ETH", -50],
  [6, "user:1", "ETH", 50],
];

eachDialect((_, open) => {
  test("an older ledger is migrated: every statement is complete, in its old order, and continues", async () => {
    await using database = await open();
    const { db } = database;
    const ctx = testContext(database);
    await takeBack(database, ["ledger_entries", "ledger_transfers", "ledger_balances", "honor"]);
    await up(database, points);
    await fill(db);
    await up(database, statements);
    expect((await auditLedger(db)).problems).toEqual([]);
    const lines = async (account: string, currency: string) =>
      (await statementOf(ctx, { account, currency }, { before: undefined, limit: 50 })).map(
        ({ kind, amount, balance }) => `${kind} ${amount} ${balance}`,
      );
    expect(await lines("user:1", "points")).toEqual(["t5 13 63", "t3 -20 50", "t4 -30 70", "t1 100 100"]);
    expect(await lines("user:2", "points")).toEqual(["t5 17 37", "t3 20 20"]);
    expect(await lines("packet:1", "ETH")).toEqual(["t6 -50 0", "t2 50 50"]);
    expect(await lines("user:1", "ETH")).toEqual(["t6 50 50"]);
    const legs = [
      { account: "user:1", amount: -3n },
      { account: "user:3", amount: 3n },
    ];
    await transact(ctx, (ctx) => postTransfer(ctx, { key: "new", kind: "new", currency: "points", legs }));
    expect((await lines("user:1", "points")).slice(0, 2)).toEqual(["new -3 60", "t5 13 63"]);
    expect((await auditLedger(db)).problems).toEqual([]);
    // A posted transfer is still known by its key, and cannot be changed.
    const again = { key: "key:5", kind: "t5", currency: "points" };
    const paid = ENTRIES.filter(([transfer]) => transfer === 5);
    const posted = paid.map(([, account, , amount]) => ({ account, amount: BigInt(amount) }));
    expect(await transact(ctx, (ctx) => postTransfer(ctx, { ...again, legs: posted }))).toEqual({ isNew: false });
    await expect(db.deleteFrom("ledger_entries").execute()).rejects.toThrow(/append-only/);
    await expect(db.updateTable("ledger_entries").set({ amount: "1" }).execute()).rejects.toThrow(/append-only/);
  });

  test("older claims keep their packets, ranks, users and outcomes", async () => {
    await using database = await open();
    const { db } = database;
    const ctx = testContext(database);
    const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
    await takeBack(database, ["packet_claims", "packets", "chain_receipts"]);
    for (const index of ["users_by_evm_address", "users_by_sol_address"]) await db.schema.dropIndex(index).execute();
    await up(database, packets);
    await sql`
      insert into packets (channel_id, sender_id, split_type, chain, currency, decimals, ledger_currency, total_amount,
        remaining_amount, count, remaining_count, min_share, greeting, status, seed, commitment, expires_in, funding_status,
        created_at, expires_at)
      select 1, ${ann.userId}, 'equal', 'ledger', 'points', 0, 'points', '9', '0', 3, 0, '1', '', 'active', '', '', 60, 'settled', 1, 2
      from users where id in (${ann.userId}, ${bob.userId})`.execute(db);
    const old = [
      [2, bob.userId, 1, "3", null, "settled", null, 10],
      [1, ann.userId, 1, "4", "0xA", "pending", null, 11],
      [1, bob.userId, 2, "5", "0xB", "failed", "0x1", 12],
    ];
    for (const values of old)
      await sql`
        insert into packet_claims (packet_id, user_id, rank, amount, address, payout_status, payout_tx_hash, claimed_at)
        values (${sql.join(values)})`.execute(db);
    await up(database, packetClaims);
    const rows = await db.selectFrom("packet_claims").selectAll().orderBy("id").execute();
    expect(rows.map(({ id, packet_id, rank }) => [id, packet_id, rank])).toEqual([
      [257, 1, 1],
      [258, 1, 2],
      [513, 2, 1],
    ]);
    const kept = rows.map((row) => [row.packet_id, row.user_id, row.rank, row.amount, row.address, row.payout_status]);
    expect(kept).toEqual([old[1], old[2], old[0]].map((row) => (row ?? []).slice(0, 6)));
    const twice = { id: 515, packet_id: 2, user_id: bob.userId, rank: 3, amount: "1", claimed_at: 1 };
    const another = { ...twice, user_id: ann.userId, payout_status: "settled" } as const;
    const refused = (row: object) =>
      expect(
        db
          .insertInto("packet_claims")
          .values({ ...another, ...row })
          .execute(),
      ).rejects.toThrow();
    await refused({ user_id: bob.userId });
    await refused({ id: 513, rank: 1 });
    await refused({ id: 514 });
    await refused({ id: 512, rank: 0 });
    await db.insertInto("packet_claims").values(another).execute();
  });
});

async function fill(db: Db): Promise<void> {
  const balances = new Map<string, number>();
  for (let id = 1; id <= 6; id += 1)
    await sql`insert into ledger_transfers (key, kind, created_at) values (${`key:${id}`}, ${`t${id}`}, ${id})`.execute(
      db,
    );
  for (const [transfer, account, currency, amount] of ENTRIES) {
    const name = `${account} ${currency}`;
    const balance = (balances.get(name) ?? 0) + amount;
    const isSystem = account.startsWith("system:");
    if (!isSystem) balances.set(name, balance);
    await sql`insert into ledger_entries (transfer_id, currency, account, amount, balance)
      values (${transfer}, ${currency}, ${account}, ${String(amount)}, ${isSystem ? null : String(balance)})`.execute(
      db,
    );
  }
  for (const [name, balance] of balances) {
    const [account, currency] = name.split(" ");
    await sql`insert into ledger_balances (account, currency, balance) values (${account}, ${currency}, ${String(balance)})`.execute(
      db,
    );
  }
}

/** Restores the earlier schema. */
async function takeBack({ db, dialect }: OpenDatabase, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    await db.schema.dropTable(table).execute();
    if (dialect === "postgres") await sql.raw(`drop function if exists ${table}_append_only`).execute(db);
  }
}

async function up({ db, dialect }: OpenDatabase, migration: Migration): Promise<void> {
  await db.transaction().execute((db) =>
    migration.up({
      db,
      columns: columnTypes(dialect),
      clock: systemClock,
      async run(texts) {
        for (const text of texts) await sql.raw(text).execute(db);
      },
    }),
  );
}
