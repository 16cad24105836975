import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";
import type { ErasingStep } from "../erasure.ts";
import type { UserIdentity } from "../http/identity.ts";
import { recordsOf, wholeList, withTimes } from "../user-export.ts";
import { ownedAgents } from "./owned-agents.service.ts";

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

const AGENTS = 100;

async function* agentPages(ctx: AppContext, caller: UserIdentity): AsyncGenerator<readonly object[]> {
  for (let offset: number | null = 0; offset !== null; ) {
    const page: Awaited<ReturnType<typeof ownedAgents>> = await ownedAgents(ctx, caller, { limit: AGENTS, offset });
    yield page.agents;
    offset = page.next_offset;
  }
}

function socialAccountsOf(db: Db, userId: number) {
  return db
    .selectFrom("social_claims")
    .innerJoin("agents", "agents.id", "social_claims.agent_id")
    .select(["provider", "account_id", "handle", "agent_id", "claimed_at", "recovered_at"])
    .where("agents.owner_user_id", "=", userId)
    .where("agents.owner_verified", "=", 1)
    .orderBy("agent_id")
    .execute();
}

export const exportAgents = recordsOf(agentPages);

export const exportSocialAccounts = wholeList(async (ctx, { userId }) =>
  (await socialAccountsOf(ctx.db, userId)).map(withTimes),
);
