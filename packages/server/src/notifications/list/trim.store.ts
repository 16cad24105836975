import type { ExpressionBuilder, Selectable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { NotificationsTable } from "../../db/tables/notifications.ts";
import type { Tables } from "../../db/tables/tables.ts";
import type { Gone } from "./list.store.ts";

type Row = Selectable<NotificationsTable>;

/** Deletes up to `limit` notifications that are older than `before`; returns how many. */
export async function deleteOld(db: Db, before: number, limit: number): Promise<number> {
  const old = db.selectFrom("notifications").select("id").where("created_at", "<", before).limit(limit);
  return Number((await db.deleteFrom("notifications").where("id", "in", old).executeTakeFirst()).numDeletedRows);
}

/** Returns the id of the last of the next `count` notifications; undefined if there are none. */
export async function idAfter(db: Db, after: number, count: number): Promise<number | undefined> {
  const next = db.selectFrom("notifications").select("id").where("id", ">", after).orderBy("id").limit(count);
  const row = await db
    .selectFrom(next.as("next"))
    .select((eb) => eb.fn.max("next.id").as("id"))
    .executeTakeFirst();
  return row?.id === null || row?.id === undefined ? undefined : Number(row.id);
}

/** Deletes the notifications above `after` up to `upTo` whose messages are gone. Notices have none. */
export async function deleteOrphans(db: Db, after: number, upTo: number): Promise<void> {
  await db
    .deleteFrom("notifications")
    .where("id", ">", after)
    .where("id", "<=", upTo)
    .where((eb) => eb.or([eb("kind", "<>", "notice"), eb("reminded_id", "is not", null)]))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("messages")
            .select("messages.id")
            .where((eb) =>
              eb("messages.id", "=", eb.fn.coalesce("notifications.reminded_id", "notifications.message_id")),
            ),
        ),
      ),
    )
    .execute();
}

/** A sender, and how many notifications of a user they caused; those without a sender are one group. */
export interface SenderSize extends Pick<Row, "user_id" | "from_user_id" | "from_agent_id"> {
  size: number;
}

/** Returns who caused how many notifications in the lists of these users. */
export async function sizesBySender(db: Db, userIds: readonly number[]): Promise<SenderSize[]> {
  const rows = await db
    .selectFrom("notifications")
    .select(["user_id", "from_user_id", "from_agent_id"])
    .select((eb) => eb.fn.countAll<number | string>().as("size"))
    .where("user_id", "in", userIds)
    .groupBy(["user_id", "from_user_id", "from_agent_id"])
    .orderBy("user_id")
    .execute();
  return rows.map((row) => ({ ...row, size: Number(row.size) }));
}

type From = Pick<Row, "from_user_id" | "from_agent_id">;

const isSame = (eb: ExpressionBuilder<Tables, "notifications">, column: keyof From, { [column]: value }: From) =>
  value === null ? eb(column, "is", null) : eb(column, "=", value);

/** Deletes all but the newest `max` notifications of a user, of all or of one sender; returns the unread ones. */
export async function deleteOldest(db: Db, userId: number, from: From | null, max: number): Promise<Gone[]> {
  const isOurs = (eb: ExpressionBuilder<Tables, "notifications">) =>
    eb.and([
      eb("user_id", "=", userId),
      ...(from === null ? [] : [isSame(eb, "from_user_id", from), isSame(eb, "from_agent_id", from)]),
    ]);
  const oldest = await db
    .selectFrom("notifications")
    .select("id")
    .where(isOurs)
    .orderBy("id", "desc")
    .offset(max)
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return [];
  const rows = await db
    .deleteFrom("notifications")
    .where(isOurs)
    .where("id", "<=", oldest.id)
    .returning(["id", "user_id", "read_at"])
    .execute();
  return rows.filter(({ read_at }) => read_at === null);
}
