import type { Insertable, Selectable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { AddressLinksTable, ConfirmedAddressesTable } from "../../db/tables/mails.ts";

export type ConfirmedRow = Selectable<ConfirmedAddressesTable>;

/** Returns the key of the address that a user has confirmed; null: none. It may be an address that they had before. */
export async function confirmedKey(db: Db, userId: number): Promise<string | null> {
  const row = await db
    .selectFrom("confirmed_addresses")
    .select("address_key")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row?.address_key ?? null;
}

/** Returns the user who has confirmed an address, with the address that they have now; null: nobody has. */
export async function holderOf(db: Db, key: string): Promise<{ user_id: number; email: string | null } | null> {
  const row = await db
    .selectFrom("confirmed_addresses")
    .innerJoin("users", "users.id", "confirmed_addresses.user_id")
    .select(["confirmed_addresses.user_id", "users.email"])
    .where("address_key", "=", key)
    .executeTakeFirst();
  return row ?? null;
}

/** Stores that a user has confirmed an address, in place of their earlier one. False if another user has confirmed it. */
export async function insertConfirmed(db: Db, row: ConfirmedRow): Promise<boolean> {
  await forgetConfirmed(db, row.user_id);
  const made = await db
    .insertInto("confirmed_addresses")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning("user_id")
    .executeTakeFirst();
  return made !== undefined;
}

export async function forgetConfirmed(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("confirmed_addresses").where("user_id", "=", userId).execute();
}

/** Stores a link in place of the user's earlier one. */
export async function putAddressLink(db: Db, link: Insertable<AddressLinksTable>): Promise<void> {
  const { user_id: _, ...values } = link;
  await db
    .insertInto("address_links")
    .values(link)
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(values))
    .execute();
}

/** Returns whose a link is; null if it is unknown. */
export async function findAddressLink(db: Db, tokenHash: string): Promise<Selectable<AddressLinksTable> | null> {
  const query = db.selectFrom("address_links").selectAll().where("token_hash", "=", tokenHash);
  return (await query.executeTakeFirst()) ?? null;
}

/** Removes a link. Of two calls at once, one returns true. */
export async function takeAddressLink(db: Db, tokenHash: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("address_links")
    .where("token_hash", "=", tokenHash)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

export async function forgetAddressLink(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("address_links").where("user_id", "=", userId).execute();
}

/** Removes links that have expired, and what the release before has left of deleted accounts. */
export async function sweepAddresses(db: Db, now: number): Promise<void> {
  await db.deleteFrom("address_links").where("expires_at", "<=", now).execute();
  const erased = db.selectFrom("users").select("id").where("erased_at", "is not", null);
  await db.deleteFrom("confirmed_addresses").where("user_id", "in", erased).execute();
}
