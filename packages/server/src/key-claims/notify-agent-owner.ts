import { notify } from "../accounts/notices.ts";
import type { ControlledAgent } from "../agents/agent-control.ts";
import type { AppContext } from "../context.ts";
import type { UserIdentity } from "../http/identity.ts";
import { namesOfAgents } from "./keys.store.ts";

/** Tells an agent's verified owner, if any, that somebody else acted on it. Call inside `transact`. */
export async function notifyAgentOwner(
  ctx: AppContext,
  by: UserIdentity,
  { id, owner_user_id, owner_verified }: ControlledAgent,
  code: "agent_paused" | "agent_resumed" | "agent_key_revoked",
): Promise<void> {
  if (owner_user_id === null || owner_verified !== 1) return;
  const [named] = await namesOfAgents(ctx.db, [id]);
  await notify(ctx, owner_user_id, { code, subject: named?.name ?? null, by });
}
