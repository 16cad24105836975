import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";
import { nameKey, retiredHash, retiredLookHash } from "./names.ts";

type Db = Kysely<Tables>;

/** What the row of an erased account holds in place of what was unique to its user. No name, code or address is written like these. */
const nobody = (userId: number): string => `erased user ${userId}`;

/** Leaves of the account nothing but its number and its times. */
export async function blankUser(db: Db, userId: number, label: string, now: number): Promise<void> {
  await db
    .updateTable("users")
    .set({
      username: label,
      username_key: nobody(userId),
      email: null,
      password_hash: null,
      evm_address: null,
      sol_address: null,
      evm_proven_at: null,
      sol_proven_at: null,
      admin_level: null,
      invite_code: nobody(userId),
      suspended_until: null,
      updated_at: now,
      erased_at: now,
    })
    .where("id", "=", userId)
    .execute();
}

/** Gives the name up, and keeps it and its look from everybody for ever. */
export async function retireName(db: Db, userId: number, username: string, now: number): Promise<void> {
  await db
    .insertInto("retired_names")
    .values([retiredHash(username), retiredLookHash(username)].map((name_hash) => ({ name_hash, retired_at: now })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await db.deleteFrom("names").where("name_key", "=", nameKey(username)).where("user_id", "=", userId).execute();
}

/** Up to `limit` users whom he invited are invited by nobody; tells how many. Whom he was invited by stays: it is that user's count. */
export async function disownInvited(db: Db, userId: number, limit: number): Promise<number> {
  const rows = await db.selectFrom("users").select("id").where("invited_by", "=", userId).limit(limit).execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await db.updateTable("users").set({ invited_by: null }).where("id", "in", ids).execute();
  return ids.length;
}

/** How many accounts have this level. Locks the first, so that of two owners who leave at once the second sees that he is the last. */
export async function countLevelLocking(db: Db, level: number): Promise<number> {
  await db
    .updateTable("users")
    .set((eb) => ({ updated_at: eb.ref("updated_at") }))
    .where("id", "=", (eb) =>
      eb
        .selectFrom("users as first")
        .select((min) => min.fn.min("first.id").as("id"))
        .where("first.admin_level", "=", level),
    )
    .execute();
  const row = await db
    .selectFrom("users")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("admin_level", "=", level)
    .executeTakeFirstOrThrow();
  return Number(row.n);
}
