import type { DmPolicy } from "@parley/protocol/values";
import { type AppContext, perServer } from "../../context.ts";
import type { Db } from "../../db/db.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { rowCache, rowOf } from "../../realtime/control/row-cache.ts";

const AGENTS_KEPT = 10_000;

interface Policy {
  policy: DmPolicy;
  /** The verified owner. */
  ownerId: number | null;
}

/** Cache by agent of whom it talks with. Every change of the agent invalidates the entry. */
const policies = perServer((ctx) =>
  rowCache<number, Policy>(ctx, AGENTS_KEPT, { agent_changed: (kept, agentId) => kept.forget(agentId) }),
);

/**
 * Rejects a user with whom the agent does not have direct conversations (protocol §3). Errors: `direct_not_allowed`.
 */
export async function assertTalksWith(ctx: AppContext, caller: UserIdentity, agentId: number): Promise<void> {
  if (!(await talksWith(ctx, agentId, caller.userId))) throw fail("direct_not_allowed");
}

/** True if the agent's `dm_policy` names the user. Uses the cache outside transactions. */
export async function talksWith(ctx: AppContext, agentId: number, userId: number): Promise<boolean> {
  const { policy, ownerId } = await policyOf(ctx, agentId);
  return policy === "everyone" || (policy === "owner" && ownerId === userId);
}

const policyOf = (ctx: AppContext, agentId: number): Policy | Promise<Policy> =>
  rowOf(ctx, policies(ctx), agentId, (db) => readPolicy(db, agentId));

async function readPolicy(db: Db, agentId: number): Promise<Policy> {
  const row = await db
    .selectFrom("agents")
    .select(["dm_policy", "owner_user_id", "owner_verified"])
    .where("id", "=", agentId)
    .executeTakeFirst();
  if (row === undefined) return { policy: "nobody", ownerId: null };
  return { policy: row.dm_policy, ownerId: row.owner_verified === 1 ? row.owner_user_id : null };
}
