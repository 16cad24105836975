import type { Kysely } from "kysely";
import type { Tables } from "../db/tables/tables.ts";

/** Deletes the social accounts by which this user claimed the agents they are the verified owner of. */
export async function forgetSocialAccounts(db: Kysely<Tables>, userId: number): Promise<void> {
  await db
    .deleteFrom("social_claims")
    .where("agent_id", "in", (eb) =>
      eb.selectFrom("agents").select("id").where("owner_user_id", "=", userId).where("owner_verified", "=", 1),
    )
    .execute();
}
