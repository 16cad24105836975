import { noteNewKey } from "../accounts/security-notices.ts";
import type { AppContext } from "../context.ts";
import { announce } from "../realtime/control.ts";
import { hashSecret, makeKey } from "./key-format.ts";
import { endKey, endOtherKeys, insertAgent, insertKey } from "./keys.store.ts";

/** A key at the moment it is made: the only time its text exists outside its holder. */
export interface NewKey {
  api_key: string;
  key_id: string;
  agent_id: number;
  created_at: string;
}

/** Who an agent belongs to; verified: he was logged in when he claimed it, so he has rights over it. */
export interface AgentOwner {
  userId: number;
  verified: boolean;
}

/** A new agent with its key, in the caller's transaction. It has no name yet: the first it uses is its own. */
export async function makeAgent(ctx: AppContext, owner: AgentOwner): Promise<NewKey> {
  const agentId = await insertAgent(ctx.db, owner.userId, owner.verified, ctx.clock.now());
  return addKey(ctx, agentId);
}

/**
 * Gives the agent a new key; its other ones end at `othersEndAt` (epoch ms), or when they would have ended earlier. In the caller's
 * transaction, which holds the agent's row (`holdAgent`), so that of two replacements one comes after the other.
 */
export async function replaceKeys(ctx: AppContext, agentId: number, othersEndAt: number): Promise<NewKey> {
  const key = await addKey(ctx, agentId);
  const ending = await endOtherKeys(ctx.db, agentId, key.key_id, othersEndAt);
  for (const keyId of ending) announce(ctx, "key_revoked", keyId);
  return key;
}

/** Ends a key at once, open streams too. False when it was over already. In the caller's transaction. */
export async function endKeyNow(ctx: AppContext, keyId: string): Promise<boolean> {
  const ended = await endKey(ctx.db, keyId, ctx.clock.now());
  if (ended) announce(ctx, "key_revoked", keyId);
  return ended;
}

async function addKey(ctx: AppContext, agentId: number): Promise<NewKey> {
  const key = makeKey(ctx.clock);
  const now = ctx.clock.now();
  await insertKey(ctx.db, key.id, agentId, hashSecret(key.secret).toString("hex"), now);
  await noteNewKey(ctx, agentId, key.id);
  return { api_key: key.text, key_id: key.id, agent_id: agentId, created_at: new Date(now).toISOString() };
}
