import { isUnclaimed } from "../../accounts/claimable/unclaimed.ts";
import type { Db } from "../../db/db.ts";
import { PaddedStatement } from "../../db/statements/padded-statement.ts";

/** A user whom a message may concern, with what decides whether it does. */
export interface RecipientRow {
  userId: number;
  /** False if the user is not in the channel. */
  isMember: boolean;
  lastReadSeq: number;
  isMuted: boolean;
  level: "all" | "mentions" | "none";
}

const RECIPIENTS = new PaddedStatement((db, userIds, of: { channelId: number }) =>
  db
    .selectFrom("users")
    .leftJoin("channel_members as mine", (join) =>
      join.onRef("mine.user_id", "=", "users.id").on("mine.channel_id", "=", of.channelId),
    )
    .leftJoin("user_preferences as own", "own.user_id", "users.id")
    .select(["users.id", "mine.user_id as member", "mine.last_read_seq", "mine.is_muted", "mine.notify_level"])
    .select("own.notify_default")
    .where("users.id", "in", userIds)
    .where("users.erased_at", "is", null)
    .where(({ not, ref }) => not(isUnclaimed(ref("users.id")))),
);

/** Returns those of the users whose accounts exist and were claimed if an import made them, with their place in the channel and its settings. */
export async function recipientsIn(db: Db, channelId: number, userIds: readonly number[]): Promise<RecipientRow[]> {
  const rows = await RECIPIENTS.all(db, userIds, { channelId });
  return rows.map((row) => ({
    userId: row.id,
    isMember: row.member !== null,
    lastReadSeq: row.last_read_seq ?? 0,
    isMuted: row.is_muted === 1,
    level: row.notify_level ?? row.notify_default ?? "mentions",
  }));
}

/** Returns the blocks of these senders by these users, as `<user id> <member key>`. */
export async function blocksOf(
  db: Db,
  userIds: readonly number[],
  senders: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("user_blocks")
    .select(["blocker_id", "blocked_key"])
    .where("blocker_id", "in", userIds)
    .where("blocked_key", "in", senders)
    .execute();
  return new Set(rows.map(({ blocker_id, blocked_key }) => `${blocker_id} ${blocked_key}`));
}

const MEMBERS = new PaddedStatement((db, userIds, of: { channelId: number }) =>
  db
    .selectFrom("channel_members")
    .select("user_id")
    .where("channel_id", "=", of.channelId)
    .where("user_id", "in", userIds),
);

/** Returns those of the users who are members of the channel. */
export async function membersAmong(db: Db, channelId: number, userIds: readonly number[]): Promise<number[]> {
  return (await MEMBERS.all(db, userIds, { channelId })).map(({ user_id }) => user_id);
}

const BANNED = new PaddedStatement((db, userIds, of: { channelId: number; now: number }) =>
  db
    .selectFrom("channel_bans")
    .select("user_id")
    .where("channel_id", "=", of.channelId)
    .where("user_id", "in", userIds)
    .where((eb) => eb.or([eb("until", "is", null), eb("until", ">", of.now)])),
);

/** Returns those of the users who are banned from the channel now. */
export async function bannedIn(
  db: Db,
  channelId: number,
  userIds: readonly number[],
  now: number,
): Promise<ReadonlySet<number>> {
  const rows = await BANNED.all(db, userIds, { channelId, now });
  return new Set(rows.flatMap(({ user_id }) => (user_id === null ? [] : [user_id])));
}

/** Returns the users with a browser that receives push messages, who want every message of the channel. */
export async function wantingAll(db: Db, channelId: number): Promise<number[]> {
  const members = db
    .selectFrom("channel_members as mine")
    .select("mine.user_id")
    .where("mine.channel_id", "=", channelId)
    .where("mine.is_muted", "=", 0)
    .where((eb) =>
      eb.exists(eb.selectFrom("push_subscriptions as s").select("s.id").whereRef("s.user_id", "=", "mine.user_id")),
    );
  const byChannel = members.where("mine.notify_level", "=", "all");
  const byDefault = members
    .innerJoin("user_preferences as own", "own.user_id", "mine.user_id")
    .where("mine.notify_level", "is", null)
    .where("own.notify_default", "=", "all");
  const rows = [...(await byChannel.execute()), ...(await byDefault.execute())];
  return rows.map(({ user_id }) => user_id);
}

/** True if any browser receives push messages. */
export async function hasSubscriptions(db: Db): Promise<boolean> {
  return (await db.selectFrom("push_subscriptions").select("id").limit(1).executeTakeFirst()) !== undefined;
}

/** A user who follows a thread, and how far they have read it. */
export interface FollowerRow {
  root_id: number;
  user_id: number;
  is_following: number;
  last_read_seq: number;
}

const FOLLOWERS = new PaddedStatement<FollowerRow>((db, ids) =>
  db
    .selectFrom("thread_follows")
    .select(["root_id", "user_id", "is_following", "last_read_seq"])
    .where("root_id", "in", ids),
);

/** Returns the followers of these threads by thread, also those who no longer follow. */
export async function followersByThread(
  db: Db,
  rootIds: readonly number[],
): Promise<ReadonlyMap<number, readonly FollowerRow[]>> {
  if (rootIds.length === 0) return new Map();
  return Map.groupBy(await FOLLOWERS.all(db, rootIds), ({ root_id }) => root_id);
}
