import type { Selectable } from "kysely";
import type { Db } from "../../db/db.ts";
import { SizedStatement } from "../../db/statements/sized-statement.ts";
import type { NotificationsTable } from "../../db/tables/notifications.ts";
import type { Gone } from "../list/list.store.ts";

type Row = Selectable<NotificationsTable>;
export type NewNotification = Omit<Row, "id" | "notice" | "reminded_id"> & Partial<Pick<Row, "notice" | "reminded_id">>;

type Stored = Pick<Row, "id" | "user_id" | "kind" | "channel_id" | "message_id" | "seq" | "thread_root_id" | "read_at">;

const BLANK: Required<NewNotification> = {
  user_id: 0,
  kind: "mention",
  about: "message",
  channel_id: 0,
  message_id: 0,
  seq: 0,
  thread_root_id: null,
  from_user_id: null,
  from_agent_id: null,
  from_name: null,
  reaction: null,
  notice: null,
  reminded_id: null,
  read_at: null,
  created_at: 0,
};

const INSERT = new SizedStatement(BLANK, (db, rows) =>
  db
    .insertInto("notifications")
    .values(rows)
    .onConflict((conflict) => conflict.columns(["user_id", "message_id", "about"]).doNothing())
    .returning(["id", "user_id", "kind", "channel_id", "message_id", "seq", "thread_root_id", "read_at"])
    .compile(),
);

/** Stores notifications of messages; returns those that the user has not had before. */
export function insertNotifications(db: Db, rows: readonly NewNotification[]): Promise<Stored[]> {
  // The same order in all transactions prevents deadlocks, and ids ascend with the messages.
  const ordered = rows.toSorted((a, b) => a.message_id - b.message_id || a.user_id - b.user_id);
  return INSERT.run(
    db,
    ordered.map((row) => ({ ...row, notice: row.notice ?? null, reminded_id: row.reminded_id ?? null })),
  );
}

/** Returns the notifications of mentions in these messages. */
export async function mentionsAbout(
  db: Db,
  messageIds: readonly number[],
): Promise<Pick<Row, "id" | "user_id" | "message_id">[]> {
  if (messageIds.length === 0) return [];
  return db
    .selectFrom("notifications")
    .select(["id", "user_id", "message_id"])
    .where("message_id", "in", messageIds)
    .where("about", "=", "message")
    .where("kind", "=", "mention")
    .execute();
}

/**
 * Deletes notifications of mentions, and returns those that were unread. The notification of a reply in a thread that the
 * user follows becomes that of a reply.
 */
export async function deleteUnlessFollowed(db: Db, ids: readonly number[]): Promise<Gone[]> {
  if (ids.length === 0) return [];
  await db
    .updateTable("notifications")
    .set({ kind: "thread_reply" })
    .where("id", "in", ids)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("thread_follows as mine")
          .innerJoin("messages as reply", "reply.thread_root_id", "mine.root_id")
          .select("mine.root_id")
          .whereRef("reply.id", "=", "notifications.message_id")
          .whereRef("mine.user_id", "=", "notifications.user_id")
          .where("mine.is_following", "=", 1),
      ),
    )
    .execute();
  const rows = await db
    .deleteFrom("notifications")
    .where("id", "in", ids)
    .where("kind", "=", "mention")
    .returning(["id", "user_id", "read_at"])
    .execute();
  return rows.filter(({ read_at }) => read_at === null);
}

export type ReactionRow = Pick<Row, "id" | "from_user_id" | "from_agent_id" | "created_at">;

/** Returns the notification of the reactions to a user's message. */
export function findReactionNotification(db: Db, userId: number, messageId: number): Promise<ReactionRow | undefined> {
  return db
    .selectFrom("notifications")
    .select(["id", "from_user_id", "from_agent_id", "created_at"])
    .where("user_id", "=", userId)
    .where("message_id", "=", messageId)
    .where("about", "=", "reaction")
    .executeTakeFirst();
}

export async function updateReactionNotification(
  db: Db,
  id: number,
  change: Partial<
    Pick<
      NewNotification,
      "from_user_id" | "from_agent_id" | "from_name" | "reaction" | "seq" | "read_at" | "created_at"
    >
  >,
): Promise<void> {
  await db.updateTable("notifications").set(change).where("id", "=", id).execute();
}

/** Marks as read the notifications of reactions to these messages that were taken back. */
export function readTakenBack(db: Db, messageIds: readonly number[], now: number): Promise<Gone[]> {
  return db
    .updateTable("notifications")
    .set({ read_at: now })
    .where("message_id", "in", messageIds)
    .where("about", "=", "reaction")
    .where("read_at", "is", null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("reactions as r")
            .select("r.message_id")
            .whereRef("r.message_id", "=", "notifications.message_id")
            .whereRef("r.reaction", "=", "notifications.reaction")
            .where((of) =>
              of.or([
                of.and([of("r.actor_kind", "=", "user"), of("r.actor_id", "=", of.ref("notifications.from_user_id"))]),
                of.and([
                  of("r.actor_kind", "=", "agent"),
                  of("r.actor_id", "=", of.ref("notifications.from_agent_id")),
                ]),
              ]),
            ),
        ),
      ),
    )
    .returning(["id", "user_id"])
    .execute();
}

/** Marks as read the notifications of those of these cards whose question has ended: nobody can answer it any more. */
export async function readOfEnded(db: Db, messageIds: readonly number[], now: number): Promise<Gone[]> {
  if (messageIds.length === 0) return [];
  return db
    .updateTable("notifications")
    .set({ read_at: now })
    .where("kind", "=", "card")
    .where("read_at", "is", null)
    .where("message_id", "in", (eb) =>
      eb
        .selectFrom("interactions")
        .select("interactions.message_id")
        .where("interactions.message_id", "in", messageIds)
        .where("interactions.status", "<>", "open"),
    )
    .returning(["id", "user_id"])
    .execute();
}
