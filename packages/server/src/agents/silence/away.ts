import { addLogin, isAway } from "../../channels/members/agents-online.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { hook } from "../../hook.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { livePresence } from "../agents.store.ts";
import { markAway, markBack, markOneBack } from "./away.store.ts";
import { flushHeld, holdAgent, noteHeld } from "./connections.ts";

/** How long after its last connection an agent is shown as online (protocol §5). */
export const AWAY_MS = 60_000;

/** Receives agents that went away or came back, and the channels in which they are logged in, on the node that noticed. */
export const onAwayChange =
  hook<(ctx: AppContext, change: { gone: readonly number[]; channels: readonly number[] }) => void>();

/**
 * Takes agents off the online lists whose connections ended a minute ago, and puts those back that have returned. They
 * stay logged in. Every node calls it, to store what it knows; `isMarking`: this node marks them for all.
 */
export async function sweepAway(ctx: AppContext, isMarking: boolean): Promise<void> {
  await flushHeld(ctx);
  if (!isMarking) return;
  await change(ctx, async ({ db, clock }) => {
    const back = await markBack(db);
    return { back, gone: await markAway(db, clock.now() - AWAY_MS) };
  });
}

/** Counts a connection of an agent, which ends with the returned function. An agent that was away is back at once. */
export function connected(ctx: AppContext, agentId: number): () => void {
  const release = holdAgent(ctx, agentId);
  seen(ctx, agentId);
  return release;
}

/** Notes a long poll that had its answer at once. */
export function polled(ctx: AppContext, agentId: number): void {
  noteHeld(ctx, agentId);
  seen(ctx, agentId);
}

function seen(ctx: AppContext, agentId: number): void {
  if (!isAway(ctx, agentId)) return;
  comeBack(ctx, agentId).catch((err: unknown) => ctx.log.warn({ err }, "showing an agent as online failed"));
}

/** Shows an agent as online again where it is logged in. */
export async function comeBack(ctx: AppContext, agentId: number): Promise<void> {
  await change(ctx, async ({ db }) => ({ back: (await markOneBack(db, agentId)) ? [agentId] : [], gone: [] }));
}

interface Changed {
  back: readonly number[];
  gone: readonly number[];
}

/** Marks agents, and shows on all nodes what has changed. */
async function change(ctx: AppContext, mark: (ctx: AppContext) => Promise<Changed>): Promise<void> {
  const { rows, gone } = await transact(ctx, async (ctx) => {
    const { back, gone } = await mark(ctx);
    const changed = [...back, ...gone];
    const rows = changed.length === 0 ? [] : await livePresence(ctx.db, ctx.clock.now(), changed);
    if (ctx.cluster !== null)
      for (const row of rows) publishControl(ctx, "agent_stay", { channelId: row.channel_id, agentId: row.agent_id });
    return { rows, gone };
  });
  for (const row of rows) addLogin(ctx, row);
  if (rows.length + gone.length === 0) return;
  const channels = [...new Set(rows.map(({ channel_id }) => channel_id))];
  for (const act of onAwayChange.of(ctx)) act(ctx.root, { gone, channels });
}
