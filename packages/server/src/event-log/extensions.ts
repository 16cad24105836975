import type { Db } from "../db/db.ts";
import { advanceChannel, type EventRow, insertEvents } from "./rows.ts";

/**
 * The event of a channel to which an import has added messages, or from which an undo has taken them (protocol §14.7). It
 * stands for all their numbers: no client receives them one by one.
 */
export const EXTENDED = "history:extended";

/** Returns the first number for which a row of `history:extended` stands. */
export function firstOfRun({ seq, data }: Pick<EventRow, "seq" | "data">): number {
  const { first_seq } = JSON.parse(data) as { first_seq?: number };
  return first_seq ?? seq;
}

/** Messages that an import has added to a channel. */
export interface Extension {
  import_id: number;
  channel_id: number;
  first_seq: number;
  last_seq: number;
}

/**
 * Takes the next numbers of a channel for messages that are moved to it in the same transaction, and appends the event that
 * stands for them all. `count`: of the messages, 0 if some were taken away. `at`: the time of the newest. Nothing is
 * published: the opening of the import tells the feeds. Throws if the channel is gone; the caller has locked it.
 */
export async function appendRun(
  db: Db,
  channelId: number,
  { count, at, now }: { count: number; at: number; now: number },
): Promise<Pick<Extension, "first_seq" | "last_seq">> {
  const place = await advanceChannel(db, channelId, count + 1, at);
  if (place === null) throw new Error(`Channel ${channelId} is gone.`);
  const run = { first_seq: place.lastSeq - count, last_seq: place.lastSeq };
  const data = JSON.stringify(count === 0 ? {} : { first_seq: run.first_seq });
  const event = { channel_id: channelId, seq: run.last_seq, event: EXTENDED, message_id: null, data, created_at: now };
  await insertEvents(db, [event]);
  return run;
}

/** Notes that an import has added messages to a channel. */
export async function insertExtension(db: Db, row: Extension): Promise<void> {
  await db.insertInto("import_extensions").values(row).execute();
}

/** Returns where an import has added messages. */
export const extensionsOf = (db: Db, importId: number): Promise<Extension[]> =>
  db.selectFrom("import_extensions").selectAll().where("import_id", "=", importId).orderBy("channel_id").execute();

/**
 * Returns the number behind the messages that imports have added to a channel after this number; null: none. Messages that
 * an undo has removed again count, too.
 */
export async function extendedAfter(db: Db, channelId: number, seq: number): Promise<Extension | null> {
  const row = await db
    .selectFrom("import_extensions")
    .selectAll()
    .where("channel_id", "=", channelId)
    .where("last_seq", ">", seq)
    .orderBy("last_seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}
