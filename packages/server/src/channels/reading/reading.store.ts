import { UNREAD_COUNT_MAX, UNREAD_LOOK_BACK } from "@parley/protocol/limits";
import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/db.ts";
import { holdRows } from "../../db/dialect.ts";
import type { ChannelRole } from "../channel.ts";
import { readUpTo, unreadAfterReading } from "./read-mark.ts";

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
      where messages.channel_id = channels.id and messages.seq > ${readUpTo("mine")}
      order by messages.seq desc limit ${sql.lit(UNREAD_LOOK_BACK)}
    ) as newest
    where newest.deleted_at is null and (newest.user_id is null or newest.user_id <> ${userId})
      and (newest.thread_root_id is null or newest.also_in_channel = 1 or exists (
        select 1 from thread_follows as follow
        where follow.user_id = ${userId} and follow.root_id = newest.thread_root_id and follow.is_following = 1
          and ${readUpTo("follow")} < newest.seq
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
  unreadFromSeq: number | null;
  unreadCount: number;
}

/** Returns null if the user is not in the channel. */
export async function findReadingPlace(db: Db, channelId: number, userId: number): Promise<ReadingPlace | null> {
  const row = await db
    .selectFrom("channel_members as mine")
    .innerJoin("channels", "channels.id", "mine.channel_id")
    .select([
      "mine.role",
      "mine.last_read_seq",
      "mine.unread_from_seq",
      "channels.last_seq",
      unreadCount(userId).as("unread"),
    ])
    .where("mine.channel_id", "=", channelId)
    .where("mine.user_id", "=", userId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    role: row.role,
    lastSeq: row.last_seq,
    lastReadSeq: row.last_read_seq,
    unreadFromSeq: row.unread_from_seq,
    unreadCount: Number(row.unread),
  };
}

/**
 * Moves the mark forward to `seq`, at most to the channel's newest seq, and takes back what was marked as unread up to
 * there; false if nothing changes, or there is no such member.
 */
export async function advanceReadMark(db: Db, channelId: number, userId: number, seq: number): Promise<boolean> {
  const target = sql<number>`(
    select case when channels.last_seq < ${seq} then channels.last_seq else ${seq} end
    from channels where channels.id = ${channelId}
  )`;
  const result = await db
    .updateTable("channel_members")
    .set({
      last_read_seq: sql<number>`case when last_read_seq < ${target} then ${target} else last_read_seq end`,
      unread_from_seq: unreadAfterReading(seq),
    })
    .where("channel_id", "=", channelId)
    .where("user_id", "=", userId)
    .where((eb) => eb.or([eb("last_read_seq", "<", target), eb("unread_from_seq", "<=", seq)]))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Marks a channel as unread from `seq` on; false if it is already, has no such seq yet, or there is no such member. */
export async function setUnreadFrom(db: Db, channelId: number, userId: number, seq: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("channel_members")
    .set({ unread_from_seq: seq })
    .where("channel_id", "=", channelId)
    .where("user_id", "=", userId)
    .where((eb) => eb.or([eb("unread_from_seq", "is", null), eb("unread_from_seq", "<>", seq)]))
    .where((eb) =>
      eb(eb.selectFrom("channels").select("channels.last_seq").where("channels.id", "=", channelId), ">=", seq),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** A channel that a user has not read to its end. */
interface UnreadPlace {
  channel_id: number;
  last_seq: number;
}

/**
 * Returns the user's channels after an id, in order, that have something after the read mark or are marked as unread. Their
 * memberships are held until the transaction ends.
 */
export async function holdUnreadPlaces(
  db: Db,
  userId: number,
  page: { afterId: number; limit: number },
): Promise<UnreadPlace[]> {
  const query = db
    .selectFrom("channel_members")
    .select("channel_id")
    .select((eb) => [
      eb.selectFrom("channels").select("last_seq").whereRef("channels.id", "=", "channel_id").as("last_seq"),
    ])
    .where("user_id", "=", userId)
    .where("channel_id", ">", page.afterId)
    .where((eb) =>
      eb.or([
        eb("unread_from_seq", "is not", null),
        eb(
          "last_read_seq",
          "<",
          eb.selectFrom("channels").select("channels.last_seq").whereRef("channels.id", "=", "channel_id"),
        ),
      ]),
    )
    .orderBy("channel_id")
    .limit(page.limit);
  const rows = await holdRows(db, query).execute();
  return rows.map(({ channel_id, last_seq }) => ({ channel_id, last_seq: last_seq ?? 0 }));
}
