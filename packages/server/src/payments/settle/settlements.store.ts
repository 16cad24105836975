import type { Insertable, Selectable, Updateable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { PaymentSettlementsTable } from "../../db/tables/payments.ts";

export type SettlementRow = Selectable<PaymentSettlementsTable>;
/** Identifies an authorization across all chains. */
export type AuthorizationName = Pick<SettlementRow, "chain_id" | "token_address" | "authorizer" | "nonce">;

export function findSettlement(db: Db, name: AuthorizationName): Promise<SettlementRow | undefined> {
  return db
    .selectFrom("payment_settlements")
    .selectAll()
    .where("chain_id", "=", name.chain_id)
    .where("token_address", "=", name.token_address)
    .where("authorizer", "=", name.authorizer)
    .where("nonce", "=", name.nonce)
    .executeTakeFirst();
}

/**
 * Reserves an authorization in a single statement; null when another caller holds it. A refused one may be tried again.
 * Throws a unique violation when another authorization for the same challenge is under way or was granted.
 */
export async function reserveSettlement(
  db: Db,
  reservation: Omit<Insertable<PaymentSettlementsTable>, "id">,
): Promise<SettlementRow | null> {
  const row = await db
    .insertInto("payment_settlements")
    .values(reservation)
    .onConflict((conflict) =>
      conflict
        .columns(["chain_id", "token_address", "authorizer", "nonce"])
        .doUpdateSet({ ...reservation, reason: null, from_height: null, tx_hash: null })
        .where("payment_settlements.state", "=", "refused"),
    )
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Updates a row if it is unchanged since it was read; returns false if it is not. */
export async function moveSettlement(
  db: Db,
  from: Pick<SettlementRow, "id" | "state" | "lease_until">,
  change: Updateable<PaymentSettlementsTable>,
): Promise<boolean> {
  const result = await db
    .updateTable("payment_settlements")
    .set(change)
    .where("id", "=", from.id)
    .where("state", "=", from.state)
    .where("lease_until", "=", from.lease_until)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Deletes a reservation if it is still the same one. */
export async function releaseSettlement(db: Db, from: Pick<SettlementRow, "id" | "lease_until">): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("payment_settlements")
    .where("id", "=", from.id)
    .where("state", "=", "reserved")
    .where("lease_until", "=", from.lease_until)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Returns settlements nobody works on that are due for a chain query, longest due first. */
export function dueSettlements(db: Db, now: number, most: number): Promise<SettlementRow[]> {
  return db
    .selectFrom("payment_settlements")
    .selectAll()
    .where("due_at", "<=", now)
    .where("lease_until", "<=", now)
    .orderBy("due_at")
    .limit(most)
    .execute();
}

/** Returns the number of settlements whose outcome is open. A reservation that a crash left before any facilitator was asked does not count. */
export async function countUnsettled(db: Db, now: number): Promise<number> {
  const { count } = await db
    .selectFrom("payment_settlements")
    .select((of) => of.fn.countAll<number>().as("count"))
    .where((of) =>
      of.or([
        of("state", "in", ["settling", "settled"]),
        of.and([of("state", "=", "reserved"), of("lease_until", ">", now)]),
      ]),
    )
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Deletes up to `most` old finished settlements; the chain itself rejects reuse of an authorization. */
export async function forgetSettlements(db: Db, madeBefore: number, most: number): Promise<void> {
  await db
    .deleteFrom("payment_settlements")
    .where("id", "in", (old) =>
      old
        .selectFrom("payment_settlements")
        .select("id")
        .where("created_at", "<", madeBefore)
        .where("state", "in", ["granted", "refused"])
        .orderBy("created_at")
        .limit(most),
    )
    .execute();
}
