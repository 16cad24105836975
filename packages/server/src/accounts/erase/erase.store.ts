import type { Db } from "../../db/db.ts";
import { nameKey, retiredHash, retiredLookHash } from "../names/names.ts";

/** Replaces the unique fields of an erased account. No name, code or address can have this form. */
const nobody = (userId: number): string => `erased user ${userId}`;

/** Clears everything in the account's row except its id and its times. */
export async function blankUser(db: Db, userId: number, label: string, now: number): Promise<void> {
  await db
    .updateTable("users")
    .set({
      username: label,
      username_key: nobody(userId),
      email: null,
      language: null,
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

/** Retires a name: neither it nor a look-alike can ever be claimed again. */
export async function retireName(db: Db, userId: number, username: string, now: number): Promise<void> {
  await db
    .insertInto("retired_names")
    .values([retiredHash(username), retiredLookHash(username)].map((name_hash) => ({ name_hash, retired_at: now })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await db.deleteFrom("names").where("name_key", "=", nameKey(username)).where("user_id", "=", userId).execute();
}

/**
 * Removes the inviter of up to `limit` users whom this user invited; returns how many. The user's own inviter is kept,
 * because it counts towards that inviter's invitations.
 */
export async function disownInvited(db: Db, userId: number, limit: number): Promise<number> {
  const rows = await db.selectFrom("users").select("id").where("invited_by", "=", userId).limit(limit).execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await db.updateTable("users").set({ invited_by: null }).where("id", "in", ids).execute();
  return ids.length;
}

/**
 * Counts the accounts of this level. Locks the first one, so that of two owners who leave concurrently the second sees
 * that they are the last.
 */
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
