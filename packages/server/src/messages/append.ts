import { type AppContext, perServer } from "../context.ts";
import { BatchQueue } from "../db/batch-queue.ts";
import { transact } from "../db/transact.ts";
import type { BusMessage } from "../realtime/broker.ts";
import { channelTopic } from "../realtime/topics.ts";
import { type Appended, type Draft, writeBatch } from "./append-batch.ts";
import { announceMentions } from "./mentioning.ts";
import { newsListeners } from "./news.ts";
import { eventFrame } from "./record.ts";

/**
 * The append queue: the one road a message takes into the database. Besides what every batch queue promises: messages of one channel get numbers
 * in the order they were added, and the frames go to the broker after the commit and before the answers resolve.
 */
export const appendQueue = perServer(
  (ctx): BatchQueue<Draft, Appended> =>
    new BatchQueue(ctx, {
      commit: (drafts) => commit(ctx, drafts),
      // What stands before it in its batch would count as spoken.
      goesAlone: ({ expectedLastSeq }) => expectedLastSeq !== null,
      // The content is by far the largest part of a draft. A character of it takes two bytes where any needs two.
      bytesOf: ({ content }) => 2 * content.length,
    }),
);

function commit(ctx: AppContext, drafts: readonly Draft[]): Promise<(Appended | Error)[]> {
  const started = ctx.clock.monotonic();
  return transact(ctx, async (ctx) => {
    const answers = await writeBatch(ctx, drafts);
    // What goes wrong there must not look as if the batch had failed: it would be written again.
    ctx.afterCommit(() => {
      ctx.metrics.batchCommitted(drafts.length, (ctx.clock.monotonic() - started) / 1000);
      publishAppended(ctx.root, answers);
    });
    return answers;
  });
}

/**
 * Writes a message in the caller's transaction, beside what it may not stand without (a packet and its value), and publishes it after the
 * commit. Everything else goes through the queue. Errors: `channel_not_found`.
 */
export async function appendWithin(ctx: AppContext, draft: Draft): Promise<Appended> {
  const [answer] = await writeBatch(ctx, [draft]);
  if (answer === undefined) throw new Error("A message was written without an answer.");
  if (answer instanceof Error) throw answer;
  ctx.afterCommit(() => publishAppended(ctx.root, [answer]));
  return answer;
}

/** Tells of messages that were committed. The mentioned hear first: who resumes after a message has heard its mention (agents/event-resume.ts). */
function publishAppended(ctx: AppContext, answers: readonly (Appended | Error)[]): void {
  const byTopic = new Map<number, BusMessage[]>();
  for (const answer of answers) {
    if (answer instanceof Error || answer.deduplicated) continue;
    const { row, json, mentioned } = answer;
    announceMentions(ctx, mentioned, row.channel_id, json);
    const frame = eventFrame("message:new", row.channel_id, row.seq, "", json);
    const message: BusMessage = {
      event: "message:new",
      frame,
      seq: row.seq,
      message: { id: row.id, seq: row.seq, json },
    };
    const list = byTopic.get(row.channel_id);
    if (list === undefined) byTopic.set(row.channel_id, [message]);
    else list.push(message);
  }
  const listeners = newsListeners(ctx);
  for (const [channelId, messages] of byTopic) {
    ctx.broker.publish(channelTopic(channelId), messages);
    for (const listener of listeners) listener(channelId);
  }
}
