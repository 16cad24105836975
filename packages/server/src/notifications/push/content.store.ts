import type { Db } from "../../db/db.ts";

/** Returns the id of the newest unread notification of a user in a channel that was made since then. */
export async function newestUnread(
  db: Db,
  { user_id, channel_id, since }: { user_id: number; channel_id: number; since: number },
  kinds: readonly string[],
): Promise<number | undefined> {
  const row = await db
    .selectFrom("notifications")
    .select("id")
    .where("user_id", "=", user_id)
    .where("channel_id", "=", channel_id)
    .where("read_at", "is", null)
    .where("created_at", ">=", since)
    .where("kind", "in", kinds as ("mention" | "direct" | "thread_reply" | "card" | "notice")[])
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** A message as a push shows it. */
export interface PushedMessage {
  id: number;
  seq: number;
  content: string;
  mentions: string | null;
  sender_type: "user" | "agent" | "system";
  webhook_id: number | null;
  sender_name: string;
}

/** Returns a message that its channel's member has not read; undefined also if the user is no member any more. */
export function unreadMessage(db: Db, messageId: number, userId: number): Promise<PushedMessage | undefined> {
  return db
    .selectFrom("messages as m")
    .innerJoin("channel_members as mine", "mine.channel_id", "m.channel_id")
    .leftJoin("user_preferences as own", "own.user_id", "mine.user_id")
    .select(["m.id", "m.seq", "m.content", "m.mentions", "m.sender_type", "m.webhook_id", "m.sender_name"])
    .where("m.id", "=", messageId)
    .where("m.deleted_at", "is", null)
    .where("mine.user_id", "=", userId)
    .where("mine.is_muted", "=", 0)
    .where((eb) => eb(eb.fn.coalesce("mine.notify_level", "own.notify_default"), "=", "all"))
    .whereRef("mine.last_read_seq", "<", "m.seq")
    .executeTakeFirst();
}

/** What a channel is called, if it exists. */
export function channelName(db: Db, id: number): Promise<{ slug: string; name: string } | undefined> {
  return db
    .selectFrom("channels")
    .select(["slug", "name"])
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
}
