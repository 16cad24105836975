import type { Db } from "../../db/db.ts";
import type { Gone } from "../list/list.store.ts";

/** Returns true if the user has an unread notice of the same text since then. */
export async function hasSameNotice(db: Db, userId: number, notice: string, since: number): Promise<boolean> {
  const row = await db
    .selectFrom("notifications")
    .select("id")
    .where("user_id", "=", userId)
    .where("channel_id", "=", 0)
    .where("read_at", "is", null)
    .where("notice", "=", notice)
    .where("created_at", ">", since)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Marks a user's notices of a code as read; returns those that were not. `beginning`: that of their JSON. */
export function readNotices(db: Db, userId: number, beginning: string, now: number): Promise<Gone[]> {
  return db
    .updateTable("notifications")
    .set({ read_at: now })
    .where("user_id", "=", userId)
    .where("channel_id", "=", 0)
    .where("read_at", "is", null)
    .where("notice", "like", `${beginning}%`)
    .returning(["id", "user_id"])
    .execute();
}
