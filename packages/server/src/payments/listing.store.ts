import { userNamed } from "../accounts/names/user-named.ts";
import type { Db } from "../db/db.ts";
import { paddedList } from "../db/statements/sized-statement.ts";
import type { PaymentRow } from "./payments.store.ts";

export interface PaymentFilter {
  readonly state?: PaymentRow["state"] | undefined;
  readonly resource?: string | undefined;
  readonly principal?: string | undefined;
  readonly tx_hash?: string | undefined;
  readonly before?: number | undefined;
}

/** Returns payments, newest first. */
export function listPayments(db: Db, filter: PaymentFilter, limit: number): Promise<PaymentRow[]> {
  let query = db.selectFrom("payments").selectAll();
  if (filter.state !== undefined) query = query.where("state", "=", filter.state);
  if (filter.resource !== undefined) query = query.where("resource", "=", filter.resource);
  if (filter.principal !== undefined) query = query.where("principal", "=", filter.principal);
  if (filter.tx_hash !== undefined) query = query.where("tx_hash", "=", filter.tx_hash);
  if (filter.before !== undefined) query = query.where("id", "<", filter.before);
  return query.orderBy("id", "desc").limit(limit).execute();
}

/** Returns the user with this name; null if there is none. */
export async function findUserId(db: Db, username: string): Promise<number | null> {
  return (await userNamed(db, username).select("id").executeTakeFirst())?.id ?? null;
}

/** Returns the names of at most 512 users, by id. */
export async function usernames(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom("users").select(["id", "username"]).where("id", "in", paddedList(ids)).execute();
  return new Map(rows.map(({ id, username }) => [id, username]));
}

export type GrantedAmount = Pick<PaymentRow, "id" | "chain" | "chain_id" | "currency" | "recipient" | "amount">;

/** Returns granted payments, oldest first. The reader sums the amounts, which are decimal text in the database. */
export function grantedAmounts(db: Db, after: number, limit: number): Promise<GrantedAmount[]> {
  return db
    .selectFrom("payments")
    .select(["id", "chain", "chain_id", "currency", "recipient", "amount"])
    .where("state", "=", "granted")
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
}
