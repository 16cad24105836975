import type { Activity } from "@parley/protocol/activity";
import type { UsageReport } from "@parley/protocol/budgets";
import type { CardFields } from "@parley/protocol/card-calls";
import type { FinishReason } from "@parley/protocol/streams";
import { isBlank } from "../../base/visible-text.ts";
import { hasBudget } from "../../budgets/budgets.ts";
import { Purses } from "../../budgets/purses.ts";
import { writableChannel } from "../../channels/access/access.ts";
import type { AppContext } from "../../context.ts";
import { isUniqueViolation } from "../../db/database.ts";
import { transact } from "../../db/transact.ts";
import { AppError, fail } from "../../errors.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { activityIn, addActivity } from "../../messages/activity/activity.ts";
import { appendWithin } from "../../messages/append/append.ts";
import type { Appended } from "../../messages/append/draft.ts";
import { checkContent, countedOf, draftOf, type Posted, posted } from "../../messages/append/post-message.ts";
import { ruleFor } from "../../messages/cards/channel-rule.ts";
import { cardToSend, hasCard, type SentCard } from "../../messages/cards/sending.ts";
import { mentionedIn } from "../../messages/mentions/resolve-mentions.ts";
import { ownRecord } from "../../messages/own-fields.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { channelTopic } from "../../realtime/topics.ts";
import { isDraft, writerOf } from "./stream-record.ts";
import { endStream, findStream, lockStream, type StreamRow } from "./streams.store.ts";

/** How often a finish reads the text again because a piece was appended meanwhile. */
const ATTEMPTS = 20;

/** How a stream becomes a message. */
interface Finish {
  caller: AgentIdentity;
  /** The text of the message; absent: what is held. */
  message?: string | undefined;
  usage?: UsageReport | null | undefined;
  card?: CardFields | undefined;
  /** The agent's acts, besides those that are held. */
  activity?: readonly Activity[] | undefined;
  /** The message that it answers; absent: that of the stream. */
  replyToId?: number | undefined;
  contentMax?: number | undefined;
  reason: FinishReason;
}

/** Thrown inside a transaction if the stream is not as it was read before. */
class Moved extends Error {}

/**
 * Makes an open stream one durable message: the message and the end of the stream are one transaction, so that a crash
 * leaves both or neither, and of two who end it one finds it ended. Returns null if it has ended. If the agent may no
 * longer post here, or the thread is closed, nothing is left of the stream.
 * Errors: those of `writableChannel`, `message_required`, `message_too_long`, `message_not_found`, `message_deleted`,
 * `thread_locked`, `idempotency_conflict`, and those of `cardToSend`, after which the stream is still open.
 */
export async function finishStream(ctx: AppContext, streamId: number, finish: Finish): Promise<Posted | null> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const row = await findStream(ctx.db, streamId);
    if (row?.state !== "open") return null;
    try {
      const card = await cardOf(ctx, row, finish);
      return await cancelIfRefused(ctx, streamId, () => becomeMessage(ctx, row, finish, card));
    } catch (error) {
      // Or its key was used by a send at the same time.
      if (!(error instanceof Moved) && !isUniqueViolation(error)) throw error;
    }
  }
  throw fail("overloaded", { retryAfter: 1 });
}

async function cardOf(ctx: AppContext, row: StreamRow, { caller, message, card }: Finish): Promise<SentCard | null> {
  if (card === undefined || !hasCard(card)) return null;
  const rule = await ruleFor(ctx.db, { kind: "approval", channel_id: row.channel_id });
  return cardToSend(ctx, caller, { content: message ?? row.content, card, rule });
}

async function becomeMessage(
  ctx: AppContext,
  row: StreamRow,
  { caller, message, usage, activity, replyToId, contentMax, reason }: Finish,
  card: SentCard | null,
): Promise<Posted> {
  const channel = await writableChannel(ctx, caller, { id: row.channel_id });
  const content = message ?? row.content;
  if (isBlank(content)) throw fail("message_required");
  checkContent(content, false, contentMax);
  const draft = draftOf(
    ctx,
    {
      caller,
      channel,
      content,
      agentName: row.agent_name,
      clientMsgId: row.client_msg_id,
      replyToId: replyToId ?? row.reply_to_id,
      alsoInChannel: row.also_in_channel === 1,
      activity: addActivity(activityIn(row.activity), activity ?? []),
    },
    {
      mentioned: await mentionedIn(ctx, channel, caller, content),
      thread: { rootId: row.thread_root_id, mayReplyLocked: false },
      counted: await countedOf(ctx, caller, usage),
      card,
      streamId: row.id,
    },
  );
  const answer = await transact(ctx, async (ctx): Promise<Appended> => {
    const now = await lockStream(ctx.db, row.id);
    const isSame = now?.activity === row.activity && (message !== undefined || now.length === row.length);
    if (now?.state !== "open" || !isSame) throw new Moved();
    const answer = await appendWithin(ctx, draft);
    await close(ctx, row, { state: "finished", message_id: answer.row.id, finish_reason: reason });
    return answer;
  });
  return posted(answer.row, channel.slug, await ownRecord(ctx, caller, answer.row, answer.json), answer.deduplicated);
}

/** True for a refusal that does not pass: the agent can't post this message any more. */
function endsIt(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  return error.status === 403 || error.status === 404 || ENDING.has(error.code);
}

const ENDING: ReadonlySet<string> = new Set(["message_deleted", "not_a_thread_root", "idempotency_conflict"]);

/** Runs an act of the stream's agent. If the agent may not do it any more, nothing is left of the stream. */
export async function cancelIfRefused<T>(ctx: AppContext, streamId: number, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (endsIt(error)) await cancelStream(ctx, streamId);
    throw error;
  }
}

/**
 * Ends an open stream without a message. What it has shown counts for the agent's budgets like a message, or an agent
 * could say any amount without finishing. Returns the stream as it is then; undefined: there is none.
 */
export function cancelStream(ctx: AppContext, streamId: number): Promise<StreamRow | undefined> {
  return transact(ctx, async (ctx) => {
    const row = await lockStream(ctx.db, streamId);
    if (row?.state !== "open") return row;
    if (row.content !== "" && (await hasBudget(ctx, row.agent_id))) {
      const purses = await Purses.open(ctx, [row.agent_id]);
      purses.charge({ agentId: row.agent_id, channelId: row.channel_id, content: row.content, cards: 0, usage: null });
      await purses.close(ctx);
    }
    await close(ctx, row, { state: "cancelled", message_id: null, finish_reason: null });
    return { ...row, state: "cancelled" };
  });
}

/** Ends a stream on behalf of its agent with what is held; without any text nothing is left. */
export async function interruptStream(
  ctx: AppContext,
  streamId: number,
  caller: AgentIdentity,
  reason: Exclude<FinishReason, "finished"> = "interrupted",
): Promise<void> {
  try {
    await finishStream(ctx, streamId, { caller, reason });
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    if (!endsIt(error)) await cancelStream(ctx, streamId);
  }
}

/** Ends a stream because somebody stopped its agent. A draft of a bot leaves nothing. */
export async function stopStream(ctx: AppContext, row: StreamRow): Promise<void> {
  if (isDraft(row)) await cancelStream(ctx, row.id);
  else await interruptStream(ctx, row.id, writerOf(row), "stopped");
}

async function close(
  ctx: AppContext,
  { id, channel_id }: StreamRow,
  ending: Pick<StreamRow, "state" | "message_id" | "finish_reason">,
): Promise<void> {
  await endStream(ctx.db, id, { ...ending, ended_at: ctx.clock.now() });
  publishControl(ctx, "stream_over", { channelId: channel_id, streamId: id });
  publishEvent(ctx, channelTopic(channel_id), "stream:end", {
    channel_id,
    stream_id: id,
    message_id: ending.message_id,
    finish_reason: ending.finish_reason,
  });
}
