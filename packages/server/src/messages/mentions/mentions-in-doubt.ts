import { startBackgroundJob } from "../../base/background-job.ts";
import { type AppContext, perServer } from "../../context.ts";
import type { MessageRow } from "../../event-log/message-json.ts";
import { findMessage } from "../messages.store.ts";
import { type Mentioned, publishMentions } from "./resolve-mentions.ts";

const AGAIN_MS = 1_000;
const KEPT_MAX = 1_000;
/** The fields that must be unchanged: a message that was deleted or rewritten meanwhile is not announced. */
const SAME = ["channel_id", "seq", "created_at", "sender_name", "content", "deleted_at"] as const;

interface Doubtful {
  readonly row: MessageRow;
  readonly json: string;
  readonly mentioned: Mentioned;
}

/** Messages with mentions whose commit is in doubt. */
const waiting = perServer((ctx) => {
  const doubtful: Doubtful[] = [];
  startBackgroundJob(ctx, AGAIN_MS, "checking whether a mention was committed failed", () =>
    publishCommitted(ctx, doubtful),
  );
  return doubtful;
});

/**
 * Queues a message whose transaction lost the database before its outcome was known. Its mentions are announced once
 * the database confirms the commit.
 */
export function mentionsInDoubt(ctx: AppContext, message: Doubtful): void {
  const doubtful = waiting(ctx);
  if (doubtful.length < KEPT_MAX) doubtful.push(message);
}

async function publishCommitted(ctx: AppContext, doubtful: Doubtful[]): Promise<void> {
  for (let next = doubtful[0]; next !== undefined; next = doubtful[0]) {
    const { row, json, mentioned } = next;
    const found = await findMessage(ctx.db, row.id);
    doubtful.shift();
    // If the commit failed, another message may have its id by now.
    const isCommitted = SAME.every((field) => found?.[field] === row[field]);
    if (isCommitted) publishMentions(ctx, mentioned, row.channel_id, json);
  }
}
