import type { KeyGrant } from "@parley/protocol/key-grants";
import { OPEN_SETUP_CODES_MAX, SETUP_CODE_SECONDS } from "@parley/protocol/setup-codes";
import { lockAccount } from "../accounts/erase/erase.ts";
import {
  agentNameOf,
  checkAgentName,
  invalidAgentName,
  isPlatformAgent,
  ownNameOf,
} from "../accounts/names/agent-names.ts";
import { holdName, lockAgentName } from "../accounts/names/held-names.ts";
import { nameInTheWay, nameKey, nameTaken } from "../accounts/names/names.ts";
import { reauthenticate } from "../accounts/profiles/profiles.service.ts";
import { lockAgent } from "../agents/agent-control.ts";
import { type KeyTerms, termsOf } from "../agents/keys/key-terms.ts";
import { audit, COMMAND_LINE } from "../audit/audit.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import type { UserIdentity } from "../http/identity.ts";
import { ADMINISTRATOR, hasLevel } from "../http/site-levels.ts";
import { keyMark } from "./code-state.ts";
import { hashCode, makeCode } from "./code-text.ts";
import { freeNames } from "./ends.ts";
import * as store from "./setup-codes.store.ts";

/** A new setup code. Its text is never stored and cannot be shown again. */
export interface NewSetupCode {
  /** In its stored form. */
  code: string;
  /** null: the agent is made when the code is exchanged. */
  agentId: number | null;
  agentName: string | null;
  /** Epoch milliseconds. */
  expiresAt: number;
}

type Maker = UserIdentity | typeof COMMAND_LINE;

/** The agent that a code is for. */
interface Subject {
  agentId: number | null;
  agentName: string | null;
  ownerId: number | null;
}

/**
 * Makes a code for an agent, for its verified owner (protocol §16.1).
 * @throws agent_not_found, forbidden, setup_code_limit_reached, channel_not_found, invalid_request
 */
export function codeForAgent(
  ctx: AppContext,
  by: UserIdentity,
  agentId: number,
  grant: KeyGrant,
): Promise<NewSetupCode> {
  return transact(ctx, async (ctx) => {
    const agent = await lockAgent(ctx, agentId);
    if (agent === null) throw fail("agent_not_found");
    if (agent.owner_user_id !== by.userId || agent.owner_verified !== 1) throw fail("forbidden");
    if (agent.paused === 1) throw fail("agent_paused");
    const agentName = await nameOf(ctx, agentId);
    return issue(ctx, { by, isByLevel: false, grant }, { agentId, agentName, ownerId: by.userId });
  });
}

/**
 * Lets an administrator confirm with a password that their level permits a key, as where they make one. Outside the
 * transaction: hashing the password takes long, and wrong ones are counted. `byName` is false where ownership permits it.
 * @throws reauth_required, rate_limited, overloaded
 */
export async function confirmCode(
  ctx: AppContext,
  by: UserIdentity,
  current_password: string | undefined,
  byName: boolean,
): Promise<void> {
  await reauthenticate(ctx, by, current_password, byName && hasLevel(by, ADMINISTRATOR));
}

export interface CodeByName {
  agentName: string;
  /** The owner of a new agent. Absent: the maker; at the command line nobody. */
  ownerUsername?: string | undefined;
  grant: KeyGrant;
}

/**
 * Makes a code for an agent by its name, which is held if no agent has it yet: for administrators and the operator, and
 * for members who make an agent of their own (protocol §16.1).
 * @throws forbidden, agent_limit_reached, user_not_found, invalid_agent_name, agent_name_taken,
 *   setup_code_limit_reached, channel_not_found, invalid_request, agent_paused
 */
export function codeByName(
  ctx: AppContext,
  by: Maker,
  { agentName: text, ownerUsername, grant }: CodeByName,
): Promise<NewSetupCode> {
  const isByLevel = by === COMMAND_LINE || hasLevel(by, ADMINISTRATOR);
  if (!isByLevel && (ctx.config.agentsPerUser === 0 || !namesThemselves(by, ownerUsername))) throw fail("forbidden");
  const name = ownName(text);
  return transact(ctx, async (ctx) => {
    const owner = await ownerOf(ctx, by, ownerUsername);
    const terms = { by, isByLevel, grant };
    const agentId = isByLevel ? await lockAgentName(ctx.db, nameKey(name)) : undefined;
    if (agentId !== undefined && agentId !== null)
      return issue(ctx, terms, await existing(ctx, agentId, name, ownerUsername === undefined ? undefined : owner));
    if (owner !== null && !(await lockAccount(ctx, owner))) throw fail("user_not_found");
    await hold(ctx, name, owner, isByLevel ? null : ctx.config.agentsPerUser);
    return issue(ctx, terms, { agentId: null, agentName: name, ownerId: owner });
  });
}

const namesThemselves = (by: Maker, username: string | undefined): boolean =>
  username === undefined || (by !== COMMAND_LINE && nameKey(by.username) === nameKey(username));

/** Returns the name as it is stored. The shared name belongs to no agent, so no code can be for it. */
function ownName(text: string): string {
  const name = agentNameOf(text);
  if (name === null || isPlatformAgent(name)) throw invalidAgentName(text);
  checkAgentName(name);
  return name;
}

async function ownerOf(ctx: AppContext, by: Maker, username: string | undefined): Promise<number | null> {
  if (username === undefined) return by === COMMAND_LINE ? null : by.userId;
  const owner = await store.findOwner(ctx.db, nameKey(username));
  if (owner === undefined) throw fail("user_not_found");
  return owner.id;
}

/** Returns an agent that has the name. `wanted`: the owner that was named; another one has the name then. */
async function existing(
  ctx: AppContext,
  agentId: number,
  agentName: string,
  wanted: number | null | undefined,
): Promise<Subject> {
  const agent = await lockAgent(ctx, agentId);
  if (agent === null) throw fail("agent_not_found");
  const ownerId = agent.owner_verified === 1 ? agent.owner_user_id : null;
  if (wanted !== undefined && wanted !== ownerId) throw fail("agent_name_taken");
  if (agent.paused === 1) throw fail("agent_paused");
  return { agentId, agentName, ownerId };
}

/** Holds a name for an owner, who may hold it already by another code. `most`: the agents that the owner may have. */
async function hold(ctx: AppContext, name: string, owner: number | null, most: number | null): Promise<void> {
  await freeNames(ctx);
  const now = ctx.clock.now();
  const agentId = await lockAgentName(ctx.db, nameKey(name));
  const holder = agentId === null ? await store.holderOf(ctx.db, nameKey(name), now) : undefined;
  if (holder !== undefined && holder.owner_id === owner) return;
  if (most !== null && owner !== null && (await store.countAgents(ctx.db, owner, now)) >= most)
    throw fail("agent_limit_reached");
  if (await holdName(ctx.db, name)) return;
  throw nameTaken("agent_name_taken", name, await nameInTheWay(ctx.db, name));
}

/** Stores a code in the caller's transaction, which holds the agent's row, its held name or its owner's row. */
async function issue(
  ctx: AppContext,
  { by, isByLevel, grant }: { by: Maker; isByLevel: boolean; grant: KeyGrant },
  { agentId, agentName, ownerId }: Subject,
): Promise<NewSetupCode> {
  const now = ctx.clock.now();
  const held = agentId === null && agentName !== null ? nameKey(agentName) : null;
  if ((await store.countOpenCodes(ctx.db, { agentId, nameKey: held }, now)) >= OPEN_SETUP_CODES_MAX)
    throw fail("setup_code_limit_reached");
  const terms = await keyTerms(ctx, by, agentId, grant);
  const code = makeCode(ctx.clock);
  const expiresAt = now + SETUP_CODE_SECONDS * 1_000;
  const { expires_at: key_expires_at, ...limits } = terms;
  const id = await store.insertSetupCode(ctx.db, {
    code_hash: hashCode(code),
    agent_id: agentId,
    agent_name: agentName,
    name_key: held,
    owner_id: ownerId,
    maker_id: by === COMMAND_LINE ? null : by.userId,
    by_level: isByLevel ? 1 : 0,
    key_mark: await keyMark(ctx, agentId),
    ...limits,
    key_expires_at,
    created_at: now,
    expires_at: expiresAt,
  });
  const details = { agent_id: agentId, agent_name: agentName, owner_id: ownerId, ...grant };
  if (isByLevel) await audit(ctx, by, "setup_code_make", `setup_code:${id}`, details);
  return { code, agentId, agentName, expiresAt };
}

function keyTerms(ctx: AppContext, by: Maker, agentId: number | null, grant: KeyGrant): Promise<KeyTerms> {
  const agent = agentId === null ? null : { agentId, key: `a${agentId}` as const };
  return termsOf(ctx, grant, { by: by === COMMAND_LINE ? "operator" : by, agent });
}

/** Returns the first of the agent's own names; null if it has none. */
async function nameOf(ctx: AppContext, agentId: number): Promise<string | null> {
  const name = await ownNameOf(ctx, agentId);
  return isPlatformAgent(name) ? null : name;
}
