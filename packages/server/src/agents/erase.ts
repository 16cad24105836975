import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";
import type { ErasingStep } from "../erasure.ts";
import { hook } from "../hook.ts";
import { withdrawQuestionsOf } from "../messages/cards/erase.ts";
import { publishControl } from "../realtime/control/control.ts";
import { deleteOfOwner } from "./commands/commands.store.ts";
import { deleteKindsOfOwner } from "./kinds/kinds.store.ts";
import * as sessions from "./sessions/sessions.store.ts";

/** Deletes what slices above have of the agents of which the user is the verified owner. */
export const onOwnerErased = hook<(ctx: AppContext, userId: number) => Promise<void>>();

/**
 * Ends the keys, open streams and open questions of the agents the user is the verified owner of, in the transaction that closes the
 * account.
 */
export async function endOwnedAgents(ctx: AppContext, userId: number): Promise<void> {
  await withdrawQuestionsOf(ctx, userId);
  for (const keyId of await endOwnedKeys(ctx.db, userId, ctx.clock.now())) publishControl(ctx, "key_revoked", keyId);
}

/**
 * Removes the user's name from all agents, and the commands and sessions of those that were theirs. Agents that only had it as a label keep running: they never had the user's
 * rights.
 */
export const eraseOwnership: ErasingStep = async (ctx, { userId }) => {
  // Again, for a key that was made while the account was being closed.
  await endOwnedAgents(ctx, userId);
  await deleteKindsOfOwner(ctx.db, userId);
  await deleteOfOwner(ctx.db, userId);
  await sessions.deleteOfOwner(ctx.db, userId);
  for (const erase of onOwnerErased.of(ctx)) await erase(ctx, userId);
  await removeOwnerEverywhere(ctx.db, userId);
  return null;
};

/**
 * Ends the keys of the agents this user is the verified owner of. Returns the ids of the keys that were accepted until
 * now.
 */
async function endOwnedKeys(db: Db, userId: number, now: number): Promise<string[]> {
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

async function removeOwnerEverywhere(db: Db, userId: number): Promise<void> {
  await db
    .updateTable("agents")
    .set({ owner_user_id: null, owner_verified: 0 })
    .where("owner_user_id", "=", userId)
    .execute();
}
