import type { Millis } from "../db/columns.ts";
import type { Db } from "../db/db.ts";

/** A message at a place of an order. */
interface Placed {
  at: number;
}

interface Dated extends Placed {
  created_at: Millis;
}

/**
 * Returns the first place from `start` to `end` whose message `isThere` accepts; `end` if there is none. It accepts all
 * messages after the first one. A binary search through an index that exists, about 20 look-ups among a million
 * messages: an index of times would cost every send.
 */
async function firstPlace<Row extends Placed>(
  end: number,
  from: (place: number) => Promise<Row | undefined>,
  isThere: (row: Row) => boolean,
  start = 1,
): Promise<number> {
  let [low, high] = [start, end];
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

/** Returns the first message of all channels from this id on. */
const fromId = (db: Db, id: number, below = Number.MAX_SAFE_INTEGER) =>
  db
    .selectFrom("messages")
    .select(["id as at", "created_at"])
    .where("id", ">=", id)
    .where("id", "<", below)
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();

/** Ids from `from` on, below `below`. */
export interface IdRange {
  from: number;
  below: number;
}

/**
 * Returns where the messages of all channels are that were sent at `since` or later and before `until`, but for the
 * differences between the clocks of the nodes: disjoint ranges of ids, the highest first. Times ascend with ids, except
 * that the messages of an import are older than those around their block (protocol §14.4). Within it, they ascend, too.
 */
export async function idsWithin(db: Db, since: Millis | undefined, until: Millis | undefined): Promise<IdRange[]> {
  if (since === undefined && until === undefined) return [{ from: 0, below: Number.MAX_SAFE_INTEGER }];
  const blocks = await db.selectFrom("import_blocks").select(["first_id", "last_id"]).orderBy("first_id").execute();
  const newest = await db.selectFrom("messages").select("id").orderBy("id", "desc").limit(1).executeTakeFirst();
  const end = (newest?.id ?? 0) + 1;
  const outside = (time: Millis) => firstPlace<Dated>(end, (id) => outsideOf(db, blocks, id), isSince(time));
  const from = since === undefined ? 0 : await outside(since);
  const below = until === undefined ? Number.MAX_SAFE_INTEGER : await outside(until);
  const ranges: IdRange[] = [];
  let start = from;
  for (const block of blocks) {
    ranges.push({ from: start, below: Math.min(block.first_id, below) });
    ranges.push(await withinBlock(db, block, since, until));
    start = Math.max(from, block.last_id + 1);
  }
  ranges.push({ from: start, below });
  return ranges.filter((range) => range.from < range.below).reverse();
}

interface Block {
  first_id: number;
  last_id: number;
}

const isSince =
  (time: Millis) =>
  ({ created_at }: Dated): boolean =>
    created_at >= time;

/** Returns the first message from this id on that no import has brought. */
async function outsideOf(db: Db, blocks: readonly Block[], id: number) {
  let at = id;
  for (const { first_id, last_id } of blocks) {
    if (at > last_id) continue;
    if (at >= first_id) {
      at = last_id + 1;
      continue;
    }
    const found = await fromId(db, at, first_id);
    if (found !== undefined) return found;
    at = last_id + 1;
  }
  return fromId(db, at);
}

async function withinBlock(
  db: Db,
  { first_id, last_id }: Block,
  since: Millis | undefined,
  until: Millis | undefined,
): Promise<IdRange> {
  const end = last_id + 1;
  const first = (time: Millis) => firstPlace<Dated>(end, (id) => fromId(db, id, end), isSince(time), first_id);
  return {
    from: since === undefined ? first_id : await first(since),
    below: until === undefined ? end : await first(until),
  };
}
