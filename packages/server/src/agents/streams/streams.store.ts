import type { Insertable, Selectable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { StreamsTable } from "../../db/tables/streams.ts";

export type StreamRow = Selectable<StreamsTable>;

export async function insertStream(db: Db, row: Insertable<StreamsTable>): Promise<StreamRow> {
  return db.insertInto("streams").values(row).returningAll().executeTakeFirstOrThrow();
}

export function findStream(db: Db, id: number): Promise<StreamRow | undefined> {
  return db.selectFrom("streams").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Returns the stream that an agent has started with this key. */
export function findByKey(db: Db, agentId: number, clientMsgId: string): Promise<StreamRow | undefined> {
  return db
    .selectFrom("streams")
    .selectAll()
    .where("agent_id", "=", agentId)
    .where("client_msg_id", "=", clientMsgId)
    .executeTakeFirst();
}

/** Reads a stream and locks its row until the transaction ends, so that it ends once. */
export function lockStream(db: Db, id: number): Promise<StreamRow | undefined> {
  return db
    .updateTable("streams")
    .set((eb) => ({ state: eb.ref("state") }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

/** A piece of text, and where it continues. */
interface Piece {
  offset: number;
  delta: string;
  /** Absent: it stays. */
  status?: string | null | undefined;
  keyId: string;
  now: number;
}

/** Appends a piece to an open stream that holds exactly `offset` characters. Returns false if it does not. */
export async function appendPiece(db: Db, id: number, { offset, delta, status, keyId, now }: Piece): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("streams")
    .set((eb) => ({
      content: eb(eb.ref("content"), "||", eb.val(delta)),
      length: offset + delta.length,
      key_id: keyId,
      appended_at: now,
      ...(status === undefined ? {} : { status }),
    }))
    .where("id", "=", id)
    .where("state", "=", "open")
    .where("length", "=", offset)
    .executeTakeFirst();
  return Number(numUpdatedRows) > 0;
}

/** Notes that the agent is still there, and what it does. Returns the length of the text; null if it is not open. */
export async function touchStream(
  db: Db,
  id: number,
  { status, keyId, now }: Pick<Piece, "status" | "keyId" | "now">,
): Promise<number | null> {
  const row = await db
    .updateTable("streams")
    .set({ key_id: keyId, appended_at: now, ...(status === undefined ? {} : { status }) })
    .where("id", "=", id)
    .where("state", "=", "open")
    .returning("length")
    .executeTakeFirst();
  return row?.length ?? null;
}

/** Stores what the agent of an open stream did, whose row is locked. */
export async function storeActivity(db: Db, id: number, activity: string): Promise<void> {
  await db.updateTable("streams").set({ activity }).where("id", "=", id).execute();
}

type Ending = Pick<StreamRow, "state" | "message_id" | "finish_reason" | "ended_at">;

/** Ends a stream and removes its text. */
export async function endStream(db: Db, id: number, ending: Ending): Promise<void> {
  await db
    .updateTable("streams")
    .set({ ...ending, content: "", status: null, activity: null })
    .where("id", "=", id)
    .execute();
}

/** Where a stream grows: in a thread, or among the other messages of a channel. */
export type StreamPlace = Pick<StreamRow, "channel_id" | "thread_root_id">;

/** Returns the open stream of an agent in a place: there is at most one. */
export function openOf(db: Db, agentId: number, place: StreamPlace): Promise<StreamRow | undefined> {
  return db
    .selectFrom("streams")
    .selectAll()
    .where("state", "=", "open")
    .where("agent_id", "=", agentId)
    .where("channel_id", "=", place.channel_id)
    .where("thread_root_id", place.thread_root_id === null ? "is" : "=", place.thread_root_id)
    .executeTakeFirst();
}

/** Returns the open streams of an agent in a channel. */
export function openOfIn(db: Db, agentId: number, channelId: number): Promise<StreamRow[]> {
  return db
    .selectFrom("streams")
    .selectAll()
    .where("state", "=", "open")
    .where("agent_id", "=", agentId)
    .where("channel_id", "=", channelId)
    .orderBy("id")
    .execute();
}

/** Returns the places in which an agent has open streams. */
export function openPlacesOf(db: Db, agentId: number): Promise<StreamPlace[]> {
  return db
    .selectFrom("streams")
    .select(["channel_id", "thread_root_id"])
    .where("state", "=", "open")
    .where("agent_id", "=", agentId)
    .orderBy("id")
    .execute();
}

/** Returns the open streams of a channel, the newest first. */
export function openIn(db: Db, channelId: number, limit: number): Promise<StreamRow[]> {
  return db
    .selectFrom("streams")
    .selectAll()
    .where("state", "=", "open")
    .where("channel_id", "=", channelId)
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}

/** Returns who writes in a channel now, as the loop guard counts them. */
export function writersIn(db: Db, channelId: number, limit: number): Promise<{ id: number; name: string }[]> {
  return db
    .selectFrom("streams")
    .select(["agent_id as id", "agent_name as name"])
    .where("state", "=", "open")
    .where("channel_id", "=", channelId)
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Returns the open streams after an id, without their text. */
export function openAfter(
  db: Db,
  id: number,
  limit: number,
): Promise<
  Pick<StreamRow, "id" | "agent_id" | "key_id" | "channel_id" | "appended_at" | "client_msg_id" | "length">[]
> {
  return db
    .selectFrom("streams")
    .select(["id", "agent_id", "key_id", "channel_id", "appended_at", "client_msg_id", "length"])
    .where("state", "=", "open")
    .where("id", ">", id)
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Forgets streams that were cancelled before a time. */
export async function deleteCancelled(db: Db, before: number): Promise<void> {
  await db.deleteFrom("streams").where("state", "=", "cancelled").where("ended_at", "<", before).execute();
}

/** Forgets the streams that became these messages. */
export async function deleteOfMessages(db: Db, messageIds: readonly number[]): Promise<void> {
  await db.deleteFrom("streams").where("message_id", "in", messageIds).execute();
}
