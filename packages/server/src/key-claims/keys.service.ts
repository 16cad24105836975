import type { ApiKey } from "@parley/protocol/api-keys";
import type { KeyStatusResponse, RotateBody, RotateResponse } from "@parley/protocol/claims";
import { PAGE_MAX } from "@parley/protocol/limits";
import { nameKey } from "../accounts/names/names.ts";
import { notify } from "../accounts/notices.ts";
import { reauthenticate } from "../accounts/profiles/profiles.service.ts";
import { type ControlledAgent, findAgent, lockAgent } from "../agents/agent-control.ts";
import { keyIdOf, keyPrefix } from "../agents/keys/key-format.ts";
import { endKeyNow, replaceKeys } from "../agents/keys/key-lifecycle.ts";
import { slugsOfKeys, termsRecord } from "../agents/keys/key-records.ts";
import { assertNoWider, isLimited, type KeyTerms, termsOf } from "../agents/keys/key-terms.ts";
import { audit } from "../audit/audit.ts";
import { isoTime, isoTimeOrNull } from "../base/iso-time.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import { type AgentIdentity, type GuestIdentity, memberKey, type UserIdentity } from "../http/identity.ts";
import { ADMINISTRATOR, hasLevel } from "../http/site-levels.ts";
import * as store from "./keys.store.ts";
import { namesOfAgents } from "./keys.store.ts";

/**
 * Returns whether this user has a key (protocol §5). The user's own session also gets the keys; unknown users have
 * none.
 * @throws x_username_required
 */
export async function keyStatus(
  ctx: AppContext,
  caller: UserIdentity | GuestIdentity,
  header: string | null,
): Promise<Omit<KeyStatusResponse, "success">> {
  const name = header?.trim() ?? "";
  if (name === "") throw fail("x_username_required");
  const found = await store.hasLiveKey(ctx.db, nameKey(name), ctx.clock.now());
  const answer = { username: found?.username ?? name, has_key: found?.live ?? false };
  if (caller.kind !== "user" || nameKey(caller.username) !== nameKey(name)) return answer;
  const agentIds = await store.agentIdsOf(ctx.db, caller.userId, { limit: PAGE_MAX });
  return { ...answer, keys: [...(await keysByAgent(ctx, agentIds)).values()].flat() };
}

/** Returns the keys of these agents as lists show them, by agent, oldest first. */
export async function keysByAgent(ctx: AppContext, agentIds: readonly number[]): Promise<Map<number, ApiKey[]>> {
  if (agentIds.length === 0) return new Map();
  const names = Map.groupBy(await store.namesOfAgents(ctx.db, agentIds), (row) => row.agent_id);
  const byAgent = new Map<number, ApiKey[]>();
  const rows = await store.keysOfAgents(ctx.db, agentIds);
  const slugs = await slugsOfKeys(ctx.db, rows);
  for (const row of rows) {
    const keys = byAgent.get(row.agent_id) ?? [];
    keys.push(
      keyRecord(
        row,
        (names.get(row.agent_id) ?? []).map(({ name }) => name),
        slugs,
      ),
    );
    byAgent.set(row.agent_id, keys);
  }
  return byAgent;
}

function keyRecord(row: store.OwnedKeyRow, agentNames: string[], slugs: ReadonlyMap<number, string>): ApiKey {
  return {
    key_id: row.id,
    key_prefix: keyPrefix(row.id),
    agent_names: agentNames,
    created_at: isoTime(row.created_at),
    last_used_at: isoTimeOrNull(row.last_used_at),
    revoked_at: isoTimeOrNull(row.revoked_at),
    ...termsRecord(row, slugs),
  };
}

/**
 * Makes a new key for an agent; the old ones work for `grace_seconds` more. Callers are any of its keys, its verified
 * owner, or an administrator, who confirms with a password and whose act is written to the audit log. Concurrent
 * rotations are serialized: with grace 0, the second finds its key ended.
 *
 * The new key has the limits of the agent's newest key, unless the body changes them. A key with limits replaces only
 * itself, and by none that may do more (protocol §12.8). `confirmRotation` precedes it.
 * @throws agent_id_required, agent_not_found, forbidden, key_revoked, reauth_required, rate_limited, and those of
 * `termsOf` and `assertNoWider`
 */
export async function rotate(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  body: RotateBody,
): Promise<Omit<RotateResponse, "success">> {
  return transact(ctx, async (ctx) => {
    const { agentId, by } =
      caller.kind === "agent"
        ? { agentId: await ownAgent(ctx, caller, body), by: "self" as const }
        : await agentOfUser(ctx, caller, body);
    const endAt = ctx.clock.now() + (body.grace_seconds ?? 0) * 1000;
    const key = await replaceKeys(ctx, agentId, endAt, { by, ...(await termsOfNext(ctx, caller, agentId, body)) });
    const { api_key, key_id, agent_id, created_at } = key;
    if (by !== "self") await audit(ctx, by, "key_rotate", `key:${key_id}`, { agent_id });
    const message = "The new key is not shown again.";
    return { message, api_key, key_id, agent_id, old_keys_end_at: isoTime(endAt), created_at };
  });
}

/** Returns the terms of a key that replaces others, and the only one that it replaces if the caller has limits. */
async function termsOfNext(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  agentId: number,
  body: RotateBody,
): Promise<{ terms: KeyTerms; only?: string }> {
  const keys = await store.keysOfAgents(ctx.db, [agentId]);
  const held = caller.kind === "agent" ? keys.find(({ id }) => id === caller.keyId) : keys.at(-1);
  const maker = { by: caller, agent: { agentId, key: memberKey({ kind: "agent", id: agentId }) } };
  const terms = await termsOf(ctx, body, maker, held);
  if (caller.kind === "user" || held === undefined || !isLimited(held)) return { terms };
  assertNoWider(held, terms);
  return { terms, only: held.id };
}

/**
 * Lets an administrator confirm with a password that their level, and not their ownership, permits a new key for the
 * agent. Outside the transaction: hashing the password takes long, and wrong ones are counted.
 * @throws reauth_required, rate_limited, overloaded
 */
export async function confirmRotation(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  { agent_id, current_password }: RotateBody,
): Promise<void> {
  if (caller.kind !== "user" || agent_id === undefined || !hasLevel(caller, ADMINISTRATOR)) return;
  const agent = await findAgent(ctx, agent_id);
  await reauthenticate(ctx, caller, current_password, agent !== null && !isOwnedBy(agent, caller));
}

const isOwnedBy = (agent: ControlledAgent, caller: UserIdentity): boolean =>
  agent.owner_user_id === caller.userId && agent.owner_verified === 1;

/** Returns the agent of a key that is still valid, locked. The key may have ended since authentication. */
async function ownAgent(ctx: AppContext, caller: AgentIdentity, body: RotateBody): Promise<number> {
  if ((body.agent_id ?? caller.agentId) !== caller.agentId) throw fail("forbidden");
  await lockAgent(ctx, caller.agentId);
  const key = await store.findKey(ctx.db, caller.keyId);
  if (key === null || (key.revoked_at ?? Number.POSITIVE_INFINITY) <= ctx.clock.now()) throw fail("key_revoked");
  return caller.agentId;
}

/** Returns the agent a user means, locked: the one they name, or their only one; and by what right. */
async function agentOfUser(
  ctx: AppContext,
  caller: UserIdentity,
  { agent_id, current_password }: RotateBody,
): Promise<{ agentId: number; by: UserIdentity | "self" }> {
  const agent = await lockAgent(ctx, agent_id ?? (await onlyAgentOf(ctx, caller.userId)));
  if (agent === null) throw fail("agent_not_found");
  if (isOwnedBy(agent, caller)) return { agentId: agent.id, by: "self" };
  if (agent_id === undefined || !hasLevel(caller, ADMINISTRATOR)) throw fail("forbidden");
  // A password was checked before; without one the login must be recent, also if the agent was the caller's until now.
  if (current_password === undefined) await reauthenticate(ctx, caller, undefined, true);
  return { agentId: agent.id, by: caller };
}

async function onlyAgentOf(ctx: AppContext, userId: number): Promise<number> {
  const [first, second] = await store.agentIdsOf(ctx.db, userId, { limit: 2, verifiedOnly: true });
  if (first === undefined) throw fail("agent_not_found");
  if (second !== undefined) throw fail("agent_id_required");
  return first;
}

/**
 * Ends a key and its open streams at once; idempotent. Callers are any key of the same agent, its verified owner, or an
 * administrator, whose act is written to the audit log. For others the key does not exist. A key with limits may end
 * only itself.
 * @throws key_not_found, forbidden, insufficient_scope
 */
export async function revoke(ctx: AppContext, caller: UserIdentity | AgentIdentity, text: string): Promise<string> {
  const keyId = keyIdOf(text);
  if (keyId === null) throw fail("key_not_found");
  return transact(ctx, async (ctx) => {
    const key = await store.findKey(ctx.db, keyId);
    const right = key === null ? "none" : await rightOver(ctx, caller, key.agent_id);
    if (right === "none") throw fail("key_not_found");
    if (right === "label") throw fail("forbidden");
    if (caller.kind === "agent" && caller.keyId !== keyId) await assertUnlimited(ctx, caller);
    const ended = await endKeyNow(ctx, keyId);
    if (ended && right === "staff" && caller.kind === "user") {
      await audit(ctx, caller, "key_revoke", `key:${keyId}`);
      const agent = key === null ? null : await findAgent(ctx, key.agent_id);
      if (agent !== null) await notifyAgentOwner(ctx, caller, agent, "agent_key_revoked");
    }
    return keyId;
  });
}

/** A key with limits may end only itself. Errors: `insufficient_scope`. */
async function assertUnlimited(ctx: AppContext, { keyId, limits }: AgentIdentity): Promise<void> {
  const own = await store.findKey(ctx.db, keyId);
  if (own !== null && isLimited(own))
    throw fail("insufficient_scope", { details: { required: null, scopes: [...(limits?.scopes ?? [])] } });
}

async function rightOver(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  agentId: number,
): Promise<"own" | "staff" | "label" | "none"> {
  if (caller.kind === "agent") return caller.agentId === agentId ? "own" : "none";
  const agent = await findAgent(ctx, agentId);
  if (agent !== null && isOwnedBy(agent, caller)) return "own";
  if (hasLevel(caller, ADMINISTRATOR)) return "staff";
  return agent?.owner_user_id === caller.userId ? "label" : "none";
}

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
