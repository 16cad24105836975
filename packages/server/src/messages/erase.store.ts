import type { Db } from "../db/db.ts";
import { namePattern } from "../erasure.ts";
import type { MessageRow } from "../event-log/message-json.ts";

/** The fields of a message that can refer to a user. */
export type TracedMessage = Pick<
  MessageRow,
  "id" | "channel_id" | "seq" | "user_id" | "thread_root_id" | "mentions" | "sticker" | "files" | "card" | "pinned_by"
>;

/** Returns messages above `after` up to `upTo` that the user wrote or that name them. */
export function tracesIn(
  db: Db,
  { userId, username }: { userId: number; username: string },
  after: number,
  upTo: number,
): Promise<TracedMessage[]> {
  const pattern = namePattern(username);
  return db
    .selectFrom("messages")
    .select([
      "id",
      "channel_id",
      "seq",
      "user_id",
      "thread_root_id",
      "mentions",
      "sticker",
      "files",
      "card",
      "pinned_by",
    ])
    .where("id", ">", after)
    .where("id", "<=", upTo)
    .where((eb) =>
      eb.or([
        eb("user_id", "=", userId),
        eb("pinned_by", "=", username),
        eb("mentions", "like", pattern),
        eb("sticker", "like", pattern),
        eb("card", "like", pattern),
      ]),
    )
    .orderBy("id")
    .execute();
}

/** Removes the author from the user's messages in this range. */
export async function disownMessages(
  db: Db,
  userId: number,
  label: string,
  { after, upTo }: { after: number; upTo: number },
): Promise<void> {
  await db
    .updateTable("messages")
    .set({ user_id: null, sender_name: label, client_msg_id: null, client_key: null, client_hash: null })
    .where("id", ">", after)
    .where("id", "<=", upTo)
    .where("user_id", "=", userId)
    .execute();
}
