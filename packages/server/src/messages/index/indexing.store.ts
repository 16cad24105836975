import type { Kysely } from "kysely";
import type { Tables } from "../../db/tables/tables.ts";
import type { MessageRow } from "../../event-log/message-json.ts";

type Db = Kysely<Tables>;

/** The columns of a message that are indexed. */
export type IndexedRow = Pick<
  MessageRow,
  "id" | "channel_id" | "content" | "sender_type" | "user_id" | "sender_name" | "deleted_at"
>;

const INDEXED = ["id", "channel_id", "content", "sender_type", "user_id", "sender_name", "deleted_at"] as const;

/**
 * Returns the messages in a range of a channel's event numbers, and those that an event of the range changed or
 * deleted, in their current state.
 */
export async function messagesOfSpan(
  db: Db,
  { channelId, after, upTo }: { channelId: number; after: number; upTo: number },
): Promise<IndexedRow[]> {
  const made = await db
    .selectFrom("messages")
    .select(INDEXED)
    .where("channel_id", "=", channelId)
    .where("seq", ">", after)
    .where("seq", "<=", upTo)
    .execute();
  const changed = await db
    .selectFrom("messages")
    .select(INDEXED)
    .where("id", "in", (events) =>
      events
        .selectFrom("channel_events")
        .select("message_id")
        .where("channel_id", "=", channelId)
        .where("seq", ">", after)
        .where("seq", "<=", upTo)
        .where("event", "in", ["message:update", "message:delete"])
        .where("message_id", "is not", null)
        .$castTo<{ message_id: number }>(),
    )
    .execute();
  const known = new Set(made.map(({ id }) => id));
  return [...made, ...changed.filter(({ id }) => !known.has(id))];
}
