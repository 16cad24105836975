import { type AppContext, perServer } from "../../context.ts";
import { writeHeld } from "./away.store.ts";

/** Stored to the second: connections that ended in one second share one statement. */
const GRAIN_MS = 1_000;
const BATCH = 500;

interface Held {
  /** The open sockets, event streams and long polls of agents on this node. */
  open: Map<number, number>;
  /** When agents whose last one has ended, or that only asked, were last known to hold one; not stored yet. */
  ended: Map<number, number>;
}

const held = perServer((ctx): Held => {
  const made: Held = { open: new Map(), ended: new Map() };
  ctx.onClose(() => flushHeld(ctx));
  return made;
});

/** Counts a socket, event stream or long poll of an agent. Call the returned function when it ends. Runs no SQL. */
export function holdAgent(ctx: AppContext, agentId: number): () => void {
  const { open } = held(ctx);
  open.set(agentId, (open.get(agentId) ?? 0) + 1);
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    const left = (open.get(agentId) ?? 1) - 1;
    if (left > 0) open.set(agentId, left);
    else open.delete(agentId);
    noteHeld(ctx, agentId);
  };
}

/** Notes that an agent keeps itself informed by connections, although none may be open now. Runs no SQL. */
export function noteHeld(ctx: AppContext, agentId: number): void {
  const now = ctx.clock.now();
  held(ctx).ended.set(agentId, now - (now % GRAIN_MS));
}

/** Stores which agents hold a connection on this node, in a few statements. */
export async function flushHeld(ctx: AppContext): Promise<void> {
  const { open, ended } = held(ctx);
  const byTime = new Map<number, number[]>();
  const now = ctx.clock.now();
  const add = (at: number, agentId: number) => void (byTime.get(at)?.push(agentId) ?? byTime.set(at, [agentId]));
  for (const [agentId, at] of ended) if (!open.has(agentId)) add(at, agentId);
  for (const agentId of open.keys()) add(now, agentId);
  ended.clear();
  for (const [at, ids] of byTime)
    for (let from = 0; from < ids.length; from += BATCH) await writeHeld(ctx.db, ids.slice(from, from + BATCH), at);
}
