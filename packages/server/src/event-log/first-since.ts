import type { Millis } from "../db/columns.ts";
import type { Db } from "../db/db.ts";

/** A message at a place of an order. */
interface Placed {
  at: number;
}

/**
 * Returns the first place from 1 to `end` whose message `isThere` accepts; `end` if there is none. It accepts all
 * messages after the first one. A binary search through an index that exists, about 20 look-ups among a million
 * messages: an index of times would cost every send.
 */
async function firstPlace<Row extends Placed>(
  end: number,
  from: (place: number) => Promise<Row | undefined>,
  isThere: (row: Row) => boolean,
): Promise<number> {
  let [low, high] = [1, end];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = await from(middle);
    if (found === undefined || found.at >= high || isThere(found)) high = middle;
    else low = found.at + 1;
  }
  return low;
}

/** Returns the channel's first message from this seq on. */
const fromSeq = (db: Db, channelId: number, seq: number) =>
  db
    .selectFrom("messages")
    .select(["seq as at", "id", "created_at"])
    .where("channel_id", "=", channelId)
    .where("seq", ">=", seq)
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();

/**
 * Returns the seq from which on the channel's messages were sent at `time` or later. Times of a channel never go back
 * (`advanceChannel`).
 */
export const firstSeqSince = (db: Db, channelId: number, lastSeq: number, time: Millis): Promise<number> =>
  firstPlace(
    lastSeq + 1,
    (seq) => fromSeq(db, channelId, seq),
    ({ created_at }) => created_at >= time,
  );

/** Returns the seq from which on the channel's messages have ids above this one. Ids ascend with `seq`. */
export const firstSeqAbove = (db: Db, channelId: number, lastSeq: number, id: number): Promise<number> =>
  firstPlace(
    lastSeq + 1,
    (seq) => fromSeq(db, channelId, seq),
    (row) => row.id > id,
  );

/**
 * Returns the id from which on messages of all channels were sent at `time` or later, but for the differences between
 * the clocks of the nodes.
 */
export async function firstIdSince(db: Db, time: Millis): Promise<number> {
  const newest = await db.selectFrom("messages").select("id").orderBy("id", "desc").limit(1).executeTakeFirst();
  return firstPlace(
    (newest?.id ?? 0) + 1,
    (id) =>
      db
        .selectFrom("messages")
        .select(["id as at", "created_at"])
        .where("id", ">=", id)
        .orderBy("id")
        .limit(1)
        .executeTakeFirst(),
    ({ created_at }) => created_at >= time,
  );
}
