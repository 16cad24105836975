import { type AppContext, perServer } from "../../context.ts";
import { fail } from "../../errors.ts";
import { retryWithinMs } from "../../http/connections/lifecycle.ts";
import { countConnection } from "../connected.ts";
import { connected } from "../silence/away.ts";

/** Streams and waiting long polls an agent may have open at once. */
const PER_AGENT = 20;

/** Finishes a response. Its client should return within that many milliseconds. */
type End = (retryWithinMs: number) => void;

interface Open {
  ends: Set<End>;
  byAgent: Map<number, number>;
  draining: boolean;
}

const open = perServer((ctx): Open => {
  const made: Open = { ends: new Set(), byAgent: new Map(), draining: false };
  ctx.onClose(() => endAgentStreams(ctx, retryWithinMs(made.ends.size)));
  return made;
});

/**
 * Counts a response that stays open. `end` is called when the server drains and must finish the response. Call the
 * returned function when the response is over.
 * @throws too_many_sockets, draining
 */
export function holdOpen(ctx: AppContext, agentId: number, end: End): () => void {
  const all = open(ctx);
  if (all.draining) throw fail("draining", { retryAfter: 1 });
  const count = all.byAgent.get(agentId) ?? 0;
  if (count >= PER_AGENT) throw fail("too_many_sockets", { retryAfter: 1 });
  all.byAgent.set(agentId, count + 1);
  const own: End = (ms) => end(ms);
  all.ends.add(own);
  const disconnected = countConnection(ctx, agentId);
  const release = connected(ctx, agentId);
  return () => {
    if (!all.ends.delete(own)) return;
    disconnected();
    release();
    const left = (all.byAgent.get(agentId) ?? 1) - 1;
    if (left > 0) all.byAgent.set(agentId, left);
    else all.byAgent.delete(agentId);
  };
}

/** The number of streams and long polls of agents that are open. */
export const countAgentStreams = (ctx: AppContext): number => open(ctx).ends.size;

/** Finishes every stream and long poll of agents; their clients may come back at once. */
export function interruptAgentStreams(ctx: AppContext): void {
  for (const end of [...open(ctx).ends]) end(0);
}

/**
 * Finishes every stream and long poll of agents and refuses new ones, because the server drains. Streams tell their
 * clients to return within that many milliseconds.
 */
export function endAgentStreams(ctx: AppContext, retryWithinMs: number): void {
  const all = open(ctx);
  all.draining = true;
  for (const end of [...all.ends]) end(retryWithinMs);
}
