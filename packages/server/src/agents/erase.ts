import type { ErasingStep } from "../accounts/erased.ts";
import type { AppContext } from "../context.ts";
import { announce } from "../realtime/control.ts";
import { endOwnedKeys, removeOwnerEverywhere } from "./erase.store.ts";

/** The agents he answers for speak no more: their keys end at once, open streams too. In the transaction that closes his account. */
export async function endOwnedAgents(ctx: AppContext, userId: number): Promise<void> {
  for (const keyId of await endOwnedKeys(ctx.db, userId, ctx.clock.now())) announce(ctx, "key_revoked", keyId);
}

/** His name comes off all agents. Where it was only a label the agent goes on: it never had his rights. */
export const eraseOwnership: ErasingStep = async (ctx, { userId }) => {
  // Once more, for a key that was made while the account was being closed.
  await endOwnedAgents(ctx, userId);
  await removeOwnerEverywhere(ctx.db, userId);
  return null;
};
