import { isUnused, type Use } from "../../accounts/hidden/is-unused.ts";
import type { Db } from "../../db/db.ts";

/** Pauses an agent that has no key yet: it ends no session, and announces nothing. */
export async function pauseAgent(db: Db, id: number): Promise<void> {
  await db.updateTable("agents").set({ paused: 1 }).where("id", "=", id).execute();
}

/** Columns with agents that others have made, for which an agent must stay. */
const USES: readonly Use[] = [
  ["direct_agents", "agent_id"],
  ["files", "agent_id"],
  ["names", "agent_id"],
  ["social_claims", "agent_id"],
  ["streams", "agent_id"],
  ["verification_codes", "agent_id"],
];

/** Deletes those of these agents that nobody uses. */
export async function deleteAgents(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db.deleteFrom("agents").where("id", "in", ids).where(isUnused("agents", USES)).execute();
}
