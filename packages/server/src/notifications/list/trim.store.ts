import type { ExpressionBuilder, Kysely, Selectable } from "kysely";
import type { NotificationsTable } from "../../db/tables/notifications.ts";
import type { Tables } from "../../db/tables/tables.ts";
import type { Gone } from "./list.store.ts";

type Db = Kysely<Tables>;
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
    .where("kind", "<>", "notice")
    .where((eb) =>
      eb.not(
        eb.exists(
          eb.selectFrom("messages").select("messages.id").whereRef("messages.id", "=", "notifications.message_id"),
        ),
      ),
    )
    .execute();
}

/** Returns those of the users who have more than `max` notifications. */
export async function crowdedLists(db: Db, max: number, userIds: readonly number[]): Promise<number[]> {
  const query = db.selectFrom("notifications").select("user_id").where("user_id", "in", userIds).groupBy("user_id");
  const rows = await query.having((eb) => eb.fn.countAll(), ">", max).execute();
  return rows.map(({ user_id }) => user_id);
}

/** Returns who caused more than `max` notifications of a user, of these users. */
export function crowdingSenders(
  db: Db,
  max: number,
  userIds: readonly number[],
): Promise<Pick<Row, "user_id" | "from_user_id" | "from_agent_id">[]> {
  return db
    .selectFrom("notifications")
    .select(["user_id", "from_user_id", "from_agent_id"])
    .where("user_id", "in", userIds)
    .groupBy(["user_id", "from_user_id", "from_agent_id"])
    .having((eb) => eb.fn.countAll(), ">", max)
    .execute();
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
