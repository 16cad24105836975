import type { Db } from "../../db/db.ts";
import { countOf } from "../../event-log/event-spans.ts";

/** Returns the time at which a channel's durable event was committed. */
export async function timeOfEvent(db: Db, channelId: number, seq: number): Promise<number | undefined> {
  const message = await db
    .selectFrom("messages")
    .select("created_at")
    .where("channel_id", "=", channelId)
    .where("seq", "=", seq)
    .executeTakeFirst();
  if (message !== undefined) return message.created_at;
  // A row can also represent the events before it.
  const row = await db
    .selectFrom("channel_events")
    .select(["seq", "event", "data", "created_at"])
    .where("channel_id", "=", channelId)
    .where("seq", ">=", seq)
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined && row.seq - countOf(row) < seq ? row.created_at : undefined;
}

/** Returns the channel's newest messages by time and sequence number, newest first. */
export function newestTimes(db: Db, channelId: number, limit: number): Promise<{ seq: number; created_at: number }[]> {
  return db
    .selectFrom("messages")
    .select(["seq", "created_at"])
    .where("channel_id", "=", channelId)
    .orderBy("seq", "desc")
    .limit(limit)
    .execute();
}
