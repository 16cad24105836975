import { UNREAD_COUNT_MAX, UNREAD_LOOK_BACK } from "@parley/protocol/limits";
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../db/tables.ts";
import type { ChannelRole } from "./channel-cache.ts";

type Db = Kysely<Tables>;

/**
 * How much of `channels` the member row `mine` of this user has not read: messages of others that are not deleted. Newest first along
 * the index of `seq`, so that it ends with the count's limit, and with a look at so many messages when most are one's own.
 */
export const unreadCount = (userId: number): RawBuilder<number | string> => sql`(
  select count(*) from (
    select 1 from (
      select messages.user_id, messages.deleted_at from messages
      where messages.channel_id = channels.id and messages.seq > mine.last_read_seq
      order by messages.seq desc limit ${sql.lit(UNREAD_LOOK_BACK)}
    ) as newest
    where newest.deleted_at is null and (newest.user_id is null or newest.user_id <> ${userId})
    limit ${sql.lit(UNREAD_COUNT_MAX)}
  ) as unread
)`;

/** A user's place in a channel, with what he has read of it. */
export interface ReadingPlace {
  role: ChannelRole;
  /** The channel's newest number. */
  lastSeq: number;
  lastReadSeq: number;
  unreadCount: number;
}

/** null when the user is not in the channel. */
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

/** Moves the mark forward to `seq`, at most to the channel's newest number; false when it stands there or further, or there is none. */
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
