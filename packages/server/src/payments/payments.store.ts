import type { Selectable, Updateable } from "kysely";
import type { Db } from "../db/db.ts";
import { Prepared } from "../db/statements/prepared.ts";
import type { PaymentsTable } from "../db/tables/payments.ts";

export type PaymentRow = Selectable<PaymentsTable>;
export type TransactionKey = Pick<PaymentRow, "chain" | "chain_id" | "tx_hash">;

const HOLDER = new Prepared((db, key: TransactionKey) =>
  db
    .selectFrom("payments")
    .selectAll()
    .where("chain", "=", key.chain)
    .where("chain_id", "=", key.chain_id)
    .where("tx_hash", "=", key.tx_hash)
    .where("state", "<>", "refused"),
);

/** Returns the holder of the transaction: its only row that is not refused. */
export function findHolder(db: Db, key: TransactionKey): Promise<PaymentRow | undefined> {
  return HOLDER.first(db, key);
}

/** The fields of a new reservation. */
export type Reservation = TransactionKey &
  Pick<PaymentRow, "resource" | "principal" | "lease_until" | "currency" | "recipient" | "price" | "created_at">;

const RESERVE = new Prepared((db, of: Reservation) => {
  const fields = { lease_until: of.lease_until, currency: of.currency, recipient: of.recipient, price: of.price };
  const key = { chain: of.chain, chain_id: of.chain_id, tx_hash: of.tx_hash };
  return db
    .insertInto("payments")
    .values({
      ...key,
      ...fields,
      resource: of.resource,
      principal: of.principal,
      created_at: of.created_at,
      state: "verifying",
    })
    .onConflict((conflict) =>
      conflict
        .columns(["chain", "chain_id", "tx_hash", "resource", "principal"])
        .doUpdateSet({ ...fields, state: "verifying", reason: null })
        .where("payments.state", "=", "refused"),
    )
    .returningAll();
});

/**
 * Reserves a transaction in a single statement. Returns null if the same caller's payment for the same resource is under
 * way or already granted. Throws a unique violation when another caller holds the transaction.
 */
export async function reserve(db: Db, reservation: Reservation): Promise<PaymentRow | null> {
  return (await RESERVE.first(db, reservation)) ?? null;
}

/** Updates a row if it is unchanged since it was read; returns false if it is not. */
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

/** The fields of a granted payment. */
export type Granted = Pick<
  PaymentRow,
  | "payment_id"
  | "currency"
  | "recipient"
  | "amount"
  | "payer"
  | "binding"
  | "block_hash"
  | "granted_at"
  | "due_at"
  | "refetch_hash"
>;

const GRANT = new Prepared((db, of: Granted & Pick<PaymentRow, "id" | "lease_until"> & { was: PaymentRow["state"] }) =>
  db
    .updateTable("payments")
    .set({
      state: "granted",
      reason: null,
      payment_id: of.payment_id,
      currency: of.currency,
      recipient: of.recipient,
      amount: of.amount,
      payer: of.payer,
      binding: of.binding,
      block_hash: of.block_hash,
      granted_at: of.granted_at,
      due_at: of.due_at,
      refetch_hash: of.refetch_hash,
    })
    .where("id", "=", of.id)
    .where("state", "=", of.was)
    .where("lease_until", "=", of.lease_until),
);

/** Grants a payment if it is unchanged since it was read; returns false if it is not. */
export async function storeGrant(
  db: Db,
  { id, state: was, lease_until }: Pick<PaymentRow, "id" | "state" | "lease_until">,
  granted: Granted,
): Promise<boolean> {
  return (await GRANT.changes(db, { ...granted, id, was, lease_until })) === 1;
}

const STORE_HASH = new Prepared((db, of: { id: number; hash: string }) =>
  db
    .updateTable("payments")
    .set({ refetch_hash: of.hash })
    .where("id", "=", of.id)
    .where("state", "=", "granted")
    .where("refetch_hash", "is", null),
);

/** Stores the hash of a granted payment's refetch token; false when it has one already. */
export async function storeRefetchHash(db: Db, id: number, hash: string): Promise<boolean> {
  return (await STORE_HASH.changes(db, { id, hash })) === 1;
}

/** Gives a grant that bound nobody to its payer; false if it is no longer such a grant. */
export async function regrant(
  db: Db,
  id: number,
  change: Pick<PaymentRow, "payment_id" | "principal" | "resource" | "binding" | "granted_at" | "refetch_hash">,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("payments")
    .set(change)
    .where("id", "=", id)
    .where("state", "=", "granted")
    .where("binding", "=", "none")
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Deletes a reservation if it is still the same one. */
export async function release(db: Db, from: Pick<PaymentRow, "id" | "lease_until">): Promise<void> {
  await db
    .deleteFrom("payments")
    .where("id", "=", from.id)
    .where("state", "=", "verifying")
    .where("lease_until", "=", from.lease_until)
    .execute();
}

/** Returns the newest payment granted for something. */
export function findLastGrant(
  db: Db,
  resource: string,
): Promise<Pick<PaymentRow, "price" | "currency" | "chain_id"> | undefined> {
  return db
    .selectFrom("payments")
    .select(["price", "currency", "chain_id"])
    .where("resource", "=", resource)
    .where("state", "=", "granted")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
}

/**
 * Returns whether another payment of the same payer for the same resource was granted since; that one then holds the
 * purchase.
 */
export async function isPaidAnew(
  db: Db,
  { id, resource, principal, granted_at }: Pick<PaymentRow, "id" | "resource" | "principal" | "granted_at">,
): Promise<boolean> {
  const since = await db
    .selectFrom("payments")
    .select("id")
    .where("resource", "=", resource)
    .where("principal", "=", principal)
    .where("state", "=", "granted")
    .where("granted_at", ">=", granted_at ?? 0)
    .where("id", "<>", id)
    .executeTakeFirst();
  return since !== undefined;
}

/** Returns granted payments whose block is due for a check, longest due first. */
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

/** Returns the number of payments that somebody checks now, or whose blocks may still be removed from the chain. */
export async function countUnderWay(db: Db, now: number): Promise<number> {
  const { count } = await db
    .selectFrom("payments")
    .select((of) => of.fn.countAll<number>().as("count"))
    .where((of) =>
      of.or([
        of.and([of("state", "=", "verifying"), of("lease_until", ">", now)]),
        of.and([of("state", "=", "granted"), of("due_at", "is not", null)]),
      ]),
    )
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Deletes up to `most` old rows that were refused, or left behind by a crash. */
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
