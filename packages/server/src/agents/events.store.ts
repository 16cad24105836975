import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

type Db = Kysely<Tables>;

/** When a channel's durable event was committed. */
export async function timeOfEvent(db: Db, channelId: number, seq: number): Promise<number | undefined> {
  for (const table of ["messages", "channel_events"] as const) {
    const row = await db
      .selectFrom(table)
      .select("created_at")
      .where("channel_id", "=", channelId)
      .where("seq", "=", seq)
      .executeTakeFirst();
    if (row !== undefined) return row.created_at;
  }
  return undefined;
}

/** The channel's newest messages by time and number, newest first. */
export function newestTimes(db: Db, channelId: number, limit: number): Promise<{ seq: number; created_at: number }[]> {
  return db
    .selectFrom("messages")
    .select(["seq", "created_at"])
    .where("channel_id", "=", channelId)
    .orderBy("seq", "desc")
    .limit(limit)
    .execute();
}
