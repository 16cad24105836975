import { type AgentLogin, reconcileStay, watchAgentChannels } from "../channels/members/agents-online.ts";
import { type AppContext, perServer } from "../context.ts";
import { transact } from "../db/transact.ts";
import { onControl, publishControl } from "../realtime/control/control.ts";
import { livePresence } from "./agents.store.ts";

/** Stays read in one query. */
const BATCH = 200;

/** An agent in a channel, under whichever names. */
interface Stay {
  channelId: number;
  agentId: number;
}

const keyOf = ({ channelId, agentId }: Stay): string => `${channelId}:${agentId}`;

interface Reading {
  /** Stays that changed on some node and have not been read since, by their keys. */
  due: Map<string, Stay>;
  isRunning: boolean;
}

const reading = perServer((): Reading => ({ due: new Map(), isRunning: false }));

/**
 * Changes rows of `agent_presence` and announces each row that `change` returns to the other nodes. On a lone server it
 * only makes the change.
 */
export async function changeStays(
  ctx: AppContext,
  change: (ctx: AppContext) => Promise<AgentLogin[]>,
): Promise<AgentLogin[]> {
  if (ctx.cluster === null) return change(ctx);
  return transact(ctx, async (ctx) => {
    const rows = await change(ctx);
    const changed = rows.map((row): Stay => ({ channelId: row.channel_id, agentId: row.agent_id }));
    for (const stay of new Map(changed.map((stay) => [keyOf(stay), stay])).values())
      publishControl(ctx, "agent_stay", stay);
    return rows;
  });
}

/** Keeps this node's memory of the agents' logins like the database when another node changes them. */
export function followStays(ctx: AppContext): void {
  if (ctx.cluster === null) return;
  onControl(ctx, "agent_stay", (stay) => {
    const own = reading(ctx);
    own.due.set(keyOf(stay), stay);
    if (own.isRunning) return;
    own.isRunning = true;
    readStays(ctx)
      .catch((err: unknown) => ctx.log.warn({ err }, "reading the logins of agents failed"))
      .finally(() => {
        own.isRunning = false;
      });
  });
}

/** Makes this node's view of one agent in one channel equal to the database. */
export async function readStay(ctx: AppContext, channelId: number, agentId: number): Promise<void> {
  let isOld = false;
  const unwatch = watchAgentChannels(ctx, agentId, () => {
    isOld = true;
  });
  try {
    let rows: AgentLogin[];
    do {
      isOld = false;
      rows = await livePresence(ctx.db, ctx.clock.now(), [agentId]);
      // The rows lack what the agent did during the read.
    } while (isOld);
    const own = rows.filter((row) => row.channel_id === channelId);
    reconcileStay(ctx, channelId, agentId, own);
  } finally {
    unwatch();
  }
}

/** Reads all stays that are due, also those that become due in the meantime. The full comparison repairs a failure. */
async function readStays(ctx: AppContext): Promise<void> {
  const { due } = reading(ctx);
  while (due.size > 0) {
    const stays = [...due.values()].slice(0, BATCH);
    for (const stay of stays) due.delete(keyOf(stay));
    const agents = [...new Set(stays.map(({ agentId }) => agentId))];
    const rows = await livePresence(ctx.db, ctx.clock.now(), agents);
    for (const { channelId, agentId } of stays) {
      const own = rows.filter((row) => row.channel_id === channelId && row.agent_id === agentId);
      reconcileStay(ctx, channelId, agentId, own);
    }
  }
}
