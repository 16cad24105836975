import type { Insertable, Selectable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { PasskeysTable } from "../../db/tables/factors.ts";

export type PasskeyRow = Selectable<PasskeysTable>;

/** Lists a user's passkeys, newest first. */
export function listPasskeys(db: Db, userId: number): Promise<PasskeyRow[]> {
  return db.selectFrom("passkeys").selectAll().where("user_id", "=", userId).orderBy("id", "desc").execute();
}

export async function findPasskey(db: Db, credentialId: string): Promise<PasskeyRow | null> {
  const row = await db.selectFrom("passkeys").selectAll().where("credential_id", "=", credentialId).executeTakeFirst();
  return row ?? null;
}

/** Inserts a passkey; null if its credential is registered already. */
export async function insertPasskey(db: Db, row: Insertable<PasskeysTable>): Promise<PasskeyRow | null> {
  const made = await db
    .insertInto("passkeys")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return made ?? null;
}

/** Renames a passkey of the user; null if they have no such passkey. */
export async function renamePasskey(db: Db, userId: number, id: number, name: string): Promise<PasskeyRow | null> {
  const row = await db
    .updateTable("passkeys")
    .set({ name })
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Removes a passkey of the user and returns it; null if they have no such passkey. */
export async function removePasskey(db: Db, userId: number, id: number): Promise<PasskeyRow | null> {
  const row = await db
    .deleteFrom("passkeys")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Removes all passkeys of a user, and challenges for more. */
export async function removePasskeys(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("passkeys").where("user_id", "=", userId).execute();
  await db.deleteFrom("passkey_challenges").where("user_id", "=", userId).execute();
}

/**
 * Records a login with a passkey. False if another one with this count came first: two logins with the same count are a
 * copy of the authenticator. Those that do not count always send 0.
 */
export async function recordUse(
  db: Db,
  id: number,
  { counter, isSynced, now }: { counter: number; isSynced: boolean; now: number },
): Promise<boolean> {
  const row = await db
    .updateTable("passkeys")
    .set({ counter, is_synced: isSynced ? 1 : 0, last_used_at: now })
    .where("id", "=", id)
    .$if(counter > 0, (query) => query.where("counter", "<", counter))
    .$if(counter === 0, (query) => query.where("counter", "=", 0))
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Stores a challenge: for a login (`userId` null), or for adding a passkey, of which a user has one. At most `keep` are
 * stored; the oldest are removed first.
 */
export async function insertChallenge(
  db: Db,
  row: { challenge: string; user_id: number | null; expires_at: number },
  keep: number,
  now: number,
): Promise<void> {
  await db.deleteFrom("passkey_challenges").where("expires_at", "<=", now).execute();
  if (row.user_id !== null) await db.deleteFrom("passkey_challenges").where("user_id", "=", row.user_id).execute();
  await db.insertInto("passkey_challenges").values(row).execute();
  await db
    .deleteFrom("passkey_challenges")
    .where("id", "<=", (eb) =>
      eb.selectFrom("passkey_challenges as kept").select("kept.id").orderBy("kept.id", "desc").limit(1).offset(keep),
    )
    .execute();
}

/** Uses a challenge up. False if it does not exist, was made for somebody else, or has expired. */
export async function takeChallenge(db: Db, challenge: string, userId: number | null, now: number): Promise<boolean> {
  const row = await db
    .deleteFrom("passkey_challenges")
    .where("challenge", "=", challenge)
    .where("user_id", userId === null ? "is" : "=", userId)
    .returning("expires_at")
    .executeTakeFirst();
  return row !== undefined && row.expires_at > now;
}
