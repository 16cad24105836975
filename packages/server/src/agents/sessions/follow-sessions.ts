import { startBackgroundJob } from "../../base/background-job.ts";
import { duty } from "../../cluster/duties.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import type { QuestionPlace } from "../../messages/cards/question-hook.ts";
import { publishSession } from "./sessions.service.ts";
import * as store from "./sessions.store.ts";

const PASS_MS = 10_000;
const AT_ONCE = 200;

/** On one node, marks the sessions of agents that are away, and those of agents that are back. */
export function followSessions(ctx: AppContext): void {
  const isOwn = duty(ctx, "mark gone sessions");
  startBackgroundJob(ctx, PASS_MS, "following the sessions of agents failed", async () => {
    if (isOwn()) await markSessions(ctx);
  });
}

/** Marks what has changed since the last call, up to a number, and tells the channels. */
export async function markSessions(ctx: AppContext): Promise<void> {
  const now = ctx.clock.now();
  await publishChanged(ctx, ({ db }) => store.markBack(db, now, AT_ONCE));
  await publishChanged(ctx, ({ db }) => store.markGone(db, now, AT_ONCE));
}

/** Makes a change and tells the channels of the sessions that it returns. */
async function publishChanged(ctx: AppContext, change: (ctx: AppContext) => Promise<number[]>): Promise<void> {
  await transact(ctx, async (ctx) => {
    for (const row of await store.findSessions(ctx.db, await change(ctx))) publishSession(ctx, row);
  });
}

/** Shows that an agent waits for an answer, or no longer does. */
export async function noteQuestion(ctx: AppContext, { agentId, rootId }: QuestionPlace): Promise<void> {
  const row = await store.findSession(ctx.db, agentId, rootId);
  if (row?.state === "working") publishSession(ctx, row);
}

/** Ends what an agent does in a channel that it was removed from. */
export const endSessionsIn = (ctx: AppContext, channelId: number, agentId: number): Promise<void> =>
  publishChanged(ctx, ({ db, clock }) => store.failIn(db, channelId, agentId, clock.now()));
