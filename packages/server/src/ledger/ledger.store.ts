import type { Selectable } from "kysely";
import type { Db } from "../db/db.ts";
import { lockRows } from "../db/dialect.ts";
import { SizedStatement } from "../db/statements/sized-statement.ts";
import type { LedgerBalancesTable, LedgerEntriesTable } from "../db/tables/points.ts";
import { LEGS_MAX } from "./transfer.ts";

const INSERT_TRANSFER = new SizedStatement({ key: "", kind: "", created_at: 0 }, (db, rows) =>
  db
    .insertInto("ledger_transfers")
    .values(rows)
    .onConflict((conflict) => conflict.column("key").doNothing())
    .returning("id")
    .compile(),
);

/**
 * Inserts a transfer and returns its id; null when the key is taken. Waits for concurrent transactions with the same
 * key.
 */
export async function insertTransfer(db: Db, key: string, kind: string, now: number): Promise<number | null> {
  const [row] = await INSERT_TRANSFER.run<{ id: number }>(db, [{ key, kind, created_at: now }]);
  return row?.id ?? null;
}

export type Entry = Selectable<LedgerEntriesTable>;

const BLANK: Entry = {
  id: 0,
  transfer_id: 0,
  account: "",
  currency: "",
  amount: "",
  balance: null,
  previous_id: null,
};

const INSERT_ENTRIES = new SizedStatement<Entry>(BLANK, (db, rows) =>
  db.insertInto("ledger_entries").values(rows).compile(),
);

export async function insertEntries(db: Db, entries: readonly Entry[]): Promise<void> {
  await INSERT_ENTRIES.run(db, entries);
}

/** Returns true if a transfer has this key. */
export async function isTaken(db: Db, key: string): Promise<boolean> {
  const row = await db.selectFrom("ledger_transfers").select("id").where("key", "=", key).executeTakeFirst();
  return row !== undefined;
}

export interface Posted {
  kind: string;
  entries: Pick<Entry, "currency" | "account" | "amount">[];
}

/** Returns the transfer with this key; undefined if there is none. */
export async function findPosted(db: Db, key: string): Promise<Posted | undefined> {
  const transfer = await db
    .selectFrom("ledger_transfers")
    .select(["id", "kind"])
    .where("key", "=", key)
    .executeTakeFirst();
  if (transfer === undefined) return undefined;
  const entries = await db
    .selectFrom("ledger_entries")
    .select(["currency", "account", "amount"])
    .where("id", ">=", transfer.id * LEGS_MAX)
    .where("id", "<", (transfer.id + 1) * LEGS_MAX)
    .execute();
  return { kind: transfer.kind, entries };
}

/** Returns the balance as decimal text; null if the account never had any. */
export async function findBalance(db: Db, account: string, currency: string): Promise<string | null> {
  const row = await db
    .selectFrom("ledger_balances")
    .select("balance")
    .where("account", "=", account)
    .where("currency", "=", currency)
    .executeTakeFirst();
  return row?.balance ?? null;
}

export type Balance = Selectable<LedgerBalancesTable>;
export type LockedBalance = Pick<Balance, "account" | "balance" | "last_id">;

const HOLD = new SizedStatement({ account: "" }, (db, rows) => {
  const accounts = rows.map(({ account }) => account);
  const query = db
    .selectFrom("ledger_balances")
    .select(["account", "balance", "last_id"])
    .where("account", "in", accounts)
    .where("currency", "=", "")
    .orderBy("account");
  return lockRows(db, query).compile();
});

/**
 * Locks and returns the accounts' balances until the transaction ends, in the order of their names. Accounts that never
 * had any are absent.
 */
export async function lockBalances(
  db: Db,
  accounts: readonly string[],
  currency: string,
): Promise<Map<string, LockedBalance>> {
  const asked = accounts.map((account) => ({ account }));
  const rows = await HOLD.run<LockedBalance>(db, asked, [currency]);
  return new Map(rows.map((row) => [row.account, row]));
}

const NOTHING: Balance = { account: "", currency: "", balance: "0", last_id: null };
const OPEN = new SizedStatement<Balance>(NOTHING, (db, rows) =>
  db
    .insertInto("ledger_balances")
    .values(rows)
    .onConflict((conflict) => conflict.columns(["account", "currency"]).doNothing())
    .compile(),
);

/**
 * Inserts missing balance rows, so that they can be locked. Waits for concurrent transactions that insert the same
 * rows.
 */
export async function openBalances(db: Db, accounts: readonly string[], currency: string): Promise<void> {
  const rows = accounts.map((account) => ({ ...NOTHING, account, currency }));
  await OPEN.run(db, rows);
}

const MOVE = new SizedStatement<Balance>(NOTHING, (db, rows) =>
  db
    .insertInto("ledger_balances")
    .values(rows)
    // All rows exist: an upsert is SQLite's fastest way to set many rows to different values.
    .onConflict((conflict) =>
      conflict.columns(["account", "currency"]).doUpdateSet((eb) => ({
        balance: eb.ref("excluded.balance"),
        last_id: eb.ref("excluded.last_id"),
      })),
    )
    .compile(),
);

/** Updates locked balances. */
export async function moveBalances(db: Db, balances: readonly Balance[]): Promise<void> {
  await MOVE.run(db, balances);
}
