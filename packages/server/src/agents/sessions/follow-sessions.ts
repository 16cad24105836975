import { SESSION_GONE_SECONDS } from "@parley/protocol/agent-sessions";
import { startBackgroundJob } from "../../base/background-job.ts";
import { duty } from "../../cluster/duties.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import type { QuestionPlace } from "../../messages/cards/question-hook.ts";
import { takeConnected } from "../connected.ts";
import { publishSession } from "./sessions.service.ts";
import * as store from "./sessions.store.ts";

const PASS_MS = 10_000;
const GONE_MS = SESSION_GONE_SECONDS * 1_000;
const AT_ONCE = 200;

/**
 * Notes which agents hold connections to this node, and on one node marks the sessions of those that are away. After a
 * start, agents have a minute to return.
 */
export function followSessions(ctx: AppContext): void {
  const isOwn = duty(ctx, "mark gone sessions");
  const startedAt = ctx.clock.now();
  startBackgroundJob(ctx, PASS_MS, "following the sessions of agents failed", () =>
    sessionPass(ctx, isOwn() && ctx.clock.now() - startedAt >= GONE_MS),
  );
}

/** Runs one pass. `marks`: whether this node marks the sessions that are gone. */
export async function sessionPass(ctx: AppContext, marks: boolean): Promise<void> {
  const now = ctx.clock.now();
  const connected = takeConnected(ctx);
  for (let at = 0; at < connected.length; at += AT_ONCE) {
    const part = connected.slice(at, at + AT_ONCE);
    await publishChanged(ctx, ({ db }) => store.noteSeen(db, part, now));
  }
  if (marks) await publishChanged(ctx, ({ db }) => store.markGone(db, { before: now - GONE_MS, now }, AT_ONCE));
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
