import type { Db } from "../../db/db.ts";

/** The kinds of notifications that a digest lists: what was written to the user. */
export const MISSED = ["mention", "direct", "card"] as const;

/**
 * Returns the ids of a user's unread notifications that were made since then, the newest first. A user has at most some
 * thousand notifications, which an index finds.
 */
export async function unreadSince(
  db: Db,
  { userId, since, limit }: { userId: number; since: number; limit: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom("notifications")
    .select("id")
    .where("user_id", "=", userId)
    .where("read_at", "is", null)
    .where("created_at", ">=", since)
    .where("about", "=", "message")
    .where("kind", "in", MISSED)
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
