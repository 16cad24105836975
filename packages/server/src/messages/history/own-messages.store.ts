import type { Kysely } from "kysely";
import type { Tables } from "../../db/tables/tables.ts";
import type { MessageRow } from "../../event-log/message-json.ts";

type Db = Kysely<Tables>;

/** Returns the user's messages above `after` up to `upTo`, with their channels' slugs. */
export function messagesOf(
  db: Db,
  userId: number,
  after: number,
  upTo: number,
): Promise<(MessageRow & { slug: string })[]> {
  return db
    .selectFrom("messages")
    .innerJoin("channels", "channels.id", "messages.channel_id")
    .selectAll("messages")
    .select("channels.slug")
    .where("messages.id", ">", after)
    .where("messages.id", "<=", upTo)
    .where("messages.user_id", "=", userId)
    .orderBy("messages.id")
    .execute();
}
