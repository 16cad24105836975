import { sql } from "kysely";
import type { Db } from "../../db/db.ts";

/**
 * Makes a new user a member of those of the channels that everyone may join, and returns their ids. The user must be
 * new, because this checks no ban and restores no mute.
 */
export async function insertIntoOpenChannels(
  db: Db,
  member: { slugs: readonly string[]; userId: number; joinedAt: number },
): Promise<number[]> {
  const open = db
    .selectFrom("channels")
    .select((eb) => [
      "channels.id",
      eb.val(member.userId).as("user_id"),
      sql.lit("member").as("role"),
      eb.val(member.joinedAt).as("joined_at"),
      "channels.last_seq",
    ])
    .where("slug", "in", member.slugs)
    .where("deleted_at", "is", null)
    .where("is_private", "=", 0)
    .where("price", "is", null);
  const rows = await db
    .insertInto("channel_members")
    .columns(["channel_id", "user_id", "role", "joined_at", "last_read_seq"])
    .expression(open)
    .returning("channel_id")
    .execute();
  return rows.map(({ channel_id }) => channel_id);
}
