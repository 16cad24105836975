import { ownNameOf } from "../../accounts/names/agent-names.ts";
import { nameKey } from "../../accounts/names/names.ts";
import { type AppContext, perServer } from "../../context.ts";

/** The presence of an agent in a channel under one of its names. */
export interface AgentLogin {
  channel_id: number;
  agent_id: number;
  name_key: string;
  agent_name: string;
  since: number;
  /** Since when its connections are gone: it is logged in, and not online. Absent or null: they are not. */
  away_at?: number | null;
}

/** This node's view of `agent_presence`. */
interface Logins {
  /** By channel, then by `<agent id>:<name key>`. */
  byChannel: Map<number, Map<string, AgentLogin>>;
  /** Incremented with every change, so that a read that began before a change is not mistaken for newer. */
  changes: number;
  watchers: Map<number, Set<() => void>>;
  /** The agents that are away, with the number of their logins. */
  away: Map<number, number>;
}

const logins = perServer((): Logins => ({ byChannel: new Map(), changes: 0, watchers: new Map(), away: new Map() }));

/** Returns the channels the agent is logged in to. */
export function channelsOfAgent(ctx: AppContext, agentId: number): number[] {
  const channels: number[] = [];
  for (const [channelId, rows] of logins(ctx).byChannel) {
    for (const row of rows.values()) {
      if (row.agent_id !== agentId) continue;
      channels.push(channelId);
      break;
    }
  }
  return channels;
}

/** True if an agent is logged in to the channel. */
export const hasLogins = (ctx: AppContext, channelId: number): boolean => logins(ctx).byChannel.has(channelId);

/** True if the agent is logged in somewhere, and shown nowhere as online, because its connections are gone. */
export const isAway = (ctx: AppContext, agentId: number): boolean => logins(ctx).away.has(agentId);

/** Returns the agents logged in to a channel under a name. */
export function loggedInUnder(ctx: AppContext, channelId: number, name: string): number[] {
  const rows = logins(ctx).byChannel.get(channelId);
  if (rows === undefined) return [];
  const key = nameKey(name);
  return [...rows.values()].filter((row) => row.name_key === key).map((row) => row.agent_id);
}

/** Returns the name the agent is logged in under in a channel; the first, if there are several. */
export function nameInChannel(ctx: AppContext, channelId: number, agentId: number): string | undefined {
  return loginsOf(ctx, channelId, agentId)[0]?.agent_name;
}

/** Returns the logins of one agent in a channel. */
export function loginsOf(ctx: AppContext, channelId: number, agentId: number): AgentLogin[] {
  const rows = logins(ctx).byChannel.get(channelId)?.values() ?? [];
  return [...rows].filter((row) => row.agent_id === agentId);
}

/** Calls `onChange` when the agent logs in or out anywhere, until the returned function is called. */
export function watchAgentChannels(ctx: AppContext, agentId: number, onChange: () => void): () => void {
  const { watchers } = logins(ctx);
  const set = watchers.get(agentId) ?? new Set();
  watchers.set(agentId, set.add(onChange));
  return () => {
    set.delete(onChange);
    if (set.size === 0 && watchers.get(agentId) === set) watchers.delete(agentId);
  };
}

/** Shows an agent as logged in, and online in the channel unless it is away. */
export function addLogin(ctx: AppContext, row: AgentLogin): void {
  const { byChannel } = logins(ctx);
  const rows = byChannel.get(row.channel_id) ?? new Map<string, AgentLogin>();
  const known = rows.get(keyOf(row));
  if (known !== undefined && hasLeft(known) === hasLeft(row)) return;
  byChannel.set(row.channel_id, rows.set(keyOf(row), row));
  changed(ctx, row.agent_id);
  countAway(ctx, row.agent_id, Number(hasLeft(row)) - Number(known !== undefined && hasLeft(known)));
  if (hasLeft(row)) {
    if (known !== undefined) ctx.presence.remove(row.channel_id, "agent", row.agent_id, row.agent_name);
    return;
  }
  ctx.presence.enter(row.channel_id, {
    kind: "agent",
    id: row.agent_id,
    name: row.agent_name,
    honorLevel: 0,
    since: row.since,
  });
}

/** Shows an agent as logged out. */
export function dropLogin(ctx: AppContext, row: AgentLogin): void {
  const { byChannel } = logins(ctx);
  const rows = byChannel.get(row.channel_id);
  const known = rows?.get(keyOf(row));
  if (rows === undefined || known === undefined) return;
  rows.delete(keyOf(row));
  countAway(ctx, row.agent_id, -Number(hasLeft(known)));
  if (rows.size === 0) byChannel.delete(row.channel_id);
  changed(ctx, row.agent_id);
  ctx.presence.remove(row.channel_id, "agent", row.agent_id, row.agent_name);
}

const hasLeft = ({ away_at }: AgentLogin): boolean => away_at != null;

function countAway(ctx: AppContext, agentId: number, change: number): void {
  const { away } = logins(ctx);
  const left = (away.get(agentId) ?? 0) + change;
  if (left > 0) away.set(agentId, left);
  else away.delete(agentId);
}

function changed(ctx: AppContext, agentId: number): void {
  logins(ctx).changes++;
  for (const onChange of [...(logins(ctx).watchers.get(agentId) ?? [])]) onChange();
}

const keyOf = (row: AgentLogin): string => `${row.agent_id}:${row.name_key}`;

/** Returns a count of all changes so far; pass it to `reconcileLogins`. */
export const loginChanges = (ctx: AppContext): number => logins(ctx).changes;

/**
 * Makes this node's view equal to rows that were read from the database, unless an agent logged in or out since
 * `changes` was counted, before the read.
 */
export function reconcileLogins(ctx: AppContext, rows: readonly AgentLogin[], changes: number): void {
  if (logins(ctx).changes !== changes) return;
  const stored = new Set(rows.map((row) => `${row.channel_id}:${keyOf(row)}`));
  const known = [...logins(ctx).byChannel.values()].flatMap((here) => [...here.values()]);
  for (const row of known) if (!stored.has(`${row.channel_id}:${keyOf(row)}`)) dropLogin(ctx, row);
  for (const row of rows) addLogin(ctx, row);
}

/** Makes this node's view of one agent in one channel equal to the rows. */
export function reconcileStay(ctx: AppContext, channelId: number, agentId: number, rows: readonly AgentLogin[]): void {
  const stored = new Set(rows.map(keyOf));
  for (const row of loginsOf(ctx, channelId, agentId)) if (!stored.has(keyOf(row))) dropLogin(ctx, row);
  for (const row of rows) addLogin(ctx, row);
}

/**
 * Returns the name to show for an agent that acts without giving one: the name it is logged in under in that channel,
 * else the first of its own names, else `PlatformAgent`.
 */
export async function speakingName(ctx: AppContext, channelId: number, agentId: number): Promise<string> {
  return nameInChannel(ctx, channelId, agentId) ?? ownNameOf(ctx, agentId);
}
