import { type Kept, mayBeRemoved, type SeqRange } from "../channels/retention/removable.ts";
import type { Millis } from "../db/columns.ts";
import type { Db } from "../db/db.ts";

/** A channel whose messages may be too old. */
export interface LimitedChannel {
  id: number;
  last_seq: number;
  retention_days: number | null;
  keep_pinned: number;
}

const limited = (db: Db, now: Millis) =>
  db
    .selectFrom("channels")
    .select(["id", "last_seq", "retention_days", "keep_pinned"])
    .where("deleted_at", "is", null)
    .where((eb) => eb.or([eb("held_until", "is", null), eb("held_until", "<=", now)]));

/** Selects channels after this id that are not held: those with a limit of their own, or all. */
export function limitedChannels(
  db: Db,
  { after, all, now, limit }: { after: number; all: boolean; now: Millis; limit: number },
) {
  const found = limited(db, now).where("id", ">", after).orderBy("id").limit(limit);
  return all ? found : found.where("retention_days", "is not", null);
}

/** Returns the channel as it is now; undefined if it is held or deleted. */
export const limitedChannel = (db: Db, id: number, now: Millis): Promise<LimitedChannel | undefined> =>
  limited(db, now).where("id", "=", id).executeTakeFirst();

/** A message that is too old. */
export interface AgedRow {
  id: number;
  seq: number;
  /** null: it still has its content. */
  deleted_at: Millis | null;
}

/** Returns the messages in the range that age may remove, oldest first. */
export function agedMessages(
  db: Db,
  { channelId, after, below }: SeqRange,
  { kept, limit }: { kept: Kept; limit: number },
): Promise<AgedRow[]> {
  return db
    .selectFrom("messages")
    .select(["id", "seq", "deleted_at"])
    .where("channel_id", "=", channelId)
    .where("seq", ">", after)
    .where("seq", "<", below)
    .where(mayBeRemoved(kept))
    .orderBy("seq")
    .limit(limit)
    .execute();
}

/** Returns which of these messages have replies in their threads that stay: newer ones, and ones that are kept. */
export async function rootsThatStay(
  db: Db,
  ids: readonly number[],
  { below, kept }: { below: number; kept: Kept },
): Promise<Set<number>> {
  const rows = await db
    .selectFrom("messages")
    .select("thread_root_id")
    .distinct()
    .where("thread_root_id", "in", ids)
    .where((eb) => eb.or([eb("seq", ">=", below), eb.not(mayBeRemoved(kept))]))
    .execute();
  return new Set(rows.flatMap(({ thread_root_id }) => (thread_root_id === null ? [] : [thread_root_id])));
}

/** Returns the id of the channel's first message after this seq. */
export async function nextId(db: Db, channelId: number, after: number): Promise<number | undefined> {
  const row = await db
    .selectFrom("messages")
    .select("id")
    .where("channel_id", "=", channelId)
    .where("seq", ">", after)
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}
