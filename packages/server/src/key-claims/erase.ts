import type { Db } from "../db/db.ts";
import type { ErasingStep } from "../erasure.ts";

/**
 * Deletes the social accounts (id and handle) the user proved to own, so that these can claim a key again. The
 * old agent's keys have ended, so one social account never has two. Runs before `eraseOwnership`, which clears the owner
 * that this step looks for.
 */
export const eraseSocialAccounts: ErasingStep = async (ctx, { userId }) => {
  await forgetSocialAccounts(ctx.db, userId);
  return null;
};

/** Deletes the social accounts by which this user claimed the agents they are the verified owner of. */
async function forgetSocialAccounts(db: Db, userId: number): Promise<void> {
  await db
    .deleteFrom("social_claims")
    .where("agent_id", "in", (eb) =>
      eb.selectFrom("agents").select("id").where("owner_user_id", "=", userId).where("owner_verified", "=", 1),
    )
    .execute();
}
