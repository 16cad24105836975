import { isRetryable } from "@parley/protocol/errors";
import type { ChatMessage } from "@parley/protocol/models";
import type {
  SavedIdsResponse,
  SavedListResponse,
  SavedMessage,
  SavedQuery,
  SavedResponse,
} from "@parley/protocol/saved";
import { SAVED_MAX } from "@parley/protocol/saved";
import { lockAccount } from "../accounts/erase/erase.ts";
import { isoTime } from "../base/iso-time.ts";
import { readableChannel } from "../channels/access/access.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { AppError, fail } from "../errors.ts";
import { findMessages } from "../event-log/rows.ts";
import type { UserIdentity } from "../http/identity.ts";
import { pageBefore } from "../http/pages.ts";
import { readableMessage } from "../messages/messages.service.ts";
import { actorOf, markedRecords } from "../messages/own-fields.ts";
import { publishEvent } from "../realtime/publish.ts";
import { userTopic } from "../realtime/topics.ts";
import * as store from "./saved.store.ts";

type State = Omit<SavedResponse, "success">;

/**
 * Saves a message for the caller (protocol §13.14); one that is saved keeps its place. Errors: those of
 * `readableMessage`, `message_deleted`, `saved_limit_reached`.
 */
export async function save(ctx: AppContext, caller: UserIdentity, messageId: number): Promise<State> {
  const { row } = await readableMessage(ctx, caller, messageId);
  if (row.deleted_at !== null) throw fail("message_deleted");
  return transact(ctx, async (ctx) => {
    // Serializes what one user saves.
    if (!(await lockAccount(ctx, caller.userId))) throw fail("session_required");
    const saved = await store.findSaved(ctx.db, caller.userId, messageId);
    if (saved !== undefined) return { message_id: messageId, saved_at: isoTime(saved.created_at) };
    if ((await store.countSaved(ctx.db, caller.userId)) >= SAVED_MAX) throw fail("saved_limit_reached");
    const created_at = ctx.clock.now();
    await store.insertSaved(ctx.db, { user_id: caller.userId, message_id: messageId, created_at });
    return tell(ctx, caller, { message_id: messageId, saved_at: isoTime(created_at) });
  });
}

/** Removes a message from those that the caller has saved, whether or not they may read it. */
export function unsave(ctx: AppContext, caller: UserIdentity, messageId: number): Promise<State> {
  return transact(ctx, async (ctx) => {
    const state = { message_id: messageId, saved_at: null };
    const isRemoved = await store.deleteSaved(ctx.db, caller.userId, messageId);
    return isRemoved ? tell(ctx, caller, state) : state;
  });
}

/** Tells the caller's devices of a change. It names the message and says nothing of it. */
function tell(ctx: AppContext, caller: UserIdentity, state: State): State {
  publishEvent(ctx, userTopic(caller.userId), "saved:update", state);
  return state;
}

/** Returns the ids of all messages that the caller has saved, the newest first. */
export const listIds = async (ctx: AppContext, caller: UserIdentity): Promise<Omit<SavedIdsResponse, "success">> => ({
  message_ids: await store.savedIds(ctx.db, caller.userId, SAVED_MAX),
});

/** Lists what the caller has saved, the newest first, with those messages that they may read now. */
export async function list(
  ctx: AppContext,
  caller: UserIdentity,
  { limit, before }: SavedQuery,
): Promise<Omit<SavedListResponse, "success">> {
  const { shown, ...page } = await pageBefore(limit, (limit) =>
    store.savedBefore(ctx.db, caller.userId, before, limit),
  );
  const records = await readableRecords(
    ctx,
    caller,
    shown.map(({ message_id }) => message_id),
  );
  const saved = shown.map(({ id, message_id, created_at }): SavedMessage => {
    const chat_message = records.get(message_id) ?? null;
    return {
      saved_id: id,
      message_id,
      saved_at: isoTime(created_at),
      is_available: chat_message !== null,
      chat_message,
    };
  });
  return { saved, ...page };
}

/** Returns the records of those messages that the caller may read now, by their ids. */
async function readableRecords(
  ctx: AppContext,
  caller: UserIdentity,
  ids: readonly number[],
): Promise<Map<number, ChatMessage>> {
  const now = ctx.clock.now();
  const found = (await findMessages(ctx.db, ids)).filter(
    ({ deleted_at, expires_at }) => deleted_at === null && (expires_at === null || expires_at > now),
  );
  const slugs = new Map<number, string | null>();
  for (const { channel_id } of found)
    if (!slugs.has(channel_id)) slugs.set(channel_id, await readableSlug(ctx, caller, channel_id));
  const readable = found.flatMap((row) => {
    const slug = slugs.get(row.channel_id) ?? null;
    return slug === null ? [] : [{ ...row, slug }];
  });
  const records = await markedRecords(ctx, actorOf(caller), readable);
  return new Map(readable.map(({ id }, at) => [id, JSON.parse(records[at] ?? "") as ChatMessage]));
}

/** Returns the slug of a channel that the caller may read now; null: they may not. */
async function readableSlug(ctx: AppContext, caller: UserIdentity, id: number): Promise<string | null> {
  try {
    return (await readableChannel(ctx, caller, { id })).slug;
  } catch (error) {
    if (error instanceof AppError && !isRetryable(error.code)) return null;
    throw error;
  }
}
