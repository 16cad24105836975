import type { Kysely, Selectable } from "kysely";
import type { Tables } from "../db/tables.ts";
import type { DirectChannelsTable } from "../db/tables-reading.ts";
import type { Direct } from "./channel-cache.ts";

type Db = Kysely<Tables>;

/** Two different users, the smaller id first: as their row is found. */
export interface Pair {
  low: number;
  high: number;
}

/** The pair of these two, whoever asks. */
export const pairOf = (one: number, other: number): Pair =>
  one < other ? { low: one, high: other } : { low: other, high: one };

/** What a channel's row carries of its conversation, from left joins: all null when it is none. */
export interface DirectColumns {
  low_user_id: number | null;
  high_user_id: number | null;
  low_username: string | null;
  high_username: string | null;
  low_closed_seq: number | null;
  high_closed_seq: number | null;
}

export function directOf(row: DirectColumns): Direct | null {
  const { low_user_id: low, high_user_id: high, low_username, high_username } = row;
  if (low === null || high === null) return null;
  return [
    { userId: low, username: low_username ?? "", hasClosed: row.low_closed_seq !== null },
    { userId: high, username: high_username ?? "", hasClosed: row.high_closed_seq !== null },
  ];
}

/** The channel of these two; null when they have none. */
export async function findDirectChannel(db: Db, pair: Pair): Promise<number | null> {
  const row = await db
    .selectFrom("direct_channels")
    .select("channel_id")
    .where("low_user_id", "=", pair.low)
    .where("high_user_id", "=", pair.high)
    .executeTakeFirst();
  return row?.channel_id ?? null;
}

/** False when the two have a channel already; on PostgreSQL it waits for a twin that is just making one. */
export async function insertDirectChannel(db: Db, pair: Pair, channelId: number): Promise<boolean> {
  const result = await db
    .insertInto("direct_channels")
    .values({
      low_user_id: pair.low,
      high_user_id: pair.high,
      channel_id: channelId,
      low_closed_seq: null,
      high_closed_seq: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Takes back a channel nobody has seen: the row this transaction made itself, for a pair that had one after all. */
export async function discardChannel(db: Db, channelId: number): Promise<void> {
  await db.deleteFrom("channels").where("id", "=", channelId).execute();
}

type Side = keyof Pick<Selectable<DirectChannelsTable>, "low_closed_seq" | "high_closed_seq">;

/** Takes the conversation out of that user's list as of the channel's newest number. */
export async function closeDirectChannel(db: Db, channelId: number, side: Side): Promise<void> {
  await db
    .updateTable("direct_channels")
    .set((eb) => ({
      [side]: eb.selectFrom("channels").select("last_seq").where("id", "=", channelId),
    }))
    .where("channel_id", "=", channelId)
    .execute();
}

/** Puts it back; false when it was there. */
export async function reopenDirectChannel(db: Db, channelId: number, side: Side): Promise<boolean> {
  const result = await db
    .updateTable("direct_channels")
    .set({ [side]: null })
    .where("channel_id", "=", channelId)
    .where(side, "is not", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
