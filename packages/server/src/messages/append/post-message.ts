import { isDeepStrictEqual } from "node:util";
import type { UsageReport } from "@parley/protocol/budgets";
import { CONTENT_MAX } from "@parley/protocol/limits";
import type { SendFields } from "@parley/protocol/messages";
import type { Sticker } from "@parley/protocol/models";
import { isoTime } from "../../base/iso-time.ts";
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { isBlank } from "../../base/visible-text.ts";
import { hasBudget } from "../../budgets/budgets.ts";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import { type MessageRow, type RecordMention, recordJson } from "../../event-log/message-json.ts";
import { filesToSend } from "../../files/sending.ts";
import type { AgentIdentity, UserIdentity } from "../../http/identity.ts";
import { withActivity } from "../activity/activity.ts";
import { cardToSend, fingerprintOf, hasCard, type SentCard } from "../cards/sending.ts";
import { owedPreviews } from "../link-previews.ts";
import { checkLoopGuard } from "../loop-guard/loop-guard.ts";
import { storeCalls } from "../mentions/here.ts";
import { type Mentioned, mentionedIn } from "../mentions/resolve-mentions.ts";
import { markupToSend } from "../menus/sending.ts";
import { findByClientKeys } from "../messages.store.ts";
import { ownRecord } from "../own-fields.ts";
import { appendQueue } from "./append.ts";
import { type CheckedThread, checkReply } from "./check-reply.ts";
import { type Draft, fileIdsOf, messageOf } from "./draft.ts";
import type { PostInput } from "./post-input.ts";
import { postedSticker } from "./posted-sticker.ts";
import { inTurn } from "./slow-mode.ts";

/** The account that sends, also while it is absent. */
type Sender = Pick<UserIdentity | AgentIdentity, "key">;

/** A message after its commit. */
export interface Posted {
  id: number;
  seq: number;
  createdAt: string;
  channelId: number;
  channelSlug: string;
  agentName: string | null;
  mentions: RecordMention[];
  deduplicated: boolean;
  /** The record as JSON text. */
  json: string;
}

/** Returns the fields that sends of users and agents share, over REST and the socket. */
export const sendFields = (body: SendFields) => ({
  stickerId: body.sticker_id,
  replyToId: body.reply_to_id,
  threadRootId: body.thread_root_id,
  alsoInChannel: body.also_in_channel,
  fileIds: body.file_ids,
  expiresIn: body.expires_in,
  linkPreviews: body.link_previews,
});

/**
 * Checks the text's length in code points, and that it is not blank. Text is stored unmodified. Errors:
 * `content_required`, `message_too_long`.
 */
export function checkContent(content: string, mayBeEmpty = false, max = CONTENT_MAX): void {
  if (!mayBeEmpty && isBlank(content)) throw fail("content_required");
  if (content.length <= max) return;
  let points = 0;
  for (const _ of content) if (++points > max) throw fail("message_too_long");
}

/** True for a message that needs no text. */
export const mayBeEmpty = ({ stickerId, fileIds }: Pick<PostInput, "stickerId" | "fileIds">): boolean =>
  stickerId != null || (fileIds?.length ?? 0) > 0;

/**
 * Posts a message. Resolves when it is durable and its frames are published.
 * Errors: `content_required`, `message_too_long`, `sticker_not_found`, those of `checkReply` and `filesToSend`,
 * `slow_mode`, `loop_guard_tripped`, `agents_not_allowed`, `context_stale`, `idempotency_conflict`, `here_not_allowed`,
 * `here_rate_limited`, `overloaded`.
 */
export function postMessage(ctx: AppContext, input: PostInput): Promise<Posted> {
  const { caller, channel, clientMsgId } = input;
  if (channel.slow_mode_seconds === 0) return post(ctx, input);
  const key = clientMsgId == null ? null : clientKey(caller, clientMsgId);
  return inTurn(ctx, { caller, channel, clientKey: key }, () => post(ctx, input));
}

async function post(ctx: AppContext, input: PostInput): Promise<Posted> {
  const checked = checkedDraft(ctx, input);
  const draft = checked instanceof Promise ? await checked : checked;
  const { row, json, deduplicated } = await storeCalls(ctx, input.caller, [draft], () => {
    const appending = appendQueue(ctx).add(draft);
    input.onQueued?.();
    return appending;
  });
  if (deduplicated) return posted(row, draft.channelSlug, await ownRecord(ctx, input.caller, row, json), true);
  return posted(row, draft.channelSlug, json, false);
}

/**
 * Returns a message that has passed every check, but slow mode and the rules of `@here` (`storeCalls`); at once for
 * plain text whose mentions are in memory, as nearly all are. Errors, thrown or as a rejection: those of `postMessage`.
 */
export function checkedDraft(ctx: AppContext, input: PostInput): MaybePromise<Draft> {
  const { caller, channel, content } = input;
  if (input.alsoInChannel && input.threadRootId == null)
    throw fail("invalid_request", { details: [{ path: "also_in_channel", message: "requires thread_root_id" }] });
  checkContent(content, mayBeEmpty(input), input.contentMax);
  if (!isPlain(input)) return checkedWithParts(ctx, input);
  return andThen(mentionedIn(ctx, channel, caller, content), (mentioned) =>
    draftOf(ctx, input, { mentioned, thread: null }),
  );
}

/** True for a user's text that neither answers nor carries anything. */
const isPlain = ({ caller, channel, stickerId, replyToId, threadRootId, fileIds, card, feature }: PostInput): boolean =>
  caller.kind === "user" &&
  channel.agent_policy !== "mention_only" &&
  stickerId == null &&
  replyToId == null &&
  threadRootId == null &&
  fileIds == null &&
  card == null &&
  feature === undefined;

async function checkedWithParts(ctx: AppContext, input: PostInput): Promise<Draft> {
  const { caller, channel, content } = input;
  const key = input.clientMsgId == null ? null : clientKey(caller, input.clientMsgId);
  const sticker = input.stickerId == null ? null : await postedSticker(ctx, input.stickerId, key);
  const isAnswer = input.replyToId != null || input.threadRootId != null;
  const thread = isAnswer || channel.agent_policy === "mention_only" ? await checkReply(ctx, input, key) : null;
  // A direct conversation has no second agent with which it could loop.
  const isGuarded = caller.kind === "agent" && channel.directAgent === null && ctx.config.agentLoopLimit > 0;
  if (isGuarded) await checkLoopGuard(ctx, channel.id, caller.agentId, input.pendingAgents);
  const mentioned = await mentionedIn(ctx, channel, caller, content);
  const files = input.fileIds?.length ? await filesOf(ctx, input, input.fileIds, key) : null;
  const counted = caller.kind === "agent" ? await countedOf(ctx, caller, input.usage) : undefined;
  const card = await cardOf(ctx, input, key);
  return draftOf(ctx, input, { sticker, thread, mentioned, files, counted, card, isGuarded });
}

/** Returns what a message counts for its agent's budgets; undefined: nothing. */
export async function countedOf(
  ctx: AppContext,
  { agentId }: AgentIdentity,
  usage: UsageReport | null = null,
): Promise<Draft["counted"]> {
  return usage !== null || (await hasBudget(ctx, agentId)) ? { agentId, usage } : undefined;
}

interface DraftParts {
  mentioned: Mentioned;
  thread: CheckedThread | null;
  sticker?: Sticker | null;
  files?: string | null;
  counted?: Draft["counted"] | undefined;
  card?: SentCard | null;
  isGuarded?: boolean;
  /** The stream that becomes this message. */
  streamId?: number;
}

const senderName = ({ caller, agentName }: PostInput): string =>
  caller.kind === "user" ? caller.username : (agentName ?? "PlatformAgent");

/** Returns the message to store, of parts that were checked. */
export function draftOf(ctx: AppContext, input: PostInput, parts: DraftParts): Draft {
  const { caller, channel, content, clientMsgId } = input;
  const { mentioned, thread, sticker = null, card = null } = parts;
  return messageOf({
    channel,
    type: sticker === null ? "text" : "sticker",
    content,
    sender_type: caller.kind,
    user_id: caller.kind === "user" ? caller.userId : null,
    agent_id: caller.kind === "agent" ? caller.agentId : null,
    sender_name: senderName(input),
    client_msg_id: clientMsgId ?? null,
    client_key: clientMsgId == null ? null : clientKey(caller, clientMsgId),
    reply_to_id: input.replyToId ?? null,
    mentioned,
    sticker_id: sticker?.sticker_id ?? null,
    sticker: sticker === null ? null : JSON.stringify(sticker),
    thread_root_id: thread?.rootId ?? null,
    also_in_channel: input.alsoInChannel ? 1 : 0,
    files: parts.files ?? null,
    expires_at: input.expiresIn == null ? null : ctx.clock.now() + input.expiresIn * 1_000,
    card: withActivity(card?.json ?? null, input.activity),
    question: card?.question ?? null,
    ...(card?.isMarkup === true ? { isMarkup: true } : {}),
    ...(card?.store === undefined ? {} : { store: card.store }),
    ...(input.step === undefined ? {} : { step: input.step }),
    cardFingerprint: card?.fingerprint ?? null,
    stream_id: parts.streamId ?? null,
    previews: owedPreviews(ctx, channel, content, input.linkPreviews),
    expectedLastSeq: input.expectedLastSeq ?? null,
    mayReplyLocked: thread?.mayReplyLocked === true,
    counted: parts.counted,
    isGuarded: parts.isGuarded,
    act: ctx.act,
  });
}

/** Returns a stored message as the answer to a repeated send. */
export const postedBefore = async (
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  row: MessageRow,
  channelSlug: string,
): Promise<Posted> => posted(row, channelSlug, await ownRecord(ctx, caller, row, recordJson(row, channelSlug)), true);

/** Returns the id of the message that the sender has sent with this key; null: there is none. */
export async function sentId(ctx: AppContext, sender: Sender, clientMsgId: string): Promise<number | null> {
  const [sent] = await findByClientKeys(ctx.db, [clientKey(sender, clientMsgId)]);
  return sent?.id ?? null;
}

/** Returns a message after its commit; `json` is its record as its sender sees it. */
export function posted(row: MessageRow, channelSlug: string, json: string, deduplicated: boolean): Posted {
  return {
    id: row.id,
    seq: row.seq,
    createdAt: isoTime(row.created_at),
    channelId: row.channel_id,
    channelSlug,
    agentName: row.sender_type === "agent" ? row.sender_name : null,
    mentions: row.mentions === null ? [] : (JSON.parse(row.mentions) as RecordMention[]),
    deduplicated,
    json,
  };
}

/** Returns the key by which a sender's message is found again. */
export const clientKey = (sender: Sender, key: string): string => `${sender.key}:${key}`;

/**
 * Returns the records of the files to send, as JSON. A retry gets the same answer although they are sent by now. Errors:
 * those of `filesToSend`.
 */
async function filesOf(ctx: AppContext, input: PostInput, ids: readonly number[], key: string | null): Promise<string> {
  try {
    return JSON.stringify(await filesToSend(ctx, input.caller, ids, senderName(input)));
  } catch (error) {
    const [sent] = key === null ? [] : await findByClientKeys(ctx.db, [key]);
    if (sent?.files == null || !isDeepStrictEqual(fileIdsOf(sent.files), ids)) throw error;
    return sent.files;
  }
}

/**
 * Returns the card to send, a feature's record or the buttons of a bot; null: none of them. A retry gets the same answer although those it asks
 * may be gone by now. Errors: those of `cardToSend`.
 */
async function cardOf(ctx: AppContext, input: PostInput, key: string | null): Promise<SentCard | null> {
  const { caller, content, card, markup, feature } = input;
  if (feature !== undefined) return feature;
  if (markup !== undefined && caller.kind === "agent") return markupToSend(caller, markup);
  if (card == null || !hasCard(card)) return null;
  if (caller.kind !== "agent") throw fail("invalid_components", { message: "Only agents send cards." });
  try {
    return await cardToSend(ctx, caller, { content, card, rule: input.channel.approval_rule });
  } catch (error) {
    const [sent] = key === null ? [] : await findByClientKeys(ctx.db, [key]);
    if (sent === undefined) throw error;
    return { json: "", fingerprint: fingerprintOf(card), question: null };
  }
}
