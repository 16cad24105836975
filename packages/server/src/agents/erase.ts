import type { AppContext } from "../context.ts";
import type { ErasingStep } from "../erasure.ts";
import { publishControl } from "../realtime/control.ts";
import { endOwnedKeys, removeOwnerEverywhere } from "./erase.store.ts";

/**
 * Ends the keys and open streams of the agents the user is the verified owner of, in the transaction that closes the
 * account.
 */
export async function endOwnedAgents(ctx: AppContext, userId: number): Promise<void> {
  for (const keyId of await endOwnedKeys(ctx.db, userId, ctx.clock.now())) publishControl(ctx, "key_revoked", keyId);
}

/**
 * Removes the user's name from all agents. Agents that only had it as a label keep running: they never had the user's
 * rights.
 */
export const eraseOwnership: ErasingStep = async (ctx, { userId }) => {
  // Again, for a key that was made while the account was being closed.
  await endOwnedAgents(ctx, userId);
  await removeOwnerEverywhere(ctx.db, userId);
  return null;
};
