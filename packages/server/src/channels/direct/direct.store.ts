import type { Selectable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { DirectChannelsTable } from "../../db/tables/channels.ts";
import type { Direct, DirectAgent } from "../channel.ts";

/** Two different users, the smaller id first, which is the key of their row. */
export interface Pair {
  low: number;
  high: number;
}

/** Returns the pair in key order. */
export const pairOf = (one: number, other: number): Pair =>
  one < other ? { low: one, high: other } : { low: other, high: one };

/** A channel row's conversation columns, from left joins; all null if it is not a conversation. */
export interface DirectColumns {
  low_user_id: number | null;
  high_user_id: number | null;
  low_username: string | null;
  high_username: string | null;
  low_closed_seq: number | null;
  high_closed_seq: number | null;
  /** Of a conversation with an agent; `low_username` is the user's. */
  direct_user_id: number | null;
  direct_agent_id: number | null;
  direct_agent_name: string | null;
  closed_seq: number | null;
}

export function directAgentOf({ direct_agent_id, direct_agent_name }: DirectColumns): DirectAgent | null {
  if (direct_agent_id === null || direct_agent_name === null) return null;
  return { agentId: direct_agent_id, agentName: direct_agent_name };
}

export function directOf(row: DirectColumns): Direct | null {
  const { low_user_id: low, high_user_id: high, low_username, high_username, direct_user_id: only } = row;
  if (only !== null) return [{ userId: only, username: low_username ?? "", hasClosed: row.closed_seq !== null }];
  if (low === null || high === null) return null;
  return [
    { userId: low, username: low_username ?? "", hasClosed: row.low_closed_seq !== null },
    { userId: high, username: high_username ?? "", hasClosed: row.high_closed_seq !== null },
  ];
}

/** Returns the channel of these two users; null if they have none. */
export async function findDirectChannel(db: Db, pair: Pair): Promise<number | null> {
  const row = await db
    .selectFrom("direct_channels")
    .select("channel_id")
    .where("low_user_id", "=", pair.low)
    .where("high_user_id", "=", pair.high)
    .executeTakeFirst();
  return row?.channel_id ?? null;
}

/** Returns false if the two already have a channel. On PostgreSQL it waits for a concurrent insert. */
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

/** Deletes a channel nobody has seen: this transaction created it for a pair that already had one. */
export async function discardChannel(db: Db, channelId: number): Promise<void> {
  await db.deleteFrom("channels").where("id", "=", channelId).execute();
}

type Side = keyof Pick<Selectable<DirectChannelsTable>, "low_closed_seq" | "high_closed_seq">;

/** Hides the conversation from that user's list as of the channel's newest seq. */
export async function closeDirectChannel(db: Db, channelId: number, side: Side): Promise<void> {
  await db
    .updateTable("direct_channels")
    .set((eb) => ({
      [side]: eb.selectFrom("channels").select("last_seq").where("id", "=", channelId),
    }))
    .where("channel_id", "=", channelId)
    .execute();
}

/** Shows the conversation again; false if it was not hidden. */
export async function reopenDirectChannel(db: Db, channelId: number, side: Side): Promise<boolean> {
  const result = await db
    .updateTable("direct_channels")
    .set({ [side]: null })
    .where("channel_id", "=", channelId)
    .where(side, "is not", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
