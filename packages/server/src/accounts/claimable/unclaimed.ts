import { type Expression, type SqlBool, sql } from "kysely";
import type { Db } from "../../db/db.ts";

/** True for the id of an account that an import made and nobody has claimed (protocol §14.5). For queries of any slice. */
export const isUnclaimed = (userId: Expression<number>) =>
  sql<SqlBool>`exists (select 1 from claimable_accounts as waiting where waiting.user_id = ${userId} and waiting.claimed_at is null)`;

/** Returns true for an account that an import made and nobody has claimed. */
export async function findUnclaimed(db: Db, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom("claimable_accounts")
    .select("user_id")
    .where("user_id", "=", userId)
    .where("claimed_at", "is", null)
    .executeTakeFirst();
  return row !== undefined;
}
