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
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import type { UserIdentity } from "../http/identity.ts";
import { pageBefore } from "../http/pages.ts";
import { readableMessage } from "../messages/messages.service.ts";
import { readableRecords } from "../messages/readable-records.ts";
import { publishEvent } from "../realtime/publish.ts";
import { userTopic } from "../realtime/topics.ts";
import * as store from "./saved.store.ts";

type State = Omit<SavedResponse, "success">;

/**
 * Saves a message for the caller (protocol §13.14); one that is saved keeps its place. Errors: those of
 * `readableMessage`, `message_deleted`, `saved_limit_reached`.
 */
export async function save(ctx: AppContext, caller: UserIdentity, messageId: number): Promise<State> {
  await readableMessage(ctx, caller, messageId);
  return transact(ctx, async (ctx) => {
    // Serializes what one user saves.
    if (!(await lockAccount(ctx, caller.userId))) throw fail("session_required");
    const saved = await store.findSaved(ctx.db, caller.userId, messageId);
    if (saved !== undefined) return { message_id: messageId, saved_at: isoTime(saved.created_at) };
    const created_at = ctx.clock.now();
    // Held, so that its removal follows and takes the new row with it.
    const message = await store.holdMessage(ctx.db, messageId);
    if (message === undefined) throw fail("message_not_found");
    if (message.deleted_at !== null || (message.expires_at ?? Infinity) <= created_at) throw fail("message_deleted");
    if ((await store.countSaved(ctx.db, caller.userId)) >= SAVED_MAX) throw fail("saved_limit_reached");
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
  const ids = shown.map(({ message_id }) => message_id);
  const records = await readableRecords(ctx, caller, ids, { byLevel: true });
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
