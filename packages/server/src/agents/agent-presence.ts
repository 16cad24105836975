import { nameKey } from "../accounts/names/names.ts";
import { startBackgroundJob } from "../base/background-job.ts";
import { addLogin, dropLogin, loginChanges, loginsOf, reconcileLogins } from "../channels/members/agents-online.ts";
import { dismissOutsiders } from "../channels/members/removal.ts";
import type { AppContext } from "../context.ts";
import { onControl } from "../realtime/control.ts";
import { findAgent } from "./agent-control.store.ts";
import {
  agentOfKey,
  agentsOwnedBy,
  deleteIdlePresence,
  deletePresence,
  insertPresence,
  livePresence,
} from "./agents.store.ts";
import { agentHasLiveKey } from "./keys/keys.ts";
import { flushLastUse } from "./keys/last-use.ts";

/** Interval of the search for idle agents. */
const SWEEP_MS = 10_000;

/**
 * Restores the agents that were logged in before the start. From then on logs out agents that are idle, revoked or
 * removed.
 */
export async function restoreAgentPresence(ctx: AppContext): Promise<void> {
  onControl(ctx, "key_revoked", (keyId) => inBackground(ctx, () => endRevoked(ctx, keyId)));
  onControl(ctx, "agent_changed", (agentId) => inBackground(ctx, () => endPaused(ctx, Number(agentId))));
  onControl(ctx, "user_suspended", (userId) => inBackground(ctx, () => logoutOwned(ctx, Number(userId))));
  onControl(ctx, "access_ended", (subject) => {
    const [, channelId, agentId] = /^(\d+):a(\d+)(?::\w+)?$/.exec(subject) ?? [];
    if (agentId === undefined) return;
    // Synchronously: the agent's streams must not receive what is published next.
    for (const row of loginsOf(ctx, Number(channelId), Number(agentId))) dropLogin(ctx, row);
    inBackground(ctx, () => logoutAgent(ctx, Number(agentId), { channelId: Number(channelId) }));
  });
  // An agent that logged in during the change was not in the list of agents to remove, so check again. The microtask
  // lets in-memory state see the change first, in this turn.
  onControl(ctx, "channel_changed", (channelId) =>
    queueMicrotask(() => inBackground(ctx, () => dismissOutsiders(ctx, Number(channelId)))),
  );
  await sweepAgentPresence(ctx);
  startBackgroundJob(ctx, SWEEP_MS, "updating the online list of agents failed", () => sweepAgentPresence(ctx));
}

/** Shows the agent online in the channel under that name; sends `user:list` if it was not online before. */
export async function loginAgent(ctx: AppContext, agentId: number, channelId: number, name: string): Promise<void> {
  const row = {
    channel_id: channelId,
    agent_id: agentId,
    name_key: nameKey(name),
    agent_name: name,
    since: ctx.clock.now(),
  };
  if (await insertPresence(ctx.db, row)) addLogin(ctx, row);
}

/**
 * Removes the agent from the online lists: all of them, one channel's, or under one name. Returns true if it was on
 * any.
 */
export async function logoutAgent(
  ctx: AppContext,
  agentId: number,
  only: { channelId?: number; nameKey?: string } = {},
): Promise<boolean> {
  const ended = await deletePresence(ctx.db, agentId, only);
  for (const row of ended) dropLogin(ctx, row);
  return ended.length > 0;
}

/**
 * Logs out idle agents, then reconciles this node's view with the database, which other nodes and the command line
 * change too.
 */
export async function sweepAgentPresence(ctx: AppContext): Promise<void> {
  await flushLastUse(ctx);
  const now = ctx.clock.now();
  const idle = ctx.config.agentIdleMinutes * 60_000;
  if (idle > 0) await deleteIdlePresence(ctx.db, now - idle);
  const changes = loginChanges(ctx);
  reconcileLogins(ctx, await livePresence(ctx.db, now), changes);
}

/** Logs out the agents a suspended user owns: they are paused with their owner. */
async function logoutOwned(ctx: AppContext, userId: number): Promise<void> {
  for (const agentId of await agentsOwnedBy(ctx.db, userId)) await logoutAgent(ctx, agentId);
}

async function endRevoked(ctx: AppContext, keyId: string): Promise<void> {
  const agentId = await agentOfKey(ctx.db, keyId);
  if (agentId !== undefined && !(await agentHasLiveKey(ctx, agentId))) await logoutAgent(ctx, agentId);
}

async function endPaused(ctx: AppContext, agentId: number): Promise<void> {
  const agent = await findAgent(ctx.db, agentId);
  if (agent?.paused === 1) await logoutAgent(ctx, agentId);
}

function inBackground(ctx: AppContext, act: () => Promise<unknown>): void {
  act().catch((error: unknown) => ctx.log.warn({ err: error }, "updating the online list of agents failed"));
}
