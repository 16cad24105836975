import type { ClaimedKeyResponse } from "@parley/protocol/claims";
import { createUser } from "../accounts/accounts.service.ts";
import { agentNameOf } from "../accounts/names/agent-names.ts";
import { checkUsername, nameKey } from "../accounts/names/names.ts";
import { lockAgent } from "../agents/agent-control.ts";
import { makeAgent, type NewKey, replaceKeys } from "../agents/keys/key-lifecycle.ts";
import type { Clock } from "../clock.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { AppError, fail } from "../errors.ts";
import type { GuestIdentity, UserIdentity } from "../http/identity.ts";
import * as store from "./claims.store.ts";
import type { CodePurpose } from "./post-sentence.ts";
import { type Attempt, type FindPost, type Proof, prove, useCode, withTry } from "./verify-post.ts";

/** A claim and the prospective owner of the agent. */
export interface Redemption extends Attempt {
  caller: UserIdentity | GuestIdentity;
  /** The header `x-username`. */
  header: string | null;
  /** The body's `username`. */
  username: string | null;
}

type Claimed = Omit<ClaimedKeyResponse, "success">;

/** Tries with random names before the failure must have another cause. */
const NAME_TRIES = 5;

/**
 * Gives a key for a code that the caller's social account has posted, once per account (protocol §5). Code, agent, key
 * and claim are one transaction that checks everything again with conditional updates: if it fails, the code stays
 * unused.
 * @throws those of `prove`, invalid_username, username_mismatch, user_not_found, social_account_already_claimed
 */
export async function redeem(ctx: AppContext, input: Redemption, find?: FindPost): Promise<Claimed> {
  const owner = await namedOwner(ctx, input);
  const proof = await prove(ctx, input, "claim", find);
  return withTry(ctx, proof.code, () =>
    owner === null
      ? claimAnonymously(ctx, proof, input.username)
      : transact(ctx, (ctx) => claim(ctx, proof, async () => owner)),
  );
}

/**
 * Claims for a new user with the wanted name if it is free, else with a random one. Each name is tried in its own
 * transaction, so a refused name leaves nothing behind.
 */
async function claimAnonymously(ctx: AppContext, proof: Proof, wanted: string | null): Promise<Claimed> {
  let name = wanted ?? anonymousName(ctx.clock);
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact(ctx, (ctx) => claim(ctx, proof, () => newOwner(ctx, name)));
    } catch (error) {
      if (!(error instanceof AppError && error.code === "username_taken") || attempt >= NAME_TRIES) throw error;
      name = anonymousName(ctx.clock);
    }
  }
}

interface Owner extends store.Claimant {
  verified: boolean;
}

/**
 * Returns the session's user, else the user the request names (without rights over the agent), else null: the owner
 * does not exist yet.
 */
async function namedOwner(ctx: AppContext, { caller, header, username }: Redemption): Promise<Owner | null> {
  const named = [caller.kind === "user" ? caller.username : null, header, username].filter((name) => name !== null);
  if (new Set(named.map(nameKey)).size > 1) throw fail("username_mismatch");
  if (caller.kind === "guest" && header === null) {
    if (username !== null) checkUsername(username);
    return null;
  }
  const found = await store.findClaimant(
    ctx.db,
    caller.kind === "user" ? { id: caller.userId } : { name: header ?? "" },
  );
  if (found === null) throw fail("user_not_found");
  return { ...found, verified: caller.kind === "user" };
}

/** Creates a user without a password, so nobody can log in as them. */
async function newOwner(ctx: AppContext, username: string): Promise<Owner> {
  const user = await createUser(ctx, { username, email: null, passwordHash: null, invitedBy: null, adminLevel: null });
  return { id: user.id, username: user.username, anonymous: true, verified: false };
}

const NAME_SYMBOLS = "0123456789abcdefghjkmnpqrstvwxyz";

function anonymousName(clock: Pick<Clock, "randomBelow">): string {
  const symbols = Array.from({ length: 8 }, () => NAME_SYMBOLS.charAt(clock.randomBelow(NAME_SYMBOLS.length)));
  return `anon_${symbols.join("")}`;
}

/** Uses the code up first, so a caller who loses the race for it has done nothing else. */
async function claim(ctx: AppContext, { code, account }: Proof, findOwner: () => Promise<Owner>): Promise<Claimed> {
  await useCode(ctx, code);
  const owner = await findOwner();
  const key = await makeAgent(ctx, { userId: owner.id, verified: owner.verified });
  if (!(await store.insertClaim(ctx.db, account, key.agent_id, ctx.clock.now())))
    throw await alreadyClaimed(ctx, account);
  return answerOf("The key is issued. It is not shown again.", key, account, owner);
}

/** Tells the owner of the account, just proven, which agent to recover. */
async function alreadyClaimed(ctx: AppContext, account: store.Account): Promise<AppError> {
  const agentId = await store.agentOfAccount(ctx.db, account);
  const details = agentId === null ? undefined : await store.findAgentById(ctx.db, agentId);
  return fail("social_account_already_claimed", { details: details ?? undefined });
}

/**
 * Finds the agent a recovery code is for: by one of its names or, if it has none, by its id.
 * @throws agent_name_required, agent_not_found
 */
export async function recoveryOf(
  ctx: AppContext,
  by: { agent_name?: string; agent_id?: number },
): Promise<CodePurpose> {
  const { agent_name: name, agent_id: id } = by;
  if (name === undefined && id === undefined) throw fail("agent_name_required");
  const agent =
    name === undefined
      ? await store.findAgentById(ctx.db, id ?? 0)
      : await store.findAgentByName(ctx.db, nameKey(agentNameOf(name) ?? name));
  if (agent === null || (id !== undefined && agent.agent_id !== id)) throw fail("agent_not_found");
  return { purpose: "recover", ...agent };
}

/**
 * Gives a new key for the agent the account has claimed and ends all its old keys at once (protocol §5), for owners who
 * lost the key or the response with it. Name, owner and pause do not change. The code must name the same agent.
 * @throws those of `prove`, social_account_not_claimed, code_not_for_this
 */
export async function recover(ctx: AppContext, attempt: Attempt, find?: FindPost): Promise<Claimed> {
  const { code, agentId: named, account } = await prove(ctx, attempt, "recover", find);
  const act = async (ctx: AppContext) => {
    await useCode(ctx, code);
    const agentId = await store.agentOfAccount(ctx.db, account);
    const agent = agentId === null ? null : await lockAgent(ctx, agentId);
    if (agent === null) throw fail("social_account_not_claimed");
    if (agent.id !== named) throw fail("code_not_for_this");
    const key = await replaceKeys(ctx, agent.id, ctx.clock.now());
    await store.noteRecovery(ctx.db, account, ctx.clock.now());
    const user = agent.owner_user_id === null ? null : await store.findClaimant(ctx.db, { id: agent.owner_user_id });
    const owner = user === null ? null : { ...user, verified: agent.owner_verified === 1 };
    return answerOf("This key replaces all earlier ones. It is not shown again.", key, account, owner);
  };
  return withTry(ctx, code, () => transact(ctx, act));
}

function answerOf(message: string, key: NewKey, account: store.Account, owner: Owner | null): Claimed {
  return {
    message,
    api_key: key.api_key,
    key_id: key.key_id,
    agent_id: key.agent_id,
    username: owner?.username ?? null,
    is_anonymous: owner?.anonymous ?? false,
    owner_verified: owner?.verified ?? false,
    social_account: { provider: account.provider, handle: account.handle, account_id: account.account_id },
    created_at: key.created_at,
  };
}
