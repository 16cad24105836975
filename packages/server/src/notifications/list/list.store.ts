import { type ExpressionBuilder, type Selectable, sql } from "kysely";
import type { Db } from "../../db/db.ts";
import { PaddedStatement } from "../../db/statements/padded-statement.ts";
import type { NotificationsTable } from "../../db/tables/notifications.ts";
import type { Tables } from "../../db/tables/tables.ts";

type Row = Selectable<NotificationsTable>;

/** A notification with what it shows of its message. */
export interface ShownRow
  extends Pick<
    Row,
    | "id"
    | "user_id"
    | "kind"
    | "channel_id"
    | "message_id"
    | "reaction"
    | "notice"
    | "reminded_id"
    | "from_name"
    | "read_at"
    | "created_at"
  > {
  from_user_id: number | null;
  from_agent_id: number | null;
  /** The user who reacted. */
  actor_username: string | null;
  /** This and the rest are of the message; a notice has none. */
  content: string | null;
  mentions: string | null;
  sender_type: "user" | "agent" | "system" | null;
  webhook_id: number | null;
  sender_name: string | null;
  expires_at: number | null;
}

/** The channel of a notification's message. */
const PLACE = sql<number>`case when n.reminded_id is null then n.channel_id else m.channel_id end`;

/**
 * The notifications that their users may see now: notices, and those of messages that are not deleted, in channels that
 * exist, which the user is in or which are open to everybody and from which they are not banned. A reminder is one of a
 * message; its row names no channel.
 */
const visible = (db: Db, now: number) =>
  db
    .selectFrom("notifications as n")
    .leftJoin("messages as m", (join) =>
      join.on((eb) => eb("m.id", "=", eb.fn.coalesce("n.reminded_id", "n.message_id"))).on("m.deleted_at", "is", null),
    )
    .leftJoin("channels as c", (join) => join.on((eb) => eb("c.id", "=", PLACE)).on("c.deleted_at", "is", null))
    .leftJoin("channel_members as mine", (join) =>
      join.on((eb) => eb("mine.channel_id", "=", PLACE)).onRef("mine.user_id", "=", "n.user_id"),
    )
    .where((eb) => {
      const isBanned = eb.exists(
        eb
          .selectFrom("channel_bans as ban")
          .select("ban.channel_id")
          .whereRef("ban.channel_id", "=", "c.id")
          .whereRef("ban.user_id", "=", "n.user_id")
          .where((ban) => ban.or([ban("ban.until", "is", null), ban("ban.until", ">", now)])),
      );
      const isOpen = eb.and([eb("c.is_private", "=", 0), eb("c.price", "is", null), eb.not(isBanned)]);
      const exists = eb.and([eb("m.id", "is not", null), eb("c.id", "is not", null)]);
      return eb.or([
        eb.and([eb("n.kind", "=", "notice"), eb("n.reminded_id", "is", null)]),
        eb.and([exists, eb.or([eb("mine.user_id", "is not", null), isOpen])]),
      ]);
    });

const shown = (db: Db, now: number) =>
  visible(db, now)
    .leftJoin("users as actor", "actor.id", "n.from_user_id")
    .select([
      "n.id",
      "n.user_id",
      "n.kind",
      "n.channel_id",
      "n.message_id",
      "n.reaction",
      "n.notice",
      "n.reminded_id",
      "n.from_user_id",
      "n.from_agent_id",
      "n.from_name",
      "n.read_at",
      "n.created_at",
    ])
    .select(["actor.username as actor_username", "m.content", "m.mentions"])
    .select(["m.sender_type", "m.webhook_id", "m.sender_name", "m.expires_at"]);

/** What is listed of a user's notifications. */
interface Filter {
  userId: number;
  now: number;
  unread: boolean;
  /** Only cards that are open and that the user has not answered. */
  waiting: boolean;
  before: number | undefined;
}

/** Returns a user's notifications, newest first. */
export function listNotifications(
  db: Db,
  { userId, now, unread, waiting, before }: Filter,
  limit: number,
): Promise<ShownRow[]> {
  let query = shown(db, now).where("n.user_id", "=", userId);
  if (unread) query = query.where("n.read_at", "is", null);
  if (waiting) query = query.where("n.kind", "=", "card").where((eb) => eb.exists(openCard(eb, userId)));
  if (before !== undefined) query = query.where("n.id", "<", before);
  return query.orderBy("n.id", "desc").limit(limit).execute();
}

/** The open question of the notification's message that the user has not answered. */
const openCard = (eb: ExpressionBuilder<Tables & { n: NotificationsTable }, "n">, userId: number) =>
  eb
    .selectFrom("interactions as i")
    .select("i.message_id")
    .whereRef("i.message_id", "=", "n.message_id")
    .where("i.status", "=", "open")
    .where((each) =>
      each.not(
        each.exists(
          each
            .selectFrom("interaction_presses as press")
            .select("press.id")
            .whereRef("press.message_id", "=", "i.message_id")
            .where("press.user_id", "=", userId),
        ),
      ),
    );

const BY_ID = new PaddedStatement<ShownRow, { now: number }>((db, ids, of) =>
  shown(db, of.now).where("n.id", "in", ids).orderBy("n.id"),
);

/** Returns these notifications, oldest first. */
export async function shownNotifications(db: Db, ids: readonly number[], now: number): Promise<ShownRow[]> {
  return BY_ID.all(
    db,
    ids.toSorted((a, b) => a - b),
    { now },
  );
}

const UNREAD = new PaddedStatement<{ user_id: number; count: number | string }, { now: number }>((db, userIds, of) =>
  visible(db, of.now)
    .select("n.user_id")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .where("n.user_id", "in", userIds)
    .where("n.read_at", "is", null)
    .groupBy("n.user_id"),
);

/** Returns the number of unread notifications by user; a user without one is missing. */
export async function unreadCounts(db: Db, userIds: readonly number[], now: number): Promise<Map<number, number>> {
  return new Map((await UNREAD.all(db, userIds, { now })).map(({ user_id, count }) => [user_id, Number(count)]));
}

/** Marks a user's notifications as read; returns the ids of those that were not. */
export async function markNotifications(
  db: Db,
  userId: number,
  which: { upTo: number } | { ids: readonly number[] },
  now: number,
): Promise<number[]> {
  const rows = await db
    .updateTable("notifications")
    .set({ read_at: now })
    .where("user_id", "=", userId)
    .where("read_at", "is", null)
    .where((eb) => ("ids" in which ? eb("id", "in", which.ids) : eb("id", "<=", which.upTo)))
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** Marks as read what a user was told of messages and reactions, but no notices. Returns how many were unread. */
export async function markAllOfMessages(db: Db, userId: number, now: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable("notifications")
    .set({ read_at: now })
    .where("user_id", "=", userId)
    .where("read_at", "is", null)
    .where("kind", "<>", "notice")
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** A notification that was read or deleted. */
export type Gone = Pick<Row, "id" | "user_id">;

/**
 * Marks as read what these users have read in these channels: up to their read marks, except messages that are only in a
 * thread.
 */
export function markReadInChannels(
  db: Db,
  { userIds, channelIds }: { userIds: readonly number[]; channelIds: readonly number[] },
  now: number,
): Promise<Gone[]> {
  return db
    .updateTable("notifications")
    .set({ read_at: now })
    .where("user_id", "in", userIds)
    .where("channel_id", "in", channelIds)
    .where("read_at", "is", null)
    .where("thread_root_id", "is", null)
    .where("seq", "<=", (eb) =>
      eb
        .selectFrom("channel_members as mine")
        .select("mine.last_read_seq")
        .whereRef("mine.channel_id", "=", "notifications.channel_id")
        .whereRef("mine.user_id", "=", "notifications.user_id"),
    )
    .returning(["id", "user_id"])
    .execute();
}

/** Marks as read what these users have read in these threads: up to their marks there. */
export function markReadInThreads(
  db: Db,
  { userIds, rootIds }: { userIds: readonly number[]; rootIds: readonly number[] },
  now: number,
): Promise<Gone[]> {
  return db
    .updateTable("notifications")
    .set({ read_at: now })
    .where("user_id", "in", userIds)
    .where("thread_root_id", "in", rootIds)
    .where("read_at", "is", null)
    .where("seq", "<=", (eb) =>
      eb
        .selectFrom("thread_follows as mine")
        .select("mine.last_read_seq")
        .whereRef("mine.root_id", "=", "notifications.thread_root_id")
        .whereRef("mine.user_id", "=", "notifications.user_id"),
    )
    .returning(["id", "user_id"])
    .execute();
}

/** Deletes the notifications of messages, and the reminders of them; returns those that were unread. */
export async function deleteOfMessages(db: Db, messageIds: readonly number[]): Promise<Gone[]> {
  if (messageIds.length === 0) return [];
  const rows = await db
    .deleteFrom("notifications")
    .where((eb) => eb.or([eb("message_id", "in", messageIds), eb("reminded_id", "in", messageIds)]))
    .returning(["id", "user_id", "read_at"])
    .execute();
  return rows.filter(({ read_at }) => read_at === null);
}

/** Deletes an erased user's notifications, and those of others that the user caused by reacting. */
export async function deleteOfUser(db: Db, userId: number, limit: number): Promise<number> {
  const doomed = db
    .selectFrom("notifications")
    .select("id")
    .where((eb) =>
      eb.or([eb("user_id", "=", userId), eb.and([eb("from_user_id", "=", userId), eb("about", "=", "reaction")])]),
    )
    .limit(limit);
  const { numDeletedRows } = await db.deleteFrom("notifications").where("id", "in", doomed).executeTakeFirst();
  return Number(numDeletedRows);
}
