import type { FileRecord } from "@parley/protocol/files";
import { type AuditActor, audit } from "../audit/audit.ts";
import {
  assertOutsiderMayEnter,
  checkMayPost,
  isByLevel,
  membershipOf,
  readableChannel,
  roleIn,
} from "../channels/access/access.ts";
import { assertMayTalk } from "../channels/access/may-talk.ts";
import type { Channel } from "../channels/channel.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import { appendEvent, lockChannel } from "../event-log/events.ts";
import { type MessageRow, recordJson } from "../event-log/message-json.ts";
import { storedCard } from "../event-log/stored-card.ts";
import { removeFilesOfMessages } from "../files/removal.ts";
import { decide } from "../http/acts/act.ts";
import type { AgentIdentity, Identity, UserIdentity } from "../http/identity.ts";
import { hasLevel, MODERATOR } from "../http/site-levels.ts";
import { checkContent } from "./append/post-message.ts";
import { cancelWithMessage, isAsking } from "./cards/changes.ts";
import { chargeEdit, pursesOf } from "./edit-budget.ts";
import { deleteItemsOf, insertItems } from "./inbox/inbox-rows.ts";
import { keptPreviews } from "./link-previews.ts";
import { newlyMentioned, withdrawMentions, withoutNewCall } from "./mentions/edited-mentions.ts";
import { itemsOf, mentionedIn, publishMentions } from "./mentions/resolve-mentions.ts";
import { messageChanged, tellNaming } from "./message-hooks.ts";
import { findMessage, updateMessage } from "./messages.store.ts";
import { ownRecord } from "./own-fields.ts";
import { followByOthers } from "./threads/follows.store.ts";
import { withoutReply } from "./threads/summaries.ts";
import { mentionedFollowers } from "./threads/threads-of-batch.ts";

/**
 * Returns a message the caller may read, with its channel. Errors: `session_required`; `message_not_found` if hidden or
 * absent.
 */
export async function readableMessage(
  ctx: AppContext,
  caller: Identity,
  messageId: number,
): Promise<{ row: MessageRow; channel: Channel }> {
  if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
  const row = await findMessage(ctx.db, messageId);
  if (row === undefined) throw fail("message_not_found");
  return { row, channel: await readableChannel(ctx, caller, { id: row.channel_id }, "message_not_found") };
}

export const isOwn = (row: MessageRow, caller: UserIdentity | AgentIdentity): boolean =>
  caller.kind === "user" ? row.user_id === caller.userId : row.agent_id === caller.agentId;

/** Checks that the caller may still write where the message is. Errors: `banned`, those of `checkMayPost`. */
export const assertMayEdit = (ctx: AppContext, caller: UserIdentity | AgentIdentity, channel: Channel): Promise<void> =>
  decide(ctx, caller, (ctx, caller) => checkMayEdit(ctx, caller, channel), channel.id);

/** Checks that the caller may write in a channel, as it is now. Errors: those of `assertMayEdit`. */
export async function checkMayEdit(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  channel: Channel,
): Promise<void> {
  const place = await membershipOf(ctx, caller, channel);
  if (place === null) await assertOutsiderMayEnter(ctx, caller, channel.id);
  checkMayPost(ctx, caller, channel, place);
  if (channel.direct !== null) await assertMayTalk(ctx, caller, channel);
}

/** Locks the channel in the caller's transaction, and returns the caller's own message as it is then. */
async function lockOwn(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  channel: Channel,
  messageId: number,
): Promise<MessageRow> {
  await lockChannel(ctx, channel.id);
  const before = await findMessage(ctx.db, messageId);
  if (before === undefined) throw fail("message_not_found");
  if (!isOwn(before, caller)) throw fail("forbidden");
  if (before.deleted_at !== null) throw fail("message_deleted");
  return before;
}

/**
 * Changes what the caller's own message shows besides its text, as an edit does. `change` returns the columns and runs in
 * the transaction. Errors: `message_not_found`, `forbidden`, `banned`, those of `checkMayPost`, `message_deleted`,
 * `message_has_interaction`.
 */
export async function editParts(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  messageId: number,
  change: (ctx: AppContext, before: MessageRow) => Promise<Partial<MessageRow>>,
): Promise<{ row: MessageRow; channel: Channel }> {
  const { channel } = await readableMessage(ctx, caller, messageId);
  await assertMayEdit(ctx, caller, channel);
  const row = await transact(ctx, async (ctx) => {
    const before = await lockOwn(ctx, caller, channel, messageId);
    if (isAsking(before)) throw fail("message_has_interaction");
    const edit = await change(ctx, before);
    await updateMessage(ctx.db, messageId, edit);
    const row = { ...before, ...edit };
    await messageChanged(ctx, row);
    await appendEvent(ctx, row.channel_id, "message:update", { message: { row, channelSlug: channel.slug } });
    return row;
  });
  return { row, channel };
}

/** Changes what the caller's own message says of its files. `change` gets their records. Errors: those of `editParts`. */
export async function editFiles(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  messageId: number,
  change: (ctx: AppContext, files: FileRecord[]) => Promise<FileRecord[]>,
): Promise<void> {
  await editParts(ctx, caller, messageId, async (ctx, { files }) => {
    const records = files === null ? [] : (JSON.parse(files) as FileRecord[]);
    return { files: JSON.stringify(await change(ctx, records)), edited_at: ctx.clock.now() };
  });
}

/** True for a forwarded message: an edit could put words into the mouth of others. */
export const isForwarded = (row: MessageRow): boolean => storedCard(row)?.forwarded !== undefined;

/** The parts of a message that an edit may change, besides the text. */
export interface EditOptions {
  /** The most code points of the text; `CONTENT_MAX` if absent. */
  contentMax?: number | undefined;
  /** Returns what changes below the text, in the transaction. */
  remark?: ((ctx: AppContext, before: MessageRow) => Promise<Pick<MessageRow, "card">>) | undefined;
}

/**
 * Replaces the text of the caller's own message. Errors: `message_not_found`, `forbidden`, `banned`, those of
 * `checkMayPost`, `message_deleted`, `message_has_interaction`, `forward_not_editable`, `content_required`,
 * `message_too_long`, `budget_exhausted`.
 */
export async function editMessage(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  messageId: number,
  content: string,
  { contentMax, remark }: EditOptions = {},
): Promise<{ id: number; json: string }> {
  const { row: found, channel } = await readableMessage(ctx, caller, messageId);
  checkContent(content, found.sticker !== null || found.files !== null, contentMax);
  await assertMayEdit(ctx, caller, channel);
  const mentioned = await mentionedIn(ctx, channel, caller, content);
  const row = await transact(ctx, async (ctx) => {
    // Before the channel, as for a new message.
    const purses = await pursesOf(ctx, caller);
    const before = await lockOwn(ctx, caller, channel, messageId);
    if (isAsking(before)) throw fail("message_has_interaction");
    if (isForwarded(before)) throw fail("forward_not_editable");
    // The same edit again is no second one.
    if (content !== before.content)
      await chargeEdit(ctx, purses, { agentId: before.agent_id ?? 0, channelId: channel.id, content });
    const found = withoutNewCall(before, mentioned.mentions);
    const mentions = found.length === 0 ? null : JSON.stringify(found);
    const at = ctx.clock.now();
    const change = {
      content,
      mentions,
      edited_at: at,
      ...keptPreviews(before, content),
      ...(await remark?.(ctx, before)),
    };
    await updateMessage(ctx.db, messageId, change);
    const row = { ...before, ...change };
    await messageChanged(ctx, row);
    await withdrawMentions(ctx, before, found);
    const added = newlyMentioned(before, mentioned);
    let itemIds: number[] = [];
    const message = { channelId: channel.id, channelSlug: channel.slug, at };
    // As for a new message, the mentions are published before the channel's event.
    ctx.afterCommit(() =>
      publishMentions(ctx.root, added, itemIds, { ...message, json: recordJson(row, channel.slug) }),
    );
    const event = { message: { row, channelSlug: channel.slug } };
    const seq = await appendEvent(ctx, row.channel_id, "message:update", event);
    ctx.afterCommit(() => tellNaming(ctx.root, { ...row, seq }));
    await followByOthers(ctx.db, mentionedFollowers(row, added));
    itemIds = await insertItems(ctx.db, itemsOf(row, added, at));
    return row;
  });
  return { id: row.id, json: await ownRecord(ctx, caller, row, recordJson(row, channel.slug)) };
}

/** Returns true if the caller may delete the message only by their site level. Errors: `forbidden`. */
async function checkMayDelete(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  row: MessageRow,
  channel: Channel,
): Promise<boolean> {
  const byLevel = !isOwn(row, caller) && isByLevel(await roleIn(ctx, caller, channel));
  if (byLevel && !hasLevel(caller, MODERATOR)) throw fail("forbidden");
  return byLevel;
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
  const byLevel = await decide(ctx, caller, (ctx, caller) => checkMayDelete(ctx, caller, row, channel), channel.id);
  await transact(ctx, async (ctx) => {
    await lockChannel(ctx, channel.id);
    const before = await findMessage(ctx.db, messageId);
    if (before === undefined) throw fail("message_not_found");
    if (before.deleted_at !== null) return;
    if (isAsking(before)) await cancelWithMessage(ctx, before, { by: actor(caller), channelSlug: channel.slug });
    const change = {
      content: "",
      mentions: null,
      sticker_id: null,
      sticker: null,
      files: null,
      card: null,
      previews: null,
      reactions: null,
      pinned_at: null,
      pinned_by: null,
      pinned_agent_id: null,
      deleted_at: ctx.clock.now(),
    };
    await updateMessage(ctx.db, messageId, change);
    await messageChanged(ctx, { ...before, ...change });
    await deleteItemsOf(ctx.db, [messageId]);
    const root = before.thread_root_id === null ? undefined : await withoutReply(ctx.db, before.thread_root_id, before);
    if (before.files !== null) await removeFilesOfMessages(ctx, [messageId]);
    await appendEvent(ctx, before.channel_id, "message:delete", {
      data: { message_id: messageId },
      message: { row: { ...before, ...change }, channelSlug: channel.slug },
      ...(root === undefined ? {} : { root }),
    });
    if (byLevel && caller.kind === "user") {
      await audit(ctx, caller, "message_delete", `message:${messageId}`, {
        channel_id: channel.id,
        sender: `${row.sender_type}:${row.user_id ?? row.agent_id}`,
      });
    }
  });
}

/** Returns the caller for the audit log. */
const actor = (caller: UserIdentity | AgentIdentity): AuditActor =>
  caller.kind === "user" ? caller : { username: `agent:${caller.agentId}` };
