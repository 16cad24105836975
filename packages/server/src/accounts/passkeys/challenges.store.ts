import type { Db } from "../../db/db.ts";

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
