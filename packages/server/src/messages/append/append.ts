import { reopenAfterMessage } from "../../channels/direct/direct.service.ts";
import { type AppContext, perServer } from "../../context.ts";
import { BatchLanes } from "../../db/batch-lanes.ts";
import { hasRoundTrips } from "../../db/dialect.ts";
import { fail } from "../../errors.ts";
import { busRoot, publishDurable } from "../../event-log/events.ts";
import { eventFrame, featureOf, isHidden } from "../../event-log/message-json.ts";
import { mustDecide, transactBatch } from "../../http/acts/acts-of-batch.ts";
import type { BrokerMessage, BrokerRecord } from "../../realtime/broker/broker.ts";
import { noteMessage } from "../loop-guard/loop-guard.ts";
import { noLongerInDoubt } from "../mentions/mentions-in-doubt.ts";
import { NOBODY, publishMentions } from "../mentions/resolve-mentions.ts";
import { tellNaming } from "../message-hooks.ts";
import { NOT_STORED, writeAtOnce } from "./append-at-once.ts";
import { writeBatch } from "./append-batch.ts";
import { type Appended, type Draft, roadOf } from "./draft.ts";

/** Batches that a node of a cluster commits at once. A lone server has no one to wait for. */
const LANES = 4;

/**
 * The append queue, through which messages are written to the database. In addition to the promises of every batch
 * queue: messages of one channel get their seq in the order they were added, and the frames are published after the
 * commit and before the answers resolve. In a cluster it has lanes: a batch that waits for a channel's row, which
 * another node has locked, does not delay the other channels.
 */
export const appendQueue = perServer((ctx): BatchLanes<Draft, Appended> => {
  const isRemote = hasRoundTrips(ctx.db);
  return new BatchLanes<Draft, Appended>(ctx, {
    lanes: ctx.cluster === null ? 1 : LANES,
    keyOf: ({ channel_id }) => channel_id,
    commit: isRemote ? (drafts) => commitAtOnce(ctx, drafts) : (drafts) => commit(ctx, drafts),
    goesAlone: (draft) => roadOf(draft) === "alone",
    // The content is by far the largest part of a draft. A string takes two bytes per character if any character
    // needs them.
    bytesOf: ({ content, card }) => 2 * (content.length + (card?.length ?? 0)),
  });
});

function commit(ctx: AppContext, drafts: readonly Draft[]): Promise<(Appended | Error)[]> {
  const started = ctx.clock.monotonic();
  return transactBatch(ctx, drafts, async (ctx, drafts) => {
    const answers = await writeBatch(ctx, drafts);
    // Publishing errors must not look like a failed batch: it would be written again.
    ctx.afterCommit(() => committed(ctx, answers, started));
    return answers;
  });
}

async function commitAtOnce(ctx: AppContext, drafts: readonly Draft[]): Promise<(Appended | Error)[]> {
  const started = ctx.clock.monotonic();
  const answers = drafts.some((draft) => roadOf(draft) !== "statement" || mustDecide(ctx, draft))
    ? null
    : await writeAtOnce(ctx, drafts);
  if (answers === null) return commit(ctx, drafts);
  const left = drafts.filter((_, index) => answers[index] === NOT_STORED);
  try {
    committed(ctx, left.length === 0 ? answers : answers.filter((answer) => answer !== NOT_STORED), started);
  } catch (err) {
    // As in `commit`: the messages are stored and must be answered.
    ctx.log.error({ err }, "an effect after a commit failed");
  }
  if (left.length === 0) return answers;
  const written = await storedLater(ctx, left);
  let next = 0;
  return answers.map((answer) => (answer === NOT_STORED ? (written[next++] ?? answer) : answer));
}

/** Has a transaction write, or refuse, what the statement left out. Never rejects: the rest of the batch is stored. */
const storedLater = (ctx: AppContext, drafts: readonly Draft[]): Promise<(Appended | Error)[]> =>
  commit(ctx, drafts).catch((error: unknown) => drafts.map(() => error as Error));

function committed(ctx: AppContext, answers: readonly (Appended | Error)[], started: number): void {
  ctx.metrics.batchCommitted(answers.length, (ctx.clock.monotonic() - started) / 1000);
  noLongerInDoubt(ctx.root, answers);
  postedEffects(ctx.root, answers);
}

/**
 * Writes a message in the caller's transaction, for a message that must be atomic with other data (a packet and its
 * value). All other messages use the queue. Errors: `channel_not_found`.
 */
export async function appendWithin(ctx: AppContext, draft: Draft): Promise<Appended> {
  const [answer] = await writeBatch(ctx, [draft]);
  if (answer === undefined) throw new Error("A message was stored without a result.");
  if (answer instanceof Error) throw answer;
  ctx.afterCommit(() => postedEffects(ctx.root, [answer]));
  return answer;
}

/**
 * Writes messages of one channel in the caller's transaction, all or none, with consecutive `seq`. Errors: those of a
 * refused draft; `idempotency_conflict` if some, but not all, were sent before.
 */
export async function appendAllWithin(ctx: AppContext, drafts: readonly Draft[]): Promise<readonly Appended[]> {
  const answers = (await writeBatch(ctx, drafts)).map((answer) => {
    if (answer instanceof Error) throw answer;
    return answer;
  });
  if (new Set(answers.map(({ deduplicated }) => deduplicated)).size > 1) throw fail("idempotency_conflict");
  ctx.afterCommit(() => postedEffects(ctx.root, answers));
  return answers;
}

/**
 * Runs everything that follows the commit of new messages, whoever wrote them: tells who waits for mentions, counts them
 * for the loop guard, shows a closed conversation again, and publishes mentions and messages.
 */
function postedEffects(ctx: AppContext, answers: readonly (Appended | Error)[]): void {
  const posted = answers.filter((answer) => !(answer instanceof Error) && !answer.deduplicated) as Appended[];
  // First, because publishing may fail, and because an agent may answer a message as soon as it is published.
  for (const { row, isDirect } of posted) {
    const id = row.user_id ?? row.agent_id ?? 0;
    tellNaming(ctx, row);
    noteMessage(ctx, row.channel_id, { kind: row.sender_type, id, name: row.sender_name });
    if (!isDirect) continue;
    reopenAfterMessage(ctx, row.channel_id).catch((err) =>
      ctx.log.error({ err }, "showing a closed conversation again failed"),
    );
  }
  publishMessages(ctx, posted);
}

/**
 * Publishes messages, mentions first: a client that resumes after a message must already have received its mention
 * (agents/events/event-resume.ts).
 */
function publishMessages(ctx: AppContext, posted: readonly Appended[]): void {
  const byTopic = new Map<number, BrokerMessage[]>();
  for (const { row, json, mentioned, itemIds, channelSlug, root } of posted) {
    if (mentioned !== NOBODY) {
      const message = { channelId: row.channel_id, channelSlug, json, at: row.created_at };
      publishMentions(ctx, mentioned, itemIds, message);
    }
    const frame = eventFrame("message:new", row.channel_id, row.seq, "", json);
    const record: BrokerRecord = { id: row.id, seq: row.seq, json };
    if (isHidden(row)) record.hidden = true;
    if (featureOf(row) !== undefined) record.featured = true;
    const message: BrokerMessage = { event: "message:new", frame, seq: row.seq, message: record };
    if (root !== undefined) message.root = busRoot(root);
    const list = byTopic.get(row.channel_id);
    if (list === undefined) byTopic.set(row.channel_id, [message]);
    else list.push(message);
  }
  for (const [channelId, messages] of byTopic) publishDurable(ctx, channelId, messages);
}
