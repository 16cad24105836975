import type { Selectable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { MailAddressesTable } from "../../db/tables/mails.ts";

export type AddressRow = Selectable<MailAddressesTable>;

/** Returns the row of an address, which it makes if there is none, and locks it until the transaction ends. */
export async function lockAddress(db: Db, hash: string, now: number): Promise<AddressRow> {
  return db
    .insertInto("mail_addresses")
    .values({ address_hash: hash, sent_at: "[]", stopped_at: null, updated_at: now })
    .onConflict((conflict) => conflict.column("address_hash").doUpdateSet({ updated_at: now }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateAddress(
  db: Db,
  hash: string,
  change: Partial<Pick<AddressRow, "sent_at" | "refusals" | "stopped_at">>,
): Promise<void> {
  await db.updateTable("mail_addresses").set(change).where("address_hash", "=", hash).execute();
}

/** Forgets that an address was refused. */
export async function forgiveAddress(db: Db, hash: string): Promise<void> {
  await db
    .updateTable("mail_addresses")
    .set({ refusals: 0, stopped_at: null })
    .where("address_hash", "=", hash)
    .where("refusals", ">", 0)
    .execute();
}

/** Returns when an address was refused too often; null: it was not. */
export async function stoppedAt(db: Db, hash: string): Promise<number | null> {
  const query = db.selectFrom("mail_addresses").select("stopped_at").where("address_hash", "=", hash);
  return (await query.executeTakeFirst())?.stopped_at ?? null;
}

/** Counts the addresses that were refused too often. */
export async function countStopped(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom("mail_addresses")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .where("stopped_at", "is not", null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Deletes addresses that nothing was sent to since a time; `stopped`: those that were refused too often. */
export async function forgetAddresses(db: Db, before: number, { stopped }: { stopped: boolean }): Promise<void> {
  await db
    .deleteFrom("mail_addresses")
    .where("updated_at", "<", before)
    .where("stopped_at", stopped ? "is not" : "is", null)
    .execute();
}
