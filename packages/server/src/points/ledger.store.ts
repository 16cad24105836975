import { type Kysely, type Selectable, sql } from "kysely";
import { heldRows } from "../db/held-rows.ts";
import { SizedStatement } from "../db/sized-statement.ts";
import type { Tables } from "../db/tables.ts";
import type { LedgerEntriesTable } from "../db/tables-points.ts";

type Db = Kysely<Tables>;

const INSERT_TRANSFER = new SizedStatement({ key: "", kind: "", created_at: 0 }, (db, rows) =>
  db
    .insertInto("ledger_transfers")
    .values(rows)
    .onConflict((conflict) => conflict.column("key").doNothing())
    .returning("id")
    .compile(),
);

/** The new transfer's id; null when the key is taken. Waits for a transaction that is about to take it. */
export async function insertTransfer(db: Db, key: string, kind: string, now: number): Promise<number | null> {
  const [row] = await INSERT_TRANSFER.run<{ id: number }>(db, [{ key, kind, created_at: now }]);
  return row?.id ?? null;
}

type NewEntry = Pick<Selectable<LedgerEntriesTable>, "transfer_id" | "currency" | "account" | "amount" | "balance">;
const BLANK: NewEntry = { transfer_id: 0, currency: "", account: "", amount: "", balance: null };

const INSERT_ENTRIES = new SizedStatement<NewEntry>(BLANK, (db, rows) =>
  db.insertInto("ledger_entries").values(rows).compile(),
);

export async function insertEntries(db: Db, entries: readonly NewEntry[]): Promise<void> {
  await INSERT_ENTRIES.run(db, entries);
}

export interface PostedEntry {
  kind: string;
  currency: string;
  account: string;
  amount: string;
}

/** What was written under a key. */
export function entriesOf(db: Db, key: string): Promise<PostedEntry[]> {
  return db
    .selectFrom("ledger_transfers as transfer")
    .innerJoin("ledger_entries as entry", "entry.transfer_id", "transfer.id")
    .select(["transfer.kind", "entry.currency", "entry.account", "entry.amount"])
    .where("transfer.key", "=", key)
    .execute();
}

/** Decimal text; null when nothing ever moved there. */
export async function findBalance(db: Db, account: string, currency: string): Promise<string | null> {
  const row = await db
    .selectFrom("ledger_balances")
    .select("balance")
    .where("account", "=", account)
    .where("currency", "=", currency)
    .executeTakeFirst();
  return row?.balance ?? null;
}

/**
 * Moves a balance from what was read (null: nothing there) to another. False: it is not that any more. On PostgreSQL this waits for
 * whoever is changing it, and holds it until the end of the transaction.
 */
export async function moveBalance(
  db: Db,
  account: string,
  currency: string,
  from: string | null,
  to: string,
): Promise<boolean> {
  if (from === null) {
    const made = await db
      .insertInto("ledger_balances")
      .values({ account, currency, balance: to })
      .onConflict((conflict) => conflict.columns(["account", "currency"]).doNothing())
      .executeTakeFirst();
    return made.numInsertedOrUpdatedRows === 1n;
  }
  const moved = await db
    .updateTable("ledger_balances")
    .set({ balance: to })
    .where("account", "=", account)
    .where("currency", "=", currency)
    .where("balance", "=", from)
    .executeTakeFirst();
  return moved.numUpdatedRows === 1n;
}

const HOLD = new SizedStatement({ account: "" }, (db, rows) => {
  const accounts = rows.map(({ account }) => account);
  const query = db
    .selectFrom("ledger_balances")
    .select(["account", "balance"])
    .where("account", "in", accounts)
    .where("currency", "=", "")
    .orderBy("account");
  return heldRows(db, query).compile();
});

/** What many accounts have, held in the order of their names until the transaction ends; of who never had any there is no entry. */
export async function holdBalances(
  db: Db,
  accounts: readonly string[],
  currency: string,
): Promise<Map<string, string>> {
  const asked = accounts.map((account) => ({ account }));
  const rows = await HOLD.run<{ account: string; balance: string }>(db, asked, [currency]);
  return new Map(rows.map(({ account, balance }) => [account, balance]));
}

/** A balance that is to be moved from what was read; null: nothing was there. */
export interface Move {
  account: string;
  from: string | null;
  to: string;
}

const MOVE = new SizedStatement<Move>({ account: "", from: null, to: "" }, (db, rows) =>
  sql`
    update ledger_balances set balance = move.column3
    from (values ${sql.join(rows.map(({ account, from, to }) => sql`(${account}, ${from}, ${to})`))}) as move
    where ledger_balances.account = move.column1 and ledger_balances.balance = move.column2
      and ledger_balances.currency = ${""}
    returning ledger_balances.account`.compile(db),
);

/** Moves many balances, those that are there and those that are not. Answers whose were what was read. */
export async function moveBalances(db: Db, currency: string, moves: readonly Move[]): Promise<Set<string>> {
  const old = moves.filter(({ from }) => from !== null);
  const moved = old.length === 0 ? [] : await MOVE.run<{ account: string }>(db, old, [currency]);
  const fresh = moves.filter(({ from }) => from === null);
  return new Set([...moved, ...(await insertBalances(db, currency, fresh))].map(({ account }) => account));
}

async function insertBalances(db: Db, currency: string, moves: readonly Move[]): Promise<{ account: string }[]> {
  if (moves.length === 0) return [];
  return db
    .insertInto("ledger_balances")
    .values(moves.map(({ account, to }) => ({ account, currency, balance: to })))
    .onConflict((conflict) => conflict.columns(["account", "currency"]).doNothing())
    .returning("account")
    .execute();
}

/** The changes of one account, the newest first; those before an entry, or all. */
export function accountEntries(
  db: Db,
  account: string,
  currency: string,
  before: number | null,
  limit: number,
): Promise<{ id: number; kind: string; amount: string; balance: string | null; created_at: number }[]> {
  return db
    .selectFrom("ledger_entries as entry")
    .innerJoin("ledger_transfers as transfer", "transfer.id", "entry.transfer_id")
    .select(["entry.id", "transfer.kind", "entry.amount", "entry.balance", "transfer.created_at"])
    .where("entry.account", "=", account)
    .where("entry.currency", "=", currency)
    .$if(before !== null, (query) => query.where("entry.id", "<", before))
    .orderBy("entry.id", "desc")
    .limit(limit)
    .execute();
}
