import { RATES } from "@parley/protocol/limits";
import type { LookAtSetupCodeResponse, RedeemSetupCodeResponse } from "@parley/protocol/setup-codes";
import { lockAccount } from "../accounts/erase/erase.ts";
import { bindHeldName, holdName, lockAgentName } from "../accounts/names/held-names.ts";
import { forgetName } from "../accounts/names/name-directory.ts";
import { nameKey } from "../accounts/names/names.ts";
import { notify } from "../accounts/notices.ts";
import { keepNotice, type NoticeActor } from "../accounts/security-notices/security-notices.ts";
import { type ControlledAgent, findAgent, lockAgent } from "../agents/agent-control.ts";
import { addKey, makeAgent, type NewKey } from "../agents/keys/key-lifecycle.ts";
import { slugsOfKeys, termsRecord } from "../agents/keys/key-records.ts";
import type { KeyTerms } from "../agents/keys/key-terms.ts";
import { audit, COMMAND_LINE } from "../audit/audit.ts";
import { isoTime } from "../base/iso-time.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import { hook } from "../hook.ts";
import { limitSubject } from "../http/connections/address.ts";
import { rateLimited } from "../http/rates.ts";
import { assertUsable } from "./code-state.ts";
import { hashCode, readSetupCode } from "./code-text.ts";
import * as store from "./setup-codes.store.ts";

/** The caller that exchanges a code, for the notice to the owner. */
export interface Claimer {
  address: string;
  /** The header `User-Agent`. */
  program: string | null;
}

type Claimed = Omit<RedeemSetupCodeResponse, "success" | "message" | "api_url" | "mcp_url" | "telegram">;

/** Returns fields that a slice above adds to the answer with a new key. It must not throw: the key is shown only once. */
export const onRedeemed =
  hook<(ctx: AppContext, claimed: Claimed, request: Request) => Promise<Pick<RedeemSetupCodeResponse, "telegram">>>();

/** Returns what the slices above add to the answer. */
export async function additionsTo(
  ctx: AppContext,
  claimed: Claimed,
  request: Request,
): Promise<Pick<RedeemSetupCodeResponse, "telegram">> {
  const parts = await Promise.all(onRedeemed.of(ctx).map((add) => add(ctx, claimed, request)));
  return Object.assign({}, ...parts);
}

/**
 * Exchanges a code for a key of its agent, once (protocol §16.1). Code, agent, name and key are one transaction: if it
 * fails, the code stays unused. A claim whose answer is lost is not repeated.
 * @throws setup_code_not_found, setup_code_used, setup_code_expired, rate_limited
 */
export async function claimCode(ctx: AppContext, text: string, from: Claimer): Promise<Claimed> {
  await countTry(ctx);
  const found = await findCode(ctx, text);
  return transact(ctx, async (ctx) => {
    const agent = await lockSubject(ctx, found);
    const code = await codeNow(ctx, found);
    await assertUsable(ctx, code, agent);
    // A concurrent claim may have used it since it was read.
    if (!(await store.takeSetupCode(ctx.db, code.id, ctx.clock.now()))) {
      await assertUsable(ctx, await codeNow(ctx, found), agent);
      throw fail("setup_code_expired");
    }
    const terms = termsIn(code);
    const key = await keyFor(ctx, code, agent, terms);
    await store.noteKey(ctx.db, code.id, key.key_id);
    await tell(ctx, code, key, from);
    const { agent_name } = code;
    if (agent_name !== null) ctx.afterCommit(() => forgetName(ctx, nameKey(agent_name)));
    return { ...key, agent_name, ...termsRecord(terms, await slugsOfKeys(ctx.db, [terms])) };
  });
}

/**
 * Says what a code would give, and changes nothing.
 * @throws those of `claimCode`
 */
export async function lookAtCode(ctx: AppContext, text: string): Promise<Omit<LookAtSetupCodeResponse, "success">> {
  await countTry(ctx);
  const code = await findCode(ctx, text);
  const agent = code.agent_id === null ? null : await findAgent(ctx, code.agent_id);
  await assertUsable(ctx, code, agent);
  const owner = code.owner_id === null ? undefined : await store.findPerson(ctx.db, code.owner_id);
  const { expires_at, ...limits } = termsRecord(termsIn(code), await slugsOfKeys(ctx.db, [code]));
  return {
    agent_name: code.agent_name,
    owner_username: owner?.username ?? null,
    ...limits,
    key_expires_at: expires_at,
    expires_at: isoTime(code.expires_at),
  };
}

/** Counts a try for the whole server. The route counts those of a network. */
async function countTry(ctx: AppContext): Promise<void> {
  const decision = await ctx.limiter.take(RATES.setupTryAll, "server");
  if (!decision.allowed) throw rateLimited(decision);
}

async function findCode(ctx: AppContext, text: string): Promise<store.SetupCodeRow> {
  const typed = readSetupCode(text);
  const code = typed === null ? undefined : await store.findSetupCode(ctx.db, hashCode(typed));
  if (code === undefined) throw fail("setup_code_not_found");
  return code;
}

/** Reads the code in the transaction that uses it. */
async function codeNow(ctx: AppContext, { code_hash }: store.SetupCodeRow): Promise<store.SetupCodeRow> {
  const code = await store.findSetupCode(ctx.db, code_hash);
  if (code === undefined) throw fail("setup_code_not_found");
  return code;
}

const termsIn = ({ scopes, channels, key_expires_at }: store.SetupCodeRow): KeyTerms => ({
  scopes,
  channels,
  expires_at: key_expires_at,
});

/**
 * Locks what the code is for, before the code, in the order of all who change it: a new agent's owner and name, or the
 * agent. Returns the agent; null if it does not exist yet, because no other code for the name was used before.
 */
async function lockSubject(ctx: AppContext, code: store.SetupCodeRow): Promise<ControlledAgent | null> {
  const { agent_id, name_key, agent_name, owner_id } = code;
  if (agent_id !== null) return lockAgent(ctx, agent_id);
  if (owner_id !== null && !(await lockAccount(ctx, owner_id))) throw fail("setup_code_expired");
  const bound = name_key === null ? undefined : await lockAgentName(ctx.db, name_key);
  if (typeof bound === "number") return lockAgent(ctx, bound);
  // The name was freed a moment before the code ends.
  if (bound === undefined && (agent_name === null || !(await holdName(ctx.db, agent_name))))
    throw fail("setup_code_expired");
  return null;
}

async function keyFor(
  ctx: AppContext,
  { owner_id, agent_name }: store.SetupCodeRow,
  agent: ControlledAgent | null,
  terms: KeyTerms,
): Promise<NewKey> {
  if (agent !== null) return addKey(ctx, agent.id, null, terms);
  const owner = owner_id === null ? null : { userId: owner_id, verified: true };
  const key = await makeAgent(ctx, owner, { by: null, terms });
  if (agent_name !== null) await bindHeldName(ctx.db, agent_name, key.agent_id);
  return key;
}

/** Tells the owner, with what is needed to undo it, and notes in the audit log what a level permitted. */
async function tell(ctx: AppContext, code: store.SetupCodeRow, key: NewKey, from: Claimer): Promise<void> {
  const { agent_id, key_id } = key;
  const maker = code.maker_id === null ? undefined : await store.findPerson(ctx.db, code.maker_id);
  const ownerId = await ownerOf(ctx, agent_id);
  if (ownerId !== null) {
    const by = actorOf(code, maker?.username);
    await keepNotice(ctx, { userId: ownerId, kind: "api_key_issued", by, details: { agent_id, key_id } });
    const detail = [key_id, limitSubject(from.address), programOf(from)].join(" ").trim();
    await notify(ctx, ownerId, { code: "setup_code_claimed", subject: code.agent_name, detail });
  }
  if (code.by_level === 0) return;
  const actor = maker === undefined ? COMMAND_LINE : { username: maker.username };
  await audit(ctx, actor, "setup_code_claim", `key:${key_id}`, { agent_id, agent_name: code.agent_name });
}

async function ownerOf(ctx: AppContext, agentId: number): Promise<number | null> {
  const agent = await findAgent(ctx, agentId);
  return agent?.owner_verified === 1 ? agent.owner_user_id : null;
}

function actorOf({ maker_id }: store.SetupCodeRow, username: string | undefined): NoticeActor {
  return maker_id === null || username === undefined ? "operator" : { userId: maker_id, username };
}

const PROGRAM_MAX = 100;

/** The header is the claimer's word: only its beginning, and only visible ASCII. */
const programOf = ({ program }: Claimer): string => (program ?? "").replaceAll(/[^ -~]/g, "?").slice(0, PROGRAM_MAX);
