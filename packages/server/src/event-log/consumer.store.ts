import type { Kysely } from "kysely";
import { Prepared } from "../db/statements/prepared.ts";
import type { Tables } from "../db/tables/tables.ts";

type Db = Kysely<Tables>;

/** A channel's counter and a consumer's cursor in it. */
export interface Progress {
  channelId: number;
  lastSeq: number;
  /** 0: the consumer has no cursor there yet. */
  seq: number;
}

const progress = (db: Db, purpose: string) =>
  db
    .selectFrom("channels")
    .leftJoin("channel_cursors", (join) =>
      join.onRef("channel_cursors.channel_id", "=", "channels.id").on("channel_cursors.purpose", "=", purpose),
    )
    .select((eb) => [
      "channels.id as channelId",
      "channels.last_seq as lastSeq",
      eb.fn.coalesce("channel_cursors.seq", eb.lit(0)).as("seq"),
    ])
    .orderBy("channels.id");

/**
 * Returns the consumer's progress in these channels, ordered by id, so that nodes handling the same ones do not
 * deadlock.
 */
export function progressIn(db: Db, purpose: string, channelIds: readonly number[]): Promise<Progress[]> {
  return progress(db, purpose).where("channels.id", "in", channelIds).execute();
}

/** Returns the consumer's progress in the channels after this id, including deleted ones. */
export function progressAfter(db: Db, purpose: string, channelId: number, limit: number): Promise<Progress[]> {
  return progress(db, purpose).where("channels.id", ">", channelId).limit(limit).execute();
}

/** Returns the seq of the channel's first message after this one; undefined if only other events follow. */
export async function nextMessageSeq(db: Db, channelId: number, after: number): Promise<number | undefined> {
  return (await NEXT_MESSAGE.first(db, { channelId, after }))?.seq;
}

const NEXT_MESSAGE = new Prepared((db, of: { channelId: number; after: number }) =>
  db
    .selectFrom("messages")
    .select("seq")
    .where("channel_id", "=", of.channelId)
    .where("seq", ">", of.after)
    .orderBy("seq")
    .limit(1),
);

/**
 * Advances a cursor if it is still where it was read (compare-and-set). False: another node has already handled the
 * span.
 */
export async function moveCursor(
  db: Db,
  purpose: string,
  channelId: number,
  from: number,
  to: number,
): Promise<boolean> {
  if (from === 0) {
    const made = await db
      .insertInto("channel_cursors")
      .values({ purpose, channel_id: channelId, seq: to })
      .onConflict((conflict) => conflict.columns(["purpose", "channel_id"]).doNothing())
      .executeTakeFirst();
    return made.numInsertedOrUpdatedRows === 1n;
  }
  const moved = await db
    .updateTable("channel_cursors")
    .set({ seq: to })
    .where("purpose", "=", purpose)
    .where("channel_id", "=", channelId)
    .where("seq", "=", from)
    .executeTakeFirst();
  return moved.numUpdatedRows === 1n;
}
