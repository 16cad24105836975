import { UNREAD_COUNT_MAX, UNREAD_LOOK_BACK } from "@parley/protocol/limits";
import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/db.ts";
import type { ChannelRole } from "../channel.ts";

/**
 * Counts what the member row `mine` has not read of the row `channels`: messages that are not deleted and not the
 * user's own. A reply that only its thread shows counts for followers of the thread who have not read it there. Scans
 * the `seq` index newest first; the count limit ends the scan, and a look-back limit ends it when
 * most messages are the user's own.
 */
export const unreadCount = (userId: number): RawBuilder<number | string> => sql`(
  select count(*) from (
    select 1 from (
      select messages.seq, messages.user_id, messages.deleted_at, messages.thread_root_id, messages.also_in_channel
      from messages
      where messages.channel_id = channels.id and messages.seq > mine.last_read_seq
      order by messages.seq desc limit ${sql.lit(UNREAD_LOOK_BACK)}
    ) as newest
    where newest.deleted_at is null and (newest.user_id is null or newest.user_id <> ${userId})
      and (newest.thread_root_id is null or newest.also_in_channel = 1 or exists (
        select 1 from thread_follows as follow
        where follow.user_id = ${userId} and follow.root_id = newest.thread_root_id and follow.is_following = 1
          and follow.last_read_seq < newest.seq
      ))
    limit ${sql.lit(UNREAD_COUNT_MAX)}
  ) as unread
)`;

/** A user's membership in a channel with their read position. */
export interface ReadingPlace {
  role: ChannelRole;
  /** The channel's newest seq. */
  lastSeq: number;
  lastReadSeq: number;
  unreadCount: number;
}

/** Returns null if the user is not in the channel. */
export async function findReadingPlace(db: Db, channelId: number, userId: number): Promise<ReadingPlace | null> {
  const row = await db
    .selectFrom("channel_members as mine")
    .innerJoin("channels", "channels.id", "mine.channel_id")
    .select(["mine.role", "mine.last_read_seq", "channels.last_seq", unreadCount(userId).as("unread")])
    .where("mine.channel_id", "=", channelId)
    .where("mine.user_id", "=", userId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    role: row.role,
    lastSeq: row.last_seq,
    lastReadSeq: row.last_read_seq,
    unreadCount: Number(row.unread),
  };
}

/**
 * Moves the mark forward to `seq`, at most to the channel's newest seq; false if it is already there or further, or
 * does not exist.
 */
export async function advanceReadMark(db: Db, channelId: number, userId: number, seq: number): Promise<boolean> {
  const target = sql<number>`(
    select case when channels.last_seq < ${seq} then channels.last_seq else ${seq} end
    from channels where channels.id = ${channelId}
  )`;
  const result = await db
    .updateTable("channel_members")
    .set({ last_read_seq: target })
    .where("channel_id", "=", channelId)
    .where("user_id", "=", userId)
    .where("last_read_seq", "<", target)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
