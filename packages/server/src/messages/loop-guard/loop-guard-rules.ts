/**
 * The loop guard (protocol §5). Two agents that answer each other would never stop, so consecutive agent messages are
 * counted until a person speaks, a channel admin clears the count, or ten minutes pass in silence. These functions are
 * pure: they update the count and decide who may speak. One agent talking alone is not counted (a news bot is no loop);
 * its monologue counts as one turn when a second agent joins.
 */
export interface GuardState {
  /** Consecutive agent messages; a monologue at the start counts as one. */
  readonly consecutive: number;
  /** The agents that sent them. */
  readonly agents: ReadonlyMap<number, AgentTurns>;
  /** Epoch ms of the newest of them. */
  readonly lastAt: number;
}

export interface AgentTurns {
  /** The name the agent last spoke under. */
  readonly name: string;
  readonly count: number;
}

export const QUIET_MS = 10 * 60 * 1_000;

export const CLEAR: GuardState = { consecutive: 0, agents: new Map(), lastAt: 0 };

/** Returns the state after an agent's message. A person's message resets it to `CLEAR`. */
export function afterAgent(state: GuardState, agentId: number, name: string, at: number): GuardState {
  const before = current(state, at);
  const own = before.agents.get(agentId);
  if (own !== undefined && before.agents.size === 1) {
    return { consecutive: 1, agents: new Map([[agentId, { name, count: 1 }]]), lastAt: at };
  }
  const agents = new Map(before.agents).set(agentId, { name, count: (own?.count ?? 0) + 1 });
  return { consecutive: before.consecutive + 1, agents, lastAt: at };
}

/** Returns the milliseconds until this agent may speak again; 0: now. A `limit` of 0 disables the guard. */
export function blockedFor(state: GuardState, agentId: number, limit: number, now: number): number {
  if (limit === 0) return 0;
  const { consecutive, agents, lastAt } = current(state, now);
  const own = agents.get(agentId)?.count ?? 0;
  const speakers = agents.size + (own === 0 ? 1 : 0);
  if (speakers < 2 || (consecutive < limit && own < perAgentLimit(limit))) return 0;
  return lastAt + QUIET_MS - now;
}

/** Returns what counts now: nothing while one agent talks alone. */
export function counted(state: GuardState, now: number): GuardState {
  const seen = current(state, now);
  return seen.agents.size < 2 ? CLEAR : seen;
}

/** True if any agent is blocked. */
export function isTripped(state: GuardState, limit: number, now: number): boolean {
  if (limit === 0) return false;
  const { consecutive, agents } = counted(state, now);
  return consecutive >= limit || [...agents.values()].some(({ count }) => count >= perAgentLimit(limit));
}

/** Returns half of the channel's limit, at least 1. */
export function perAgentLimit(limit: number): number {
  return Math.max(1, Math.floor(limit / 2));
}

function current(state: GuardState, now: number): GuardState {
  return now - state.lastAt >= QUIET_MS ? CLEAR : state;
}
