import { type NoticeActor, noteNewKey } from "../../accounts/security-notices/security-notices.ts";
import { isoTime } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { hashSecret, makeKey } from "./key-format.ts";
import { type KeyTerms, UNLIMITED } from "./key-terms.ts";
import { endKey, endOtherKeys, insertAgent, insertKey } from "./keys.store.ts";

/** A new key. Its text is never stored and cannot be shown again. */
export interface NewKey {
  api_key: string;
  key_id: string;
  agent_id: number;
  created_at: string;
}

/** The owner of an agent. Verified: the owner was logged in when claiming it, so has rights over it. */
export interface AgentOwner {
  userId: number;
  verified: boolean;
}

/**
 * Makes an agent with a key, in the caller's transaction. The agent has no name yet; the first name it uses is bound to
 * it.
 */
export async function makeAgent(
  ctx: AppContext,
  owner: AgentOwner | null,
  { by = "self", terms = UNLIMITED }: { by?: NoticeActor | null; terms?: KeyTerms } = {},
): Promise<NewKey> {
  const agentId = await insertAgent(ctx.db, owner?.userId ?? null, owner?.verified ?? false, ctx.clock.now());
  return addKey(ctx, agentId, by, terms);
}

/**
 * Gives the agent a new key. Its other keys, or `only` one of them, end at `othersEndAt` (epoch ms), or earlier if they already would. The
 * security notice tells the owner who made it. Runs in the caller's transaction, which holds the lock on the agent's
 * row (`lockAgent`), so replacements are serialized.
 */
export async function replaceKeys(
  ctx: AppContext,
  agentId: number,
  othersEndAt: number,
  { by = "self", terms = UNLIMITED, only }: { by?: NoticeActor; terms?: KeyTerms; only?: string } = {},
): Promise<NewKey> {
  const key = await addKey(ctx, agentId, by, terms);
  const ending = await endOtherKeys(ctx.db, agentId, { except: key.key_id, only }, othersEndAt);
  for (const keyId of ending) publishControl(ctx, "key_revoked", keyId);
  return key;
}

/** Ends a key and its open streams at once, in the caller's transaction. Returns false if the key had already ended. */
export async function endKeyNow(ctx: AppContext, keyId: string): Promise<boolean> {
  const ended = await endKey(ctx.db, keyId, ctx.clock.now());
  if (ended) publishControl(ctx, "key_revoked", keyId);
  return ended;
}

/**
 * Gives the agent another key, in the caller's transaction. The security notice tells the owner who made it; null: the
 * caller tells them.
 */
export async function addKey(
  ctx: AppContext,
  agentId: number,
  by: NoticeActor | null,
  terms: KeyTerms,
): Promise<NewKey> {
  const key = makeKey(ctx.clock);
  const now = ctx.clock.now();
  const secret_hash = hashSecret(key.secret).toString("hex");
  await insertKey(ctx.db, { id: key.id, agent_id: agentId, secret_hash, created_at: now, ...terms });
  if (by !== null) await noteNewKey(ctx, agentId, key.id, by);
  return { api_key: key.text, key_id: key.id, agent_id: agentId, created_at: isoTime(now) };
}
