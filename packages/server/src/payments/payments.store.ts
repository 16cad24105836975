import type { Kysely, Selectable, Updateable } from "kysely";
import type { Tables } from "../db/tables.ts";
import type { PaymentsTable } from "../db/tables-payments.ts";

type Db = Kysely<Tables>;
export type PaymentRow = Selectable<PaymentsTable>;
export type TransactionKey = Pick<PaymentRow, "chain" | "chain_id" | "tx_hash">;

/** Whoever holds the transaction: the one row of it that is not refused. */
export function findHolder(db: Db, key: TransactionKey): Promise<PaymentRow | undefined> {
  return db
    .selectFrom("payments")
    .selectAll()
    .where("chain", "=", key.chain)
    .where("chain_id", "=", key.chain_id)
    .where("tx_hash", "=", key.tx_hash)
    .where("state", "<>", "refused")
    .executeTakeFirst();
}

/** What a reservation starts with. */
export type Reservation = TransactionKey &
  Pick<PaymentRow, "resource" | "principal" | "lease_until" | "currency" | "recipient" | "price" | "created_at">;

/**
 * Reserves a transaction, in one statement of its own; the row, or null when this very presentation is under way or was granted already.
 * Throws a unique violation when somebody else holds the transaction.
 */
export async function reserve(db: Db, reservation: Reservation): Promise<PaymentRow | null> {
  const { lease_until, currency, recipient, price } = reservation;
  const row = await db
    .insertInto("payments")
    .values({ ...reservation, state: "verifying" })
    .onConflict((conflict) =>
      conflict
        .columns(["chain", "chain_id", "tx_hash", "resource", "principal"])
        .doUpdateSet({ state: "verifying", reason: null, lease_until, currency, recipient, price })
        .where("payments.state", "=", "refused"),
    )
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Changes a row that is as it was read; false when it is not any more. */
export async function move(
  db: Db,
  from: Pick<PaymentRow, "id" | "state" | "lease_until">,
  change: Updateable<PaymentsTable>,
): Promise<boolean> {
  const result = await db
    .updateTable("payments")
    .set(change)
    .where("id", "=", from.id)
    .where("state", "=", from.state)
    .where("lease_until", "=", from.lease_until)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Gives a reservation back without a trace, if it is still that one. */
export async function release(db: Db, from: Pick<PaymentRow, "id" | "lease_until">): Promise<void> {
  await db
    .deleteFrom("payments")
    .where("id", "=", from.id)
    .where("state", "=", "verifying")
    .where("lease_until", "=", from.lease_until)
    .execute();
}

/** Granted payments whose block has to be looked at, the longest due first. */
export function dueGrants(db: Db, now: number, most: number): Promise<PaymentRow[]> {
  return db
    .selectFrom("payments")
    .selectAll()
    .where("due_at", "<=", now)
    .where("state", "=", "granted")
    .orderBy("due_at")
    .limit(most)
    .execute();
}

/** Forgets refused presentations, and those a crash has left behind, from before; at most so many. */
export async function forgetRefused(db: Db, madeBefore: number, most: number): Promise<void> {
  await db
    .deleteFrom("payments")
    .where("id", "in", (old) =>
      old
        .selectFrom("payments")
        .select("id")
        .where("granted_at", "is", null)
        .where("created_at", "<", madeBefore)
        .where("lease_until", "<", madeBefore)
        .orderBy("created_at")
        .limit(most),
    )
    .execute();
}
