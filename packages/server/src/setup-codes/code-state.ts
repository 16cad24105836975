import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { ADMINISTRATOR } from "../http/site-levels.ts";
import * as store from "./setup-codes.store.ts";

/** The state of an agent on which its codes depend. */
interface AgentState {
  id: number;
  owner_user_id: number | null;
  owner_verified: number;
  paused: number;
}

/** Returns a hash of what was revoked of an agent's keys; null: an agent without keys. */
export async function keyMark(ctx: AppContext, agentId: number | null): Promise<string> {
  const ended = agentId === null ? [] : await store.revocationsOf(ctx.db, agentId);
  return Bun.SHA256.hash(ended.map(({ id, revoked_at }) => `${id} ${revoked_at}`).join("\n"), "hex");
}

/**
 * Refuses a code that cannot be used. A code is worth no more than its maker, its owner and its agent: it ends when one
 * of them loses what the code needs. `agent` null: the agent does not exist yet.
 * @throws setup_code_used, setup_code_expired
 */
export async function assertUsable(ctx: AppContext, code: store.SetupCodeRow, agent: AgentState | null): Promise<void> {
  const now = ctx.clock.now();
  if (code.used_at !== null) throw fail("setup_code_used");
  if (code.ended_at !== null || code.expires_at <= now) throw fail("setup_code_expired");
  if (code.key_expires_at !== null && code.key_expires_at <= now) throw fail("setup_code_expired");
  const may = (await isOwnerThere(ctx, code, now)) && (await isMakerStillPermitted(ctx, code, agent, now));
  if (!may || agent?.paused === 1) throw fail("setup_code_expired");
  if ((await keyMark(ctx, agent?.id ?? null)) !== code.key_mark) throw fail("setup_code_expired");
}

async function isOwnerThere(ctx: AppContext, { owner_id }: store.SetupCodeRow, now: number): Promise<boolean> {
  return owner_id === null || isActive(await store.findPerson(ctx.db, owner_id), now);
}

async function isMakerStillPermitted(
  ctx: AppContext,
  code: store.SetupCodeRow,
  agent: AgentState | null,
  now: number,
): Promise<boolean> {
  if (code.by_level === 0)
    return agent === null || (agent.owner_verified === 1 && agent.owner_user_id === code.owner_id);
  if (code.maker_id === null) return true;
  const maker = await store.findPerson(ctx.db, code.maker_id);
  return isActive(maker, now) && (maker?.admin_level ?? 0) >= ADMINISTRATOR;
}

const isActive = (person: Awaited<ReturnType<typeof store.findPerson>>, now: number): boolean =>
  person !== undefined && person.erased_at === null && (person.suspended_until ?? 0) <= now;
