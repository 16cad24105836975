import type { Millis } from "../db/columns.ts";
import type { Db } from "../db/db.ts";
import type { MessageRow } from "../event-log/message-json.ts";

/**
 * Selects expired messages of channels that are not held. The tombstone of the newest message of all channels is left
 * out: it goes when it is no longer the newest, because SQLite would use its id again.
 */
const expired = (db: Db, now: Millis) =>
  db
    .selectFrom("messages")
    .innerJoin("channels", "channels.id", "messages.channel_id")
    .where("messages.expires_at", "<=", now)
    .where((eb) => eb.or([eb("channels.held_until", "is", null), eb("channels.held_until", "<=", now)]))
    .where((eb) =>
      eb.or([
        eb("messages.deleted_at", "is", null),
        eb("messages.id", "<", (of) =>
          of.selectFrom("messages as newest").select((n) => n.fn.max("newest.id").as("id")),
        ),
      ]),
    );

/** Returns expired messages, the first to expire first. */
export function expiredMessages(db: Db, now: Millis, limit: number): Promise<{ id: number; channel_id: number }[]> {
  return expired(db, now)
    .select(["messages.id", "messages.channel_id"])
    .orderBy("messages.expires_at")
    .limit(limit)
    .execute();
}

/** Returns those of these messages that are expired now, oldest first. */
export function expiredAmong(
  db: Db,
  ids: readonly number[],
  now: Millis,
): Promise<(MessageRow & { slug: string; is_live: number })[]> {
  return expired(db, now)
    .selectAll("messages")
    .select("channels.slug")
    .select((eb) => eb.case().when("channels.deleted_at", "is", null).then(1).else(0).end().as("is_live"))
    .where("messages.id", "in", ids)
    .orderBy("messages.seq")
    .execute();
}
