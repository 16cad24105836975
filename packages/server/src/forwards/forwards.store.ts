import type { Selectable } from "kysely";
import type { Db } from "../db/db.ts";
import { holdRows, lockRows } from "../db/dialect.ts";
import type { SavedTables } from "../db/tables/saved.ts";
import type { MessageRow } from "../event-log/message-json.ts";

export type ForwardRow = Selectable<SavedTables["forwards"]>;

export async function insertForward(db: Db, row: ForwardRow): Promise<void> {
  await db.insertInto("forwards").values(row).execute();
}

/** Returns where these messages came from, as far as they are forwarded. */
export function forwardsOf(db: Db, messageIds: readonly number[]): Promise<ForwardRow[]> {
  return db.selectFrom("forwards").selectAll().where("message_id", "in", messageIds).execute();
}

export async function deleteForwards(db: Db, messageIds: readonly number[]): Promise<void> {
  await db.deleteFrom("forwards").where("message_id", "in", messageIds).execute();
}

/** Returns a message; inside a transaction it stays as it is until the end. */
export function holdMessage(db: Db, id: number): Promise<MessageRow | undefined> {
  const query = db.selectFrom("messages").selectAll().where("id", "=", id);
  return (db.isTransaction ? lockRows(db, query) : query).executeTakeFirst();
}

/**
 * Holds channels in the order of their ids, as all do who hold several, until the transaction ends. Nobody appends to them
 * or changes them meanwhile.
 */
export async function holdChannels(db: Db, ids: readonly number[]): Promise<void> {
  await holdRows(db, db.selectFrom("channels").select("id").where("id", "in", ids).orderBy("id")).execute();
}

/** The settings of a channel that decide whether its messages may be copied. */
export interface ChannelFacts {
  price: string | null;
  retention_days: number | null;
}

export function channelFacts(db: Db, ids: readonly number[]): Promise<ChannelFacts[]> {
  return db.selectFrom("channels").select(["price", "retention_days"]).where("id", "in", ids).execute();
}
