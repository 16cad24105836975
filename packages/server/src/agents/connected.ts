import { type AppContext, perServer } from "../context.ts";

interface Connected {
  /** How many sockets, event streams and long polls each agent has open at this node. */
  readonly open: Map<number, number>;
  /** Agents that have closed some since they were last taken. */
  readonly left: Set<number>;
}

const connected = perServer((): Connected => ({ open: new Map(), left: new Set() }));

/** Counts a connection of an agent to this node. Call the returned function once, when it is over. */
export function countConnection(ctx: AppContext, agentId: number): () => void {
  const { open, left } = connected(ctx);
  open.set(agentId, (open.get(agentId) ?? 0) + 1);
  return () => {
    const rest = (open.get(agentId) ?? 1) - 1;
    if (rest > 0) open.set(agentId, rest);
    else open.delete(agentId);
    left.add(agentId);
  };
}

/** Returns the agents that are connected to this node, or were since the last call. */
export function takeConnected(ctx: AppContext): number[] {
  const { open, left } = connected(ctx);
  const all = new Set([...open.keys(), ...left]);
  left.clear();
  return [...all];
}
