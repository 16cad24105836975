import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/db.ts";

/**
 * The condition that age may remove a row of `messages`: it is not pinned in a channel that keeps its pins, and not the
 * message of a red packet that is still open.
 */
export const mayBeRemoved = (keepPinned: boolean): RawBuilder<boolean> => {
  const isUnpinned = keepPinned ? sql`messages.pinned_at is null` : sql`1 = 1`;
  return sql<boolean>`(${isUnpinned} and (messages.packet_id is null or not exists (
    select 1 from packets where packets.id = messages.packet_id and packets.closed_at is null
  )))`;
};

/** A range of a channel's seqs: above `after`, below `below`. */
export interface SeqRange {
  channelId: number;
  after: number;
  below: number;
}

/** Counts the messages in the range that age may remove, and their files. Tombstones count, too. */
export async function countRemovable(
  db: Db,
  { channelId, after, below }: SeqRange,
  keepPinned: boolean,
): Promise<{ messages: number; files: number }> {
  const inRange = db
    .selectFrom("messages")
    .where("channel_id", "=", channelId)
    .where("seq", ">", after)
    .where("seq", "<", below)
    .where(mayBeRemoved(keepPinned));
  const { n } = await inRange.select((eb) => eb.fn.countAll<number | string>().as("n")).executeTakeFirstOrThrow();
  const withFiles = await inRange.select("files").where("files", "is not", null).execute();
  const files = withFiles.reduce((sum, row) => sum + (JSON.parse(row.files ?? "[]") as unknown[]).length, 0);
  return { messages: Number(n), files };
}

/** Returns the seq of the channel's first message after this one; undefined if there is none. */
export async function nextSeq(db: Db, channelId: number, after: number): Promise<number | undefined> {
  const row = await db
    .selectFrom("messages")
    .select("seq")
    .where("channel_id", "=", channelId)
    .where("seq", ">", after)
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
  return row?.seq;
}
