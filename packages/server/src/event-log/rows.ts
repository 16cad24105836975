import { type CompiledQuery, sql } from "kysely";
import type { Db } from "../db/db.ts";
import { PaddedStatement } from "../db/statements/padded-statement.ts";
import { inStatements, SizedStatement } from "../db/statements/sized-statement.ts";
import type { MessageRow } from "./message-json.ts";

// The SQL of the log: it appends messages and events, assigns their seqs, and reads them in order. The slices above use it
// to read messages; what is in a message after it was appended is changed by messages/messages.store.ts only.

/** Columns of an insert, in the order of the prepared statement. */
export type NewMessage = Omit<
  MessageRow,
  "id" | "thread" | "reactions" | "pinned_at" | "pinned_by" | "pinned_agent_id" | "edited_at" | "deleted_at"
>;

const BLANK: NewMessage = {
  channel_id: 0,
  seq: 0,
  type: "text",
  content: "",
  sender_type: "user",
  user_id: null,
  sender_name: "",
  mentions: null,
  created_at: 0,
  agent_id: null,
  client_msg_id: null,
  client_key: null,
  client_hash: null,
  reply_to_id: null,
  sticker_id: null,
  sticker: null,
  packet_id: null,
  thread_root_id: null,
  also_in_channel: 0,
  files: null,
  expires_at: null,
  card: null,
  webhook_id: null,
  stream_id: null,
  previews: null,
};

export type Column = keyof NewMessage;

const ALL = Object.keys(BLANK) as Column[];
const upTo = (column: Column): Column[] => ALL.slice(0, ALL.indexOf(column) + 1);
/** The columns of any text message, including agents' messages, sends with a key, and replies. */
const WIDE = upTo("reply_to_id");
/** The columns of a user's plain message, as nearly all are: each bound value costs as much as a stored column. */
const NARROW = upTo("created_at");

const isText = (row: NewMessage): boolean =>
  row.sticker_id === null &&
  row.packet_id === null &&
  row.thread_root_id === null &&
  row.files === null &&
  row.expires_at === null &&
  row.card === null &&
  row.webhook_id === null &&
  row.stream_id === null &&
  row.previews === null;
const isPlain = (row: NewMessage): boolean =>
  row.agent_id === null && row.client_key === null && row.reply_to_id === null && isText(row);

/** Returns the smallest column set that fits all rows: one of three lists, always the same objects. */
export function columnsOf(rows: readonly NewMessage[]): readonly Column[] {
  if (rows.every(isPlain)) return NARROW;
  return rows.every(isText) ? WIDE : ALL;
}

const insertOf = (db: Db, rows: NewMessage[]): CompiledQuery =>
  db.insertInto("messages").values(rows).returning("id").compile();

function blankOf(columns: readonly Column[]): NewMessage {
  return Object.fromEntries(columns.map((column) => [column, BLANK[column]])) as NewMessage;
}

const INSERTS: ReadonlyMap<readonly Column[], SizedStatement<NewMessage>> = new Map(
  [NARROW, WIDE, ALL].map((columns) => [columns, new SizedStatement(blankOf(columns), insertOf)]),
);

/** Inserts all rows and returns their ids in the same order. */
export async function insertMessages(db: Db, rows: readonly NewMessage[]): Promise<number[]> {
  const ids: number[] = [];
  for (const piece of inStatements(rows)) {
    const statement = INSERTS.get(columnsOf(piece));
    if (statement === undefined) throw new Error("There is no statement for these columns.");
    for (const { id } of await statement.run<{ id: number }>(db, piece)) ids.push(id);
  }
  return ids;
}

const AN_ADVANCE = { count: 1, now: 2, at: 3, id: 4 };
const ADVANCE = new SizedStatement(AN_ADVANCE, (db, [row = AN_ADVANCE]) =>
  db
    .updateTable("channels")
    .set((eb) => ({
      last_seq: eb("last_seq", "+", row.count),
      last_message_at: eb
        .case()
        .when("last_message_at", ">", row.now)
        .then(eb.ref("last_message_at"))
        .else(eb.val(row.at))
        .end(),
    }))
    .where("id", "=", row.id)
    .where("deleted_at", "is", null)
    .returning(["last_seq", "last_message_at"])
    .compile(),
);

/** Reserves `count` seqs of a channel; null if the channel is gone. A channel's timestamps never go back. */
export async function advanceChannel(
  db: Db,
  channelId: number,
  count: number,
  now: number,
): Promise<{ lastSeq: number; at: number } | null> {
  const [row] = await ADVANCE.run<{ last_seq: number; last_message_at: number }>(db, [
    { count, now, at: now, id: channelId },
  ]);
  return row === undefined ? null : { lastSeq: row.last_seq, at: row.last_message_at };
}

/** Returns the newest message id of all channels; 0 without messages. */
export async function newestMessageId(db: Db): Promise<number> {
  const row = await db
    .selectFrom("messages")
    .select((of) => of.fn.max("id").as("id"))
    .executeTakeFirst();
  return Number(row?.id ?? 0);
}

/** Returns the messages before `seq` (exclusive), newest first. */
export function messagesBefore(db: Db, channelId: number, seq: number, limit: number): Promise<MessageRow[]> {
  return db
    .selectFrom("messages")
    .selectAll()
    .where("channel_id", "=", channelId)
    .where("seq", "<", seq)
    .orderBy("seq", "desc")
    .limit(limit)
    .execute();
}

/** Returns the messages after `seq` (exclusive), oldest first. */
export function messagesAfter(db: Db, channelId: number, seq: number, limit: number): Promise<MessageRow[]> {
  return db
    .selectFrom("messages")
    .selectAll()
    .where("channel_id", "=", channelId)
    .where("seq", ">", seq)
    .orderBy("seq", "asc")
    .limit(limit)
    .execute();
}

export interface EventRow {
  seq: number;
  event: string;
  message_id: number | null;
  data: string;
}

type NewEvent = EventRow & { channel_id: number; created_at: number };
const NO_EVENT: NewEvent = { channel_id: 0, seq: 0, event: "", message_id: null, data: "", created_at: 0 };

const INSERT_EVENTS = new SizedStatement<NewEvent>(NO_EVENT, (db, rows) =>
  db.insertInto("channel_events").values(rows).compile(),
);

export async function insertEvents(db: Db, events: readonly NewEvent[]): Promise<void> {
  await INSERT_EVENTS.run(db, events);
}

/** Returns durable events other than new messages after `seq`, oldest first. */
export function eventsAfter(db: Db, channelId: number, seq: number, limit: number): Promise<EventRow[]> {
  return db
    .selectFrom("channel_events")
    .select(["seq", "event", "message_id", "data"])
    .where("channel_id", "=", channelId)
    .where("seq", ">", seq)
    .orderBy("seq", "asc")
    .limit(limit)
    .execute();
}

export function findMessages(db: Db, ids: readonly number[]): Promise<MessageRow[]> {
  return ids.length === 0
    ? Promise.resolve([])
    : db.selectFrom("messages").selectAll().where("id", "in", ids).execute();
}

/** Returns the channel's committed counter and slug. */
export function channelState(db: Db, channelId: number): Promise<{ last_seq: number; slug: string } | undefined> {
  return db.selectFrom("channels").select(["last_seq", "slug"]).where("id", "=", channelId).executeTakeFirst();
}

const LAST_SEQS = new PaddedStatement((db, ids) =>
  db.selectFrom("channels").select(["id", "last_seq"]).where("id", "in", ids),
);

/** Returns the committed counters of the channels that exist, by channel. */
export async function lastSeqs(db: Db, channelIds: readonly number[]): Promise<Map<number, number>> {
  return new Map((await LAST_SEQS.all(db, channelIds)).map(({ id, last_seq }) => [id, last_seq]));
}

export interface StoredEvent {
  channel_id: number;
  seq: number;
  event: string;
  data: string;
}

/** Returns the events after this key, across all channels, in key order. */
export function eventsBehind(db: Db, channelId: number, seq: number, limit: number): Promise<StoredEvent[]> {
  return db
    .selectFrom("channel_events")
    .select(["channel_id", "seq", "event", "data"])
    .where(sql<boolean>`(channel_id, seq) > (${channelId}, ${seq})`)
    .orderBy("channel_id")
    .orderBy("seq")
    .limit(limit)
    .execute();
}

export async function rewriteEvent(db: Db, { channel_id, seq, data }: StoredEvent): Promise<void> {
  await db
    .updateTable("channel_events")
    .set({ data })
    .where("channel_id", "=", channel_id)
    .where("seq", "=", seq)
    .execute();
}

/** Deletes the channel's oldest events other than messages; returns how many. */
export async function deleteOldestEvents(db: Db, channelId: number, limit: number): Promise<number> {
  const rows = await db
    .selectFrom("channel_events")
    .select("seq")
    .where("channel_id", "=", channelId)
    .orderBy("seq")
    .limit(limit)
    .execute();
  const last = rows.at(-1);
  if (last === undefined) return 0;
  await db.deleteFrom("channel_events").where("channel_id", "=", channelId).where("seq", "<=", last.seq).execute();
  return rows.length;
}
