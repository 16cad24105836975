import type { Db } from "../db/db.ts";

// What the log does with events whose messages were removed for good (protocol §13.8).

/** Events that concern one message and mean nothing without it. */
const OF_A_MESSAGE = [
  "message:update",
  "message:preview",
  "message:pin",
  "message:unpin",
  "reaction:update",
  "interaction:update",
];

/** True for an event that means nothing once its message is gone. */
export const isOfMessage = (event: string): boolean => OF_A_MESSAGE.includes(event);

/** Deletes up to `limit` of the channel's events up to `seq` that are older than `before`; returns how many. */
export async function deleteEventsBefore(
  db: Db,
  channelId: number,
  { upTo, before, limit }: { upTo: number; before: number; limit: number },
): Promise<number> {
  const rows = await db
    .selectFrom("channel_events")
    .select(["seq", "created_at"])
    .where("channel_id", "=", channelId)
    .where("seq", "<=", upTo)
    .orderBy("seq")
    .limit(limit)
    .execute();
  const last = rows.findLast(({ created_at }) => created_at < before);
  if (last === undefined) return 0;
  await db.deleteFrom("channel_events").where("channel_id", "=", channelId).where("seq", "<=", last.seq).execute();
  return rows.filter(({ seq }) => seq <= last.seq).length;
}

/** Returns the seqs in the range, above `after`, of events of messages that are gone. */
export async function orphanedEvents(
  db: Db,
  channelId: number,
  { after, upTo }: { after: number; upTo: number },
): Promise<{ seq: number; message_id: number | null }[]> {
  return db
    .selectFrom("channel_events")
    .leftJoin("messages", "messages.id", "channel_events.message_id")
    .select(["channel_events.seq", "channel_events.message_id"])
    .where("channel_events.channel_id", "=", channelId)
    .where("channel_events.seq", ">", after)
    .where("channel_events.seq", "<=", upTo)
    .where("channel_events.event", "in", OF_A_MESSAGE)
    .where("messages.id", "is", null)
    .orderBy("channel_events.seq")
    .execute();
}

/** Replaces events by `message:delete` of their message, which keeps their numbers and nothing else. */
export async function forgetEvents(
  db: Db,
  channelId: number,
  events: readonly { seq: number; message_id: number | null }[],
): Promise<void> {
  for (const { seq, message_id } of events)
    await db
      .updateTable("channel_events")
      .set({ event: "message:delete", data: JSON.stringify({ message_id }) })
      .where("channel_id", "=", channelId)
      .where("seq", "=", seq)
      .execute();
}

/** True if the channel has an event that is older than `before`. */
export async function hasEventBefore(db: Db, channelId: number, before: number): Promise<boolean> {
  const row = await db
    .selectFrom("channel_events")
    .select("created_at")
    .where("channel_id", "=", channelId)
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined && row.created_at < before;
}
