import { HIDDEN_AT } from "../base/hidden-at.ts";
import type { Db } from "../db/db.ts";
import type { MessageRow } from "../event-log/message-json.ts";

/** Returns the messages sent under these client keys. */
export function findByClientKeys(db: Db, keys: readonly string[]): Promise<MessageRow[]> {
  return db.selectFrom("messages").selectAll().where("client_key", "in", keys).execute();
}

export function findMessage(db: Db, id: number): Promise<MessageRow | undefined> {
  return db.selectFrom("messages").selectAll().where("id", "=", id).executeTakeFirst();
}

/**
 * Skips `offset` messages from the newest and returns the next, newest first. For small offsets only; cursors page in
 * constant time.
 */
export function messagesAtOffset(db: Db, channelId: number, offset: number, limit: number): Promise<MessageRow[]> {
  return db
    .selectFrom("messages")
    .selectAll()
    .where("channel_id", "=", channelId)
    .orderBy("seq", "desc")
    .offset(offset)
    .limit(limit)
    .execute();
}

export function pinnedMessages(db: Db, channelId: number): Promise<MessageRow[]> {
  return db
    .selectFrom("messages")
    .selectAll()
    .where("channel_id", "=", channelId)
    .where("pinned_at", "is not", null)
    .orderBy("pinned_at", "desc")
    .orderBy("id", "desc")
    .execute();
}

export async function countPins(db: Db, channelId: number): Promise<number> {
  const row = await db
    .selectFrom("messages")
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .where("channel_id", "=", channelId)
    .where("pinned_at", "is not", null)
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

export async function updateMessage(db: Db, id: number, change: Partial<MessageRow>): Promise<void> {
  await db.updateTable("messages").set(change).where("id", "=", id).execute();
}

/** Gives up the previews that those of the messages still owe. */
export async function forgivePreviews(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db.updateTable("messages").set({ previews: null }).where("id", "in", ids).where("previews", "=", "").execute();
}

/** Returns messages after `seq` that were not sent by this agent, for an agent with a stale context. */
export function othersAfter(
  db: Db,
  channelId: number,
  seq: number,
  agentId: number,
  limit: number,
): Promise<MessageRow[]> {
  return db
    .selectFrom("messages")
    .selectAll()
    .where("channel_id", "=", channelId)
    .where("seq", ">", seq)
    .where((eb) => eb.or([eb("agent_id", "is", null), eb("agent_id", "!=", agentId)]))
    .where((eb) => eb.or([eb("sender_type", "!=", "system"), eb("webhook_id", "is not", null)]))
    .orderBy("seq", "asc")
    .limit(limit)
    .execute();
}

/** Returns the user's messages above `after` up to `upTo`, with their channels' slugs. Those of a closed import are left out. */
export function messagesOf(
  db: Db,
  userId: number,
  after: number,
  upTo: number,
): Promise<(MessageRow & { slug: string })[]> {
  return db
    .selectFrom("messages")
    .innerJoin("channels", "channels.id", "messages.channel_id")
    .selectAll("messages")
    .select("channels.slug")
    .where("messages.id", ">", after)
    .where("messages.id", "<=", upTo)
    .where("messages.user_id", "=", userId)
    .where((eb) => eb.or([eb("channels.deleted_at", "is", null), eb("channels.deleted_at", "<>", HIDDEN_AT)]))
    .orderBy("messages.id")
    .execute();
}
