import { UNREAD_COUNT_MAX, UNREAD_LOOK_BACK } from "@parley/protocol/limits";
import { type RawBuilder, type Selectable, sql } from "kysely";
import { readUpTo, unreadAfterReading } from "../../channels/reading/read-mark.ts";
import type { Db } from "../../db/db.ts";
import { holdRows } from "../../db/dialect.ts";
import { SizedStatement } from "../../db/statements/sized-statement.ts";
import type { ThreadFollowsTable } from "../../db/tables/messages.ts";

/** What a user has to do with a thread. */
export interface Follow {
  rootId: number;
  isFollowing: boolean;
  lastReadSeq: number;
  /** null: the user has marked nothing as unread. */
  unreadFromSeq: number | null;
  /** At most `UNREAD_COUNT_MAX`. */
  unreadCount: number;
}

/**
 * Counts the replies after the mark of the row `mine`, of others and not deleted. It looks back as far as the unread count
 * of a channel.
 */
const unreadReplies = (userId: number): RawBuilder<number | string> => sql`(
  select count(*) from (
    select 1 from (
      select messages.user_id, messages.deleted_at from messages
      where messages.thread_root_id = mine.root_id and messages.seq > ${readUpTo("mine")}
      order by messages.seq desc limit ${sql.lit(UNREAD_LOOK_BACK)}
    ) as newest
    where newest.deleted_at is null and (newest.user_id is null or newest.user_id <> ${userId})
    limit ${sql.lit(UNREAD_COUNT_MAX)}
  ) as unread
)`;

/** Returns the user's rows of these threads; a thread without a row is missing. */
export async function followsOf(db: Db, userId: number, rootIds: readonly number[]): Promise<Follow[]> {
  const rows = await db
    .selectFrom("thread_follows as mine")
    .select(["mine.root_id", "mine.is_following", "mine.last_read_seq", "mine.unread_from_seq"])
    .select(unreadReplies(userId).as("unread"))
    .where("mine.user_id", "=", userId)
    .where("mine.root_id", "in", rootIds)
    .execute();
  return rows.map(followOf);
}

const followOf = (
  row: Pick<Selectable<ThreadFollowsTable>, "root_id" | "is_following" | "last_read_seq" | "unread_from_seq"> & {
    unread: number | string;
  },
): Follow => ({
  rootId: row.root_id,
  isFollowing: row.is_following === 1,
  lastReadSeq: row.last_read_seq,
  unreadFromSeq: row.unread_from_seq,
  unreadCount: Number(row.unread),
});

/** A row without the mark of unread, which only its user sets. */
type NewFollow = Omit<ThreadFollowsTable, "unread_from_seq">;

const A_FOLLOW: NewFollow = { user_id: 0, root_id: 0, channel_id: 0, is_following: 1, last_read_seq: 0 };

/** For users whom others bring into a thread: one who has left it stays away. */
const INVITE = new SizedStatement<NewFollow>(A_FOLLOW, (db, rows) =>
  db
    .insertInto("thread_follows")
    .values(rows)
    .onConflict((conflict) => conflict.columns(["user_id", "root_id"]).doNothing())
    .compile(),
);

/** For users who reply, also to a thread they have left. */
const ENTER = new SizedStatement<NewFollow>(A_FOLLOW, (db, rows) =>
  db
    .insertInto("thread_follows")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(["user_id", "root_id"]).doUpdateSet({
        // Literals: only the values of rows are parameters.
        is_following: sql.lit(1),
        last_read_seq: sql<number>`case
          when thread_follows.is_following = 1 then thread_follows.last_read_seq else excluded.last_read_seq end`,
      }),
    )
    .compile(),
);

/** A user who begins to follow a thread. Later replies than `seq` are unread. */
export interface Follower {
  userId: number;
  rootId: number;
  channelId: number;
  seq: number;
}

const rowOf = ({ userId, rootId, channelId, seq }: Follower): NewFollow => ({
  user_id: userId,
  root_id: rootId,
  channel_id: channelId,
  is_following: 1,
  last_read_seq: seq,
});

/** Keeps one row of each user and thread, sorted: two batches that store the same rows must not deadlock. */
function distinct(followers: readonly Follower[]): NewFollow[] {
  const rows = new Map<string, NewFollow>();
  for (const follower of followers) {
    const key = `${follower.rootId} ${follower.userId}`;
    if (!rows.has(key)) rows.set(key, rowOf(follower));
  }
  return [...rows.values()].sort((a, b) => a.root_id - b.root_id || a.user_id - b.user_id);
}

/** Lets those follow who replied. Their mark stays if they follow already. */
export async function followAsReplier(db: Db, followers: readonly Follower[]): Promise<void> {
  await ENTER.run(db, distinct(followers));
}

/** Lets those follow who were mentioned, or whose message was answered, unless they have left the thread. */
export async function followByOthers(db: Db, followers: readonly Follower[]): Promise<void> {
  await INVITE.run(db, distinct(followers));
}

/** Follows or leaves a thread. Returns false if nothing changed. */
export async function setFollowing(db: Db, follower: Follower, isFollowing: boolean): Promise<boolean> {
  const is_following = isFollowing ? 1 : 0;
  const row = { ...rowOf(follower), is_following };
  const changed = await db
    .insertInto("thread_follows")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(["user_id", "root_id"])
        .doUpdateSet({ is_following, last_read_seq: follower.seq, unread_from_seq: null })
        .where("thread_follows.is_following", "<>", is_following),
    )
    .returning("root_id")
    .executeTakeFirst();
  return changed !== undefined;
}

/**
 * Moves the mark of a follower forward to `seq`, and takes back what was marked as unread up to there; false if nothing
 * changes, or the user does not follow.
 */
export async function advanceThreadMark(db: Db, userId: number, rootId: number, seq: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("thread_follows")
    .set({
      last_read_seq: sql<number>`case when last_read_seq < ${seq} then ${seq} else last_read_seq end`,
      unread_from_seq: unreadAfterReading(seq),
    })
    .where("user_id", "=", userId)
    .where("root_id", "=", rootId)
    .where("is_following", "=", 1)
    .where((eb) => eb.or([eb("last_read_seq", "<", seq), eb("unread_from_seq", "<=", seq)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Marks a thread as unread from `seq` on; false if it is already, or the user does not follow it. */
export async function setThreadUnreadFrom(db: Db, userId: number, rootId: number, seq: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("thread_follows")
    .set({ unread_from_seq: seq })
    .where("user_id", "=", userId)
    .where("root_id", "=", rootId)
    .where("is_following", "=", 1)
    .where((eb) => eb.or([eb("unread_from_seq", "is", null), eb("unread_from_seq", "<>", seq)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Returns the threads after a root, in order, that the user follows and has not read to their ends, with the seq of their
 * newest replies. The user's rows are held until the transaction ends.
 */
export async function holdUnreadThreads(
  db: Db,
  userId: number,
  page: { afterRoot: number; limit: number },
): Promise<{ rootId: number; lastSeq: number }[]> {
  const newest = sql<number>`coalesce((
    select max(messages.seq) from messages where messages.thread_root_id = thread_follows.root_id
  ), 0)`;
  const query = db
    .selectFrom("thread_follows")
    .select(["root_id", "last_read_seq", newest.as("newest")])
    .where("user_id", "=", userId)
    .where("root_id", ">", page.afterRoot)
    .where("is_following", "=", 1)
    .where((eb) => eb.or([eb("unread_from_seq", "is not", null), eb("last_read_seq", "<", newest)]))
    .orderBy("root_id")
    .limit(page.limit);
  const rows = await holdRows(db, query).execute();
  return rows.map((row) => ({ rootId: row.root_id, lastSeq: Math.max(row.last_read_seq, Number(row.newest)) }));
}

/** Returns the ids of the users who follow a thread. */
export async function followersOf(db: Db, rootId: number): Promise<number[]> {
  const rows = await db
    .selectFrom("thread_follows")
    .select("user_id")
    .where("root_id", "=", rootId)
    .where("is_following", "=", 1)
    .orderBy("user_id")
    .execute();
  return rows.map(({ user_id }) => user_id);
}

/** A followed thread in the list, with the id of its newest reply. */
export interface ListedFollow {
  rootId: number;
  channelId: number;
  lastReplyId: number | null;
  /** What the list is ordered by. */
  place: number;
}

/** Returns the threads that a user follows, that with the newest reply first. */
export async function listFollows(
  db: Db,
  userId: number,
  filter: { unread: boolean; channelId: number | undefined; before: number | undefined; limit: number },
): Promise<ListedFollow[]> {
  const listed = db
    .selectFrom("thread_follows as mine")
    .select(["mine.root_id", "mine.channel_id", "mine.is_following", "mine.last_read_seq", "mine.unread_from_seq"])
    .select((filter.unread ? unreadReplies(userId) : sql<number>`0`).as("unread"))
    .select((eb) =>
      eb
        .selectFrom("messages as reply")
        .select("reply.id")
        .whereRef("reply.thread_root_id", "=", "mine.root_id")
        .where("reply.deleted_at", "is", null)
        .orderBy("reply.seq", "desc")
        .limit(1)
        .as("last_reply_id"),
    )
    .where("mine.user_id", "=", userId)
    .where("mine.is_following", "=", 1)
    .$if(filter.channelId !== undefined, (query) => query.where("mine.channel_id", "=", filter.channelId ?? 0));
  const place = sql<number>`coalesce(last_reply_id, root_id)`;
  const rows = await db
    .selectFrom(listed.as("listed"))
    .selectAll()
    .select(place.as("place"))
    .$if(filter.unread, (query) => query.where("unread", ">", 0))
    .$if(filter.before !== undefined, (query) => query.where(place, "<", filter.before ?? 0))
    .orderBy("place", "desc")
    .limit(filter.limit)
    .execute();
  return rows.map((row) => ({
    rootId: row.root_id,
    channelId: row.channel_id,
    lastReplyId: row.last_reply_id,
    place: Number(row.place),
  }));
}

/** Removes everything about who follows these threads. */
export async function forgetFollowers(db: Db, rootIds: readonly number[]): Promise<void> {
  await db.deleteFrom("thread_follows").where("root_id", "in", rootIds).execute();
}

/** Removes up to `limit` of a user's rows and returns how many. */
export async function forgetFollows(db: Db, userId: number, limit: number): Promise<number> {
  const some = db.selectFrom("thread_follows").select("root_id").where("user_id", "=", userId).limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom("thread_follows")
    .where("user_id", "=", userId)
    .where("root_id", "in", some)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
