import { nameKey } from "../accounts/names/names.ts";
import { dismissOutsiders } from "../channels/members/removal.ts";
import { type AppContext, perServer } from "../context.ts";
import { onControl } from "../realtime/control.ts";
import { findAgent } from "./agent-control.store.ts";
import {
  agentOfKey,
  agentsOwnedBy,
  deleteIdlePresence,
  deletePresence,
  insertPresence,
  livePresence,
  type PresenceRow,
} from "./agents.store.ts";
import { agentHasLiveKey } from "./keys/keys.ts";
import { flushLastUse } from "./keys/last-use.ts";

/** Interval of the search for idle agents. */
const SWEEP_MS = 10_000;

/** This node's view of `agent_presence`. */
interface Stays {
  /** By channel, then by `<agent id>:<name key>`. */
  byChannel: Map<number, Map<string, PresenceRow>>;
  /** Incremented with every change, so that a read that began before a change is not mistaken for newer. */
  changes: number;
  watchers: Map<number, Set<() => void>>;
}

const stays = perServer((): Stays => ({ byChannel: new Map(), changes: 0, watchers: new Map() }));

/**
 * Restores the agents that were logged in before the start. From then on logs out agents that are idle, revoked or
 * removed.
 */
export async function restoreAgentPresence(ctx: AppContext): Promise<void> {
  onControl(ctx, "key_revoked", (keyId) => later(ctx, () => endRevoked(ctx, keyId)));
  onControl(ctx, "agent_changed", (agentId) => later(ctx, () => endPaused(ctx, Number(agentId))));
  onControl(ctx, "user_suspended", (userId) => later(ctx, () => logoutOwned(ctx, Number(userId))));
  onControl(ctx, "access_ended", (subject) => {
    const [, channelId, agentId] = /^(\d+):a(\d+)(?::\w+)?$/.exec(subject) ?? [];
    if (agentId === undefined) return;
    // Synchronously: the agent's streams must not receive what is published next.
    for (const row of staysOf(ctx, Number(channelId), Number(agentId))) drop(ctx, row);
    later(ctx, () => logoutAgent(ctx, Number(agentId), { channelId: Number(channelId) }));
  });
  // An agent that logged in during the change was not in the list of agents to remove, so check again. The microtask
  // lets in-memory state see the change first, in this turn.
  onControl(ctx, "channel_changed", (channelId) =>
    queueMicrotask(() => later(ctx, () => dismissOutsiders(ctx, Number(channelId)))),
  );
  await sweepAgentPresence(ctx);
  const timer = setInterval(() => later(ctx, () => sweepAgentPresence(ctx)), SWEEP_MS);
  timer.unref();
  ctx.onClose(() => clearInterval(timer));
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
  if (await insertPresence(ctx.db, row)) add(ctx, row);
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
  for (const row of ended) drop(ctx, row);
  return ended.length > 0;
}

/** Returns the channels the agent is logged in to. */
export function channelsOfAgent(ctx: AppContext, agentId: number): number[] {
  const channels: number[] = [];
  for (const [channelId, rows] of stays(ctx).byChannel) {
    for (const row of rows.values()) {
      if (row.agent_id !== agentId) continue;
      channels.push(channelId);
      break;
    }
  }
  return channels;
}

/** Returns the agents logged in to a channel under a name. */
export function loggedInUnder(ctx: AppContext, channelId: number, name: string): number[] {
  const rows = stays(ctx).byChannel.get(channelId);
  if (rows === undefined) return [];
  const key = nameKey(name);
  return [...rows.values()].filter((row) => row.name_key === key).map((row) => row.agent_id);
}

/** Returns the name the agent is logged in under in a channel; the first, if there are several. */
export function nameInChannel(ctx: AppContext, channelId: number, agentId: number): string | undefined {
  return staysOf(ctx, channelId, agentId)[0]?.agent_name;
}

function staysOf(ctx: AppContext, channelId: number, agentId: number): PresenceRow[] {
  const rows = stays(ctx).byChannel.get(channelId)?.values() ?? [];
  return [...rows].filter((row) => row.agent_id === agentId);
}

/** Calls `onChange` when the agent logs in or out anywhere, until the returned function is called. */
export function watchAgentChannels(ctx: AppContext, agentId: number, onChange: () => void): () => void {
  const { watchers } = stays(ctx);
  const set = watchers.get(agentId) ?? new Set();
  watchers.set(agentId, set.add(onChange));
  return () => {
    set.delete(onChange);
    if (set.size === 0 && watchers.get(agentId) === set) watchers.delete(agentId);
  };
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
  const { changes } = stays(ctx);
  const rows = await livePresence(ctx.db, now);
  // An agent logged in or out during the read: the next sweep compares again.
  if (stays(ctx).changes !== changes) return;
  const stored = new Set(rows.map((row) => `${row.channel_id}:${keyOf(row)}`));
  const known = [...stays(ctx).byChannel.values()].flatMap((here) => [...here.values()]);
  for (const row of known) if (!stored.has(`${row.channel_id}:${keyOf(row)}`)) drop(ctx, row);
  for (const row of rows) add(ctx, row);
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

function add(ctx: AppContext, row: PresenceRow): void {
  const { byChannel } = stays(ctx);
  const rows = byChannel.get(row.channel_id) ?? new Map<string, PresenceRow>();
  if (rows.has(keyOf(row))) return;
  byChannel.set(row.channel_id, rows.set(keyOf(row), row));
  changed(ctx, row.agent_id);
  ctx.presence.enter(row.channel_id, {
    kind: "agent",
    id: row.agent_id,
    name: row.agent_name,
    honorLevel: 0,
    since: row.since,
  });
}

function drop(ctx: AppContext, row: PresenceRow): void {
  const { byChannel } = stays(ctx);
  const rows = byChannel.get(row.channel_id);
  if (rows?.delete(keyOf(row)) !== true) return;
  if (rows.size === 0) byChannel.delete(row.channel_id);
  changed(ctx, row.agent_id);
  ctx.presence.remove(row.channel_id, "agent", row.agent_id, row.agent_name);
}

function changed(ctx: AppContext, agentId: number): void {
  stays(ctx).changes++;
  for (const onChange of [...(stays(ctx).watchers.get(agentId) ?? [])]) onChange();
}

const keyOf = (row: PresenceRow): string => `${row.agent_id}:${row.name_key}`;

function later(ctx: AppContext, act: () => Promise<unknown>): void {
  act().catch((error: unknown) => ctx.log.warn({ err: error }, "updating the online list of agents failed"));
}
