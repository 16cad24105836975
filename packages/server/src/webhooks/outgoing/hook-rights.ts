import { findAgent } from "../../agents/agent-control.ts";
import { audit } from "../../audit/audit.ts";
import { isByLevel, manageableChannel, roleIn } from "../../channels/access/access.ts";
import { findChannel } from "../../channels/channel-cache.ts";
import type { AppContext, RightCheck } from "../../context.ts";
import { AppError, fail } from "../../errors.ts";
import { withoutAct } from "../../http/acts/act.ts";
import type { AgentIdentity, UserIdentity } from "../../http/identity.ts";
import { ADMINISTRATOR } from "../../http/site-levels.ts";
import { findHook, type HookOwner, type HookRow, holderOf, makerIn } from "./hooks.store.ts";

/** Who may have webhooks: a channel's admins, an agent's verified owner, and the agent itself. */
export type HookCaller = UserIdentity | AgentIdentity;

/** Errors: those of `manageableChannel`; `agent_not_found`, `forbidden`. */
export async function assertMayOwn(ctx: AppContext, caller: HookCaller, owner: HookOwner): Promise<void> {
  if ("channelId" in owner) {
    await manageableChannel(ctx, caller, { id: owner.channelId }, "admin");
    return;
  }
  if (caller.kind === "agent") {
    if (caller.agentId !== owner.agentId) throw fail("forbidden");
    // A webhook sees the whole inbox, replies everywhere, and outlives the key.
    if (caller.limits !== undefined) throw fail("forbidden", { message: "A key with limits cannot manage webhooks." });
    return;
  }
  const agent = await findAgent(ctx, owner.agentId);
  if (agent === null) throw fail("agent_not_found");
  if (agent.owner_user_id !== caller.userId || agent.owner_verified !== 1) throw fail("forbidden");
}

export const ownerOf = ({ channel_id, agent_id }: HookRow): HookOwner =>
  channel_id === null ? { agentId: agent_id ?? 0 } : { channelId: channel_id };

/**
 * Returns a hook that the caller may manage. One of a channel that the caller cannot see does not exist for them.
 * Errors: `webhook_not_found`, those of `assertMayOwn` but `channel_not_found`.
 */
export async function manageableHook(ctx: AppContext, caller: HookCaller, hookId: number): Promise<HookRow> {
  const hook = await findManageableHook(withoutAct(ctx), caller, hookId);
  const again: RightCheck = (ctx, caller) => caller.kind !== "guest" && findManageableHook(ctx, caller, hookId);
  ctx.act?.remember(again, hook.channel_id ?? undefined);
  return hook;
}

/** The channel whose webhook it is; undefined: an agent's. */
export const channelIn = (owner: HookOwner): number | undefined => ("channelId" in owner ? owner.channelId : undefined);

async function findManageableHook(ctx: AppContext, caller: HookCaller, hookId: number): Promise<HookRow> {
  const hook = await findHook(ctx.db, hookId);
  if (hook === undefined) throw fail("webhook_not_found");
  try {
    await assertMayOwn(ctx, caller, ownerOf(hook));
  } catch (error) {
    throw error instanceof AppError && error.code === "channel_not_found" ? fail("webhook_not_found") : error;
  }
  return hook;
}

/** True if who made a hook may still have it: what it sends leaves the channel, or the agent's inbox. */
export async function mayStillSend(ctx: AppContext, hook: HookRow): Promise<boolean> {
  const { channel_id, created_by_user: userId } = hook;
  if (channel_id === null) {
    const agent = await holderOf(ctx.db, hook, ctx.clock.now());
    if (agent === undefined) return false;
    if (userId === null) return agent.hasKey;
    return agent.owner_user_id === userId && agent.owner_verified === 1;
  }
  const maker = userId === null ? undefined : await makerIn(ctx.db, userId, channel_id);
  if (maker === undefined || (maker.suspended_until ?? 0) > ctx.clock.now()) return false;
  return maker.role === "owner" || maker.role === "admin" || (maker.admin_level ?? 0) >= ADMINISTRATOR;
}

/** True while a hook's agent is paused, or its verified owner suspended: what its keys may not do, its hooks do not. */
export async function isHeld(ctx: AppContext, hook: HookRow): Promise<boolean> {
  if (hook.channel_id !== null) return false;
  const now = ctx.clock.now();
  const agent = await holderOf(ctx.db, hook, now);
  return agent !== undefined && (agent.paused === 1 || (agent.suspended_until ?? 0) > now);
}

/** Audits an act on a channel's hook by site level, as all changes of channels. */
export async function auditHook(
  ctx: AppContext,
  caller: HookCaller,
  hook: HookRow,
  act: "create" | "delete" | "rotate" | "update",
): Promise<void> {
  const channel = hook.channel_id === null ? null : await findChannel(ctx, { id: hook.channel_id });
  if (caller.kind !== "user" || channel === null || !isByLevel(await roleIn(ctx, caller, channel))) return;
  await audit(ctx, caller, `webhook_${act}`, `channel:${channel.id}`, { webhook_id: hook.id });
}
