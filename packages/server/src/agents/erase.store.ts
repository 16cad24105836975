import type { Kysely } from "kysely";
import type { Tables } from "../db/tables/tables.ts";

type Db = Kysely<Tables>;

/**
 * Ends the keys of the agents this user is the verified owner of. Returns the ids of the keys that were accepted until
 * now.
 */
export async function endOwnedKeys(db: Db, userId: number, now: number): Promise<string[]> {
  const rows = await db
    .updateTable("api_keys")
    .set({ revoked_at: now })
    .where("agent_id", "in", (eb) =>
      eb.selectFrom("agents").select("agents.id").where("owner_user_id", "=", userId).where("owner_verified", "=", 1),
    )
    .where((eb) => eb.or([eb("revoked_at", "is", null), eb("revoked_at", ">", now)]))
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}

export async function removeOwnerEverywhere(db: Db, userId: number): Promise<void> {
  await db
    .updateTable("agents")
    .set({ owner_user_id: null, owner_verified: 0 })
    .where("owner_user_id", "=", userId)
    .execute();
}
