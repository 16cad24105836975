import { CONTENT_MAX } from "@parley/protocol/limits";
import { audit } from "../audit/audit.ts";
import { isBlank } from "../base/visible-text.ts";
import {
  checkMayPost,
  hasLevel,
  isByLevel,
  MODERATOR,
  membershipOf,
  readableChannel,
  refuseBlockedPeer,
  refuseOutsider,
  roleIn,
} from "../channels/access/access.ts";
import type { Channel } from "../channels/channel-cache.ts";
import { reopenForNews } from "../channels/direct/direct.service.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { AppError, fail } from "../errors.ts";
import { appendEvent, holdChannel } from "../event-log/events.ts";
import { isoTime, type MessageRow, type RecordMention, recordJson } from "../event-log/message-json.ts";
import type { AgentIdentity, UserIdentity } from "../http/identity.ts";
import { indexMessages } from "../search/message-index.ts";
import { appendQueue } from "./append/append.ts";
import { type Draft, fingerprint } from "./append/append-batch.ts";
import { postedSticker } from "./append/posted-sticker.ts";
import { inTurn } from "./append/slow-mode.ts";
import { checkLoopGuard, noteMessage } from "./loop-guard/loop-guard.ts";
import { announceMentions, type Mentioned, mentionedIn, NOBODY } from "./mentions/resolve-mentions.ts";
import { deleteMentionsOf, findMessage, insertMentions, updateMessage } from "./messages.store.ts";
import { actorOf, ownRecord } from "./reactions/own-reactions.ts";
import { deleteReactionsOf } from "./reactions/reactions.store.ts";

export interface PostInput {
  caller: UserIdentity | AgentIdentity;
  /** From `writableChannel`: the caller may post here. */
  channel: Channel;
  /** May be empty with a sticker. */
  content: string;
  stickerId?: number | null | undefined;
  clientMsgId?: string | null | undefined;
  replyToId?: number | null | undefined;
  /** Agents: refuse if others have posted since this seq. */
  expectedLastSeq?: number | null | undefined;
  /** Agents: their display name, already bound to them. */
  agentName?: string | undefined;
  /** Called when the message has its place in the append queue; anything posted afterwards follows it. */
  onQueued?: (() => void) | undefined;
}

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

/**
 * Checks the text's length in code points, and that it is not blank. Text is stored unmodified. Errors:
 * `content_required`, `message_too_long`.
 */
export function checkContent(content: string, mayBeEmpty = false): void {
  if (!mayBeEmpty && isBlank(content)) throw fail("content_required");
  if (content.length <= CONTENT_MAX) return;
  let points = 0;
  for (const _ of content) if (++points > CONTENT_MAX) throw fail("message_too_long");
}

/**
 * Posts a message. Resolves when it is durable and its frames are published.
 * Errors: `content_required`, `message_too_long`, `sticker_not_found`, `message_not_found` (reply), `slow_mode`,
 * `loop_guard_tripped`, `agents_not_allowed`, `context_stale`, `idempotency_conflict`, `overloaded`.
 */
export function postMessage(ctx: AppContext, input: PostInput): Promise<Posted> {
  const { caller, channel, clientMsgId } = input;
  if (channel.slowModeSeconds === 0) return post(ctx, input);
  const key = clientMsgId == null ? null : clientKey(caller, clientMsgId);
  return inTurn(ctx, { caller, channel, clientKey: key }, () => post(ctx, input));
}

async function post(ctx: AppContext, input: PostInput): Promise<Posted> {
  const { caller, channel, content } = input;
  checkContent(content, input.stickerId != null);
  const key = input.clientMsgId == null ? null : clientKey(caller, input.clientMsgId);
  const sticker = input.stickerId == null ? null : await postedSticker(ctx, input.stickerId, key);
  if (input.replyToId != null || channel.agentPolicy === "mention_only") await checkReply(ctx, input);
  if (caller.kind === "agent") await checkLoopGuard(ctx, channel.id, caller.agentId);
  const found = mentionedIn(ctx, channel, caller, content);
  const mentioned = found instanceof Promise ? await found : found;
  const draft: Draft = {
    channel_id: channel.id,
    channelSlug: channel.slug,
    type: sticker === null ? "text" : "sticker",
    content,
    sender_type: caller.kind,
    user_id: caller.kind === "user" ? caller.userId : null,
    agent_id: caller.kind === "agent" ? caller.agentId : null,
    sender_name: caller.kind === "user" ? caller.username : (input.agentName ?? "PlatformAgent"),
    client_msg_id: input.clientMsgId ?? null,
    client_key: key,
    client_hash: null,
    reply_to_id: input.replyToId ?? null,
    mentions: mentioned.mentions.length === 0 ? null : JSON.stringify(mentioned.mentions),
    mentioned,
    sticker_id: sticker?.sticker_id ?? null,
    sticker: sticker === null ? null : JSON.stringify(sticker),
    packet_id: null,
    expectedLastSeq: input.expectedLastSeq ?? null,
  };
  draft.client_hash = fingerprint(draft);
  const appending = appendQueue(ctx).add(draft);
  input.onQueued?.();
  const { row, json, deduplicated } = await appending;
  if (deduplicated) return posted(row, channel.slug, await ownRecord(ctx, caller, row, json), true);
  const { kind, id } = actorOf(caller);
  noteMessage(ctx, channel.id, { kind, id, name: row.sender_name });
  if (channel.direct !== null) {
    reopenForNews(ctx, channel.id).catch((err) => ctx.log.error({ err }, "showing a closed conversation again failed"));
  }
  return posted(row, channel.slug, json, false);
}

function posted(row: MessageRow, channelSlug: string, json: string, deduplicated: boolean): Posted {
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

const clientKey = (caller: UserIdentity | AgentIdentity, key: string): string => `${caller.key}:${key}`;

/**
 * Checks that the reply's target is in the same channel, and that under `mention_only` an agent replies to a message
 * that mentions it. Errors: `message_not_found`, `message_deleted`, `agents_not_allowed`.
 */
async function checkReply(ctx: AppContext, { caller, channel, replyToId }: PostInput): Promise<void> {
  const mustReply = caller.kind === "agent" && channel.agentPolicy === "mention_only";
  if (replyToId === null || replyToId === undefined) {
    if (mustReply) throw notSpokenTo();
    return;
  }
  const target = await findMessage(ctx.db, replyToId);
  if (target === undefined || target.channel_id !== channel.id) throw fail("message_not_found");
  if (target.deleted_at !== null) throw fail("message_deleted");
  if (mustReply) await checkSpokenTo(ctx, channel, caller, target);
}

const notSpokenTo = () =>
  fail("agents_not_allowed", { message: "In this channel an agent may only reply to a message that mentions it." });

/**
 * Checks the `mention_only` condition for an agent's replies and reactions: the message mentions the agent. Errors:
 * `agents_not_allowed`.
 */
export async function checkSpokenTo(
  ctx: AppContext,
  channel: Channel,
  caller: AgentIdentity,
  target: MessageRow,
): Promise<void> {
  // Resolve with the message's author as sender, or the agent would be omitted as mentioning itself.
  const sender = { kind: "user", userId: target.user_id ?? 0 } as UserIdentity;
  const { agents } = await mentionedIn(ctx, channel, sender, target.content);
  if (!agents.some(({ agentId }) => agentId === caller.agentId)) throw notSpokenTo();
}

/** Returns a message the caller may read, with its channel. Errors: `message_not_found` if hidden or absent. */
export async function readableMessage(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  messageId: number,
): Promise<{ row: MessageRow; channel: Channel }> {
  const row = await findMessage(ctx.db, messageId);
  if (row === undefined) throw fail("message_not_found");
  try {
    return { row, channel: await readableChannel(ctx, caller, { id: row.channel_id }) };
  } catch (error) {
    if (error instanceof AppError && error.code === "channel_not_found") throw fail("message_not_found");
    throw error;
  }
}

export const isOwn = (row: MessageRow, caller: UserIdentity | AgentIdentity): boolean =>
  caller.kind === "user" ? row.user_id === caller.userId : row.agent_id === caller.agentId;

/**
 * Replaces the text of the caller's own message. Errors: `message_not_found`, `forbidden`, `banned`, those of
 * `checkMayPost`, `message_deleted`, `content_required`, `message_too_long`.
 */
export async function editMessage(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  messageId: number,
  content: string,
): Promise<{ id: number; json: string }> {
  const { row: found, channel } = await readableMessage(ctx, caller, messageId);
  checkContent(content, found.sticker !== null);
  const place = await membershipOf(ctx, caller, channel);
  if (place === null) await refuseOutsider(ctx, caller, channel.id);
  checkMayPost(ctx, caller, channel, place);
  if (channel.direct !== null) await refuseBlockedPeer(ctx, caller, channel);
  const mentioned = await mentionedIn(ctx, channel, caller, content);
  const row = await transact(ctx, async (ctx) => {
    await holdChannel(ctx, channel.id);
    const before = await findMessage(ctx.db, messageId);
    if (before === undefined) throw fail("message_not_found");
    if (!isOwn(before, caller)) throw fail("forbidden");
    if (before.deleted_at !== null) throw fail("message_deleted");
    const mentions = mentioned.mentions.length === 0 ? null : JSON.stringify(mentioned.mentions);
    const change = { content, mentions, edited_at: ctx.clock.now() };
    await updateMessage(ctx.db, messageId, change);
    const row = { ...before, ...change };
    await indexMessages(ctx, [row]);
    const added = newlyMentioned(before, mentioned);
    await insertMentions(
      ctx.db,
      added.agents.map(({ agentId, agentName }) => ({
        agent_id: agentId,
        agent_name: agentName,
        channel_id: row.channel_id,
        message_id: row.id,
        created_at: change.edited_at,
      })),
    );
    // As for a new message, the mentions are published before the channel's event.
    ctx.afterCommit(() => announceMentions(ctx.root, added, channel.id, recordJson(row, channel.slug)));
    await appendEvent(ctx, row.channel_id, "message:update", { message: { row, channelSlug: channel.slug } });
    return row;
  });
  return { id: row.id, json: await ownRecord(ctx, caller, row, recordJson(row, channel.slug)) };
}

/** Returns the mentions that the text did not have before the edit; only those are notified. */
function newlyMentioned(before: MessageRow, mentioned: Mentioned): Mentioned {
  if (mentioned === NOBODY || before.mentions === null) return mentioned;
  const known = new Set((JSON.parse(before.mentions) as RecordMention[]).map(({ type, name }) => `${type} ${name}`));
  return {
    mentions: mentioned.mentions.filter(({ type, name }) => !known.has(`${type} ${name}`)),
    users: mentioned.users.filter(({ username }) => !known.has(`user ${username}`)),
    agents: mentioned.agents.filter(({ agentName }) => !known.has(`agent ${agentName}`)),
  };
}

/**
 * Empties a message and leaves a tombstone; idempotent (protocol §4). Allowed for its sender, the channel's admins and
 * moderators. Errors: `message_not_found`, `forbidden`.
 */
export async function deleteMessage(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  messageId: number,
): Promise<void> {
  const { row, channel } = await readableMessage(ctx, caller, messageId);
  const byLevel = !isOwn(row, caller) && isByLevel(await roleIn(ctx, caller, channel));
  if (byLevel && !hasLevel(caller, MODERATOR)) throw fail("forbidden");
  await transact(ctx, async (ctx) => {
    await holdChannel(ctx, channel.id);
    const before = await findMessage(ctx.db, messageId);
    if (before === undefined) throw fail("message_not_found");
    if (before.deleted_at !== null) return;
    const change = {
      content: "",
      mentions: null,
      sticker_id: null,
      sticker: null,
      reactions: null,
      pinned_at: null,
      pinned_by: null,
      deleted_at: ctx.clock.now(),
    };
    await updateMessage(ctx.db, messageId, change);
    await indexMessages(ctx, [{ ...before, ...change }]);
    await deleteMentionsOf(ctx.db, messageId);
    await deleteReactionsOf(ctx.db, messageId);
    await appendEvent(ctx, before.channel_id, "message:delete", {
      data: { message_id: messageId },
      message: { row: { ...before, ...change }, channelSlug: channel.slug },
    });
    if (byLevel && caller.kind === "user") {
      await audit(ctx, caller, "message_delete", `message:${messageId}`, {
        channel_id: channel.id,
        sender: `${row.sender_type}:${row.user_id ?? row.agent_id}`,
      });
    }
  });
}
