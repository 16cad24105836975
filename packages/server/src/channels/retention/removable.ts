import { type RawBuilder, sql } from "kysely";
import type { AppContext } from "../../context.ts";
import type { Db } from "../../db/db.ts";

/** Which messages stay, whatever their age. */
export interface Kept {
  pinned: boolean;
  /** Those of red packets that are open. A server without red packets has none, and does not look for them. */
  openPackets: boolean;
}

/** Returns which messages stay in a channel that keeps its pins, or does not. */
export const keptWith = ({ config }: Pick<AppContext, "config">, pinned: boolean): Kept => ({
  pinned,
  openPackets: config.value === "on",
});

/** The condition that age may remove a row of `messages`. */
export const mayBeRemoved = ({ pinned, openPackets }: Kept): RawBuilder<boolean> => {
  const isUnpinned = pinned ? sql`messages.pinned_at is null` : sql`1 = 1`;
  if (!openPackets) return sql<boolean>`(${isUnpinned})`;
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
  kept: Kept,
): Promise<{ messages: number; files: number }> {
  const inRange = db
    .selectFrom("messages")
    .where("channel_id", "=", channelId)
    .where("seq", ">", after)
    .where("seq", "<", below)
    .where(mayBeRemoved(kept));
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
