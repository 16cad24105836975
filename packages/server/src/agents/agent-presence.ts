import { nameKey } from "../accounts/names/names.ts";
import { startBackgroundJob } from "../base/background-job.ts";
import { addLogin, dropLogin, loginChanges, loginsOf, reconcileLogins } from "../channels/members/agents-online.ts";
import { dismissOutsiders, onAgentDismissed } from "../channels/members/removal.ts";
import { duty } from "../cluster/duties.ts";
import { type AppContext, perServer } from "../context.ts";
import { parseMemberKey } from "../http/identity.ts";
import { onControl, onControlLost } from "../realtime/control/control.ts";
import { findAgent } from "./agent-control.store.ts";
import { changeStays, followStays, readStay } from "./agent-stays.ts";
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
import { AWAY_MS, comeBack, sweepAway } from "./silence/away.ts";

/** Interval of the search for idle agents. */
const SWEEP_MS = 10_000;
/** In a cluster, all logins are compared with the database in every so many of these: each 5 minutes. */
const COMPARE_EVERY = 30;
/** How long a node of a cluster may know the last call of an agent alone. */
const UNSTORED_MS = 10_000;

/** From now on logs out agents that are paused, revoked or removed, on whichever node. */
export function followAgents(ctx: AppContext): void {
  onControl(ctx, "key_revoked", (keyId) => inBackground(ctx, () => endRevoked(ctx, keyId)));
  onControl(ctx, "agent_changed", (agentId) => inBackground(ctx, () => endPaused(ctx, agentId)));
  onControl(ctx, "user_suspended", (userId) => inBackground(ctx, () => logoutOwned(ctx, userId)));
  onAgentDismissed(ctx, (ctx, channelId, agentId) =>
    changeStays(ctx, ({ db }) => deletePresence(db, agentId, { channelId })),
  );
  onControl(ctx, "access_ended", ({ channelId, member }) => {
    const removed = parseMemberKey(member);
    if (removed?.kind !== "agent") return undefined;
    // Synchronously: the agent's streams must not receive what is published next.
    for (const row of loginsOf(ctx, channelId, removed.id)) dropLogin(ctx, row);
    // The agent may have logged in again before this node heard of the removal.
    return inBackground(ctx, () => readStay(ctx, channelId, removed.id));
  });
  // An agent that logged in during the change was not in the list of agents to remove, so check again. The microtask
  // lets in-memory state see the change first, in this turn.
  onControl(ctx, "channel_changed", (channelId) =>
    queueMicrotask(() => void inBackground(ctx, () => dismissOutsiders(ctx, channelId))),
  );
  followStays(ctx);
  onControlLost(ctx, () => inBackground(ctx, () => sweepAgentPresence(ctx)));
}

/**
 * Restores the agents that were logged in before the start. From then on logs out agents that are idle, and a minute later
 * takes those off the lists that have not returned.
 */
export async function restoreAgentPresence(ctx: AppContext): Promise<void> {
  const marksFrom = ctx.clock.now() + AWAY_MS;
  await sweepAgentPresence(ctx, { marksAway: false });
  let passes = 0;
  startBackgroundJob(ctx, SWEEP_MS, "updating the online list of agents failed", async () => {
    passes += 1;
    await sweepAgentPresence(ctx, {
      compares: ctx.cluster === null || passes % COMPARE_EVERY === 0,
      marksAway: ctx.clock.now() >= marksFrom,
    });
  });
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
  const insert = async ({ db }: AppContext) => ((await insertPresence(db, row)) ? [row] : []);
  for (const inserted of await changeStays(ctx, insert)) addLogin(ctx, inserted);
  await comeBack(ctx, agentId);
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
  const ended = await changeStays(ctx, ({ db }) => deletePresence(db, agentId, only));
  for (const row of ended) dropLogin(ctx, row);
  return ended.length > 0;
}

/** Whether this node logs out the idle agents of all nodes. */
const isLoggingOut = perServer((ctx) => duty(ctx, "log out idle agents"));

/**
 * Logs out idle agents, then reconciles this node's view with the database, which other nodes and the command line
 * change too. In a cluster the nodes tell each other of changes, so `compares` is rarely needed. `marksAway`: whether agents
 * whose connections ended a minute ago are away; not when those of all agents ended with the server.
 */
export async function sweepAgentPresence(ctx: AppContext, { compares = true, marksAway = true } = {}): Promise<void> {
  await flushLastUse(ctx);
  await sweepAway(ctx, marksAway && isLoggingOut(ctx)());
  const now = ctx.clock.now();
  const idle = ctx.config.agentIdleMinutes * 60_000;
  // Another node may have heard of an agent whose last call it has not stored yet.
  const before = now - idle - (ctx.cluster === null ? 0 : UNSTORED_MS);
  if (idle > 0 && isLoggingOut(ctx)()) {
    for (const row of await changeStays(ctx, ({ db }) => deleteIdlePresence(db, before))) dropLogin(ctx, row);
  }
  if (!compares) return;
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

async function inBackground(ctx: AppContext, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    ctx.log.warn({ err: error }, "updating the online list of agents failed");
  }
}
