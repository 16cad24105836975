import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";
import type { UserIdentity } from "../http/identity.ts";
import { recordsOf, wholeList, withTimes } from "../user-export.ts";
import { ownedAgents } from "./owned-agents.service.ts";

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
