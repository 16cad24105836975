import type { Kysely } from "kysely";
import type { Tables } from "../db/tables/tables.ts";

/** Returns when a user registered and who invited them; undefined if there is no such user. */
export function findRegistered(
  db: Kysely<Tables>,
  userId: number,
): Promise<{ created_at: number; invited_by: number | null } | undefined> {
  return db.selectFrom("users").select(["created_at", "invited_by"]).where("id", "=", userId).executeTakeFirst();
}
