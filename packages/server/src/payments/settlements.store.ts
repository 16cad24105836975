import type { Insertable, Kysely, Selectable, Updateable } from "kysely";
import type { Tables } from "../db/tables.ts";
import type { PaymentSettlementsTable } from "../db/tables-payments.ts";

type Db = Kysely<Tables>;
export type SettlementRow = Selectable<PaymentSettlementsTable>;
/** Names an authorization over all chains. */
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
 * Reserves an authorization, in one statement of its own; null when somebody holds it. One that was refused may be tried again.
 * Throws a unique violation when another authorization for the same demand is under way or was granted.
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

/** Changes a row that is as it was read; false when it is not any more. */
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

/** Gives a reservation back without a trace, if it is still that one. */
export async function releaseSettlement(db: Db, from: Pick<SettlementRow, "id" | "lease_until">): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("payment_settlements")
    .where("id", "=", from.id)
    .where("state", "=", "reserved")
    .where("lease_until", "=", from.lease_until)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** What nobody works on and the chain has to be asked about, the longest due first. */
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

/** Forgets those that are over, from before, at most so many: the chain itself takes no authorization twice. */
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

/** Is one of those authorizations somebody's payment, or about to be? */
export async function isSettlement(
  db: Db,
  chainId: number,
  keys: readonly Pick<AuthorizationName, "token_address" | "authorizer" | "nonce">[],
): Promise<boolean> {
  for (const key of keys) {
    const found = await findSettlement(db, { chain_id: chainId, ...key });
    if (found !== undefined && found.state !== "refused") return true;
  }
  return false;
}
