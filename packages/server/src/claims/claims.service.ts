import type { ClaimedKeyAnswer } from "@parley/protocol/claims";
import { createUser } from "../accounts/accounts.service.ts";
import { checkUsername, nameKey } from "../accounts/names.ts";
import { holdAgent } from "../agents/agent-control.ts";
import { agentNameOf } from "../agents/agent-names.ts";
import { makeAgent, type NewKey, replaceKeys } from "../agents/key-lifecycle.ts";
import type { Clock } from "../clock.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { AppError, fail } from "../errors.ts";
import type { GuestIdentity, UserIdentity } from "../http/identity.ts";
import * as store from "./claims.store.ts";
import type { CodePurpose } from "./post-sentence.ts";
import { type Attempt, type FindPost, type Proof, prove, useCode, withTry } from "./proof.ts";

/** Who is to be the owner of the agent that is claimed. */
export interface Redemption extends Attempt {
  caller: UserIdentity | GuestIdentity;
  /** The header `x-username`. */
  header: string | null;
  /** The body's `username`. */
  username: string | null;
}

type Claimed = Omit<ClaimedKeyAnswer, "success">;

/** Random names that were taken, before something else must be wrong. */
const NAME_TRIES = 5;

/**
 * Gives a key for a code that the caller's social account has posted, once for each account (protocol §5). Code, agent, key and
 * claim are one transaction that checks everything again by conditional updates: whatever happens in between leaves the code as it was.
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

/** The wanted name, if it is free; else one by chance. Each name is tried in a transaction of its own: a refused one leaves nothing. */
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

/** The session's user; else the one the header names, without rights over the agent; null: nobody yet. */
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

/** Somebody without a password, so that nobody can log in as him. */
async function newOwner(ctx: AppContext, username: string): Promise<Owner> {
  const user = await createUser(ctx, { username, email: null, passwordHash: null, invitedBy: null, adminLevel: null });
  return { id: user.id, username: user.username, anonymous: true, verified: false };
}

const NAME_SYMBOLS = "0123456789abcdefghjkmnpqrstvwxyz";

function anonymousName(clock: Pick<Clock, "randomBelow">): string {
  const symbols = Array.from({ length: 8 }, () => NAME_SYMBOLS.charAt(clock.randomBelow(NAME_SYMBOLS.length)));
  return `anon_${symbols.join("")}`;
}

/** The code comes first: who loses the race for it has done nothing else. */
async function claim(ctx: AppContext, { code, account }: Proof, findOwner: () => Promise<Owner>): Promise<Claimed> {
  await useCode(ctx, code);
  const owner = await findOwner();
  const key = await makeAgent(ctx, { userId: owner.id, verified: owner.verified });
  if (!(await store.insertClaim(ctx.db, account, key.agent_id, ctx.clock.now())))
    throw await alreadyClaimed(ctx, account);
  return answerOf("The key is yours. It is not shown again.", key, account, owner);
}

/** Tells the owner of the account, who has just proven to be that, which agent to recover. */
async function alreadyClaimed(ctx: AppContext, account: store.Account): Promise<AppError> {
  const agentId = await store.agentOfAccount(ctx.db, account);
  const details = agentId === null ? undefined : await store.findAgentById(ctx.db, agentId);
  return fail("social_account_already_claimed", { details: details ?? undefined });
}

/**
 * Finds the agent that a code for recovery is for: by one of its names or, when it has none, by its number.
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
 * Gives a new key for the agent the account has claimed and ends all its old ones at once (protocol §5): for owners who
 * lost the key, or the answer it came with. Name, owner and a pause stay as they are. The code must name the same agent.
 * @throws those of `prove`, social_account_not_claimed, code_not_for_this
 */
export async function recover(ctx: AppContext, attempt: Attempt, find?: FindPost): Promise<Claimed> {
  const { code, agentId: named, account } = await prove(ctx, attempt, "recover", find);
  const act = async (ctx: AppContext) => {
    await useCode(ctx, code);
    const agentId = await store.agentOfAccount(ctx.db, account);
    const agent = agentId === null ? null : await holdAgent(ctx, agentId);
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
