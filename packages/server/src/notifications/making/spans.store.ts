import { sql } from "kysely";
import type { Db } from "../../db/db.ts";
import { PaddedStatement } from "../../db/statements/padded-statement.ts";
import type { MessageRow } from "../../event-log/message-json.ts";
import { type Span, SpanStatement } from "../../event-log/span.ts";

/** What decides whom a message concerns. */
export type MadeRow = Pick<
  MessageRow,
  | "id"
  | "channel_id"
  | "seq"
  | "user_id"
  | "agent_id"
  | "mentions"
  | "thread_root_id"
  | "also_in_channel"
  | "card"
  | "created_at"
>;

const SELECT = sql`select id, channel_id, seq, user_id, agent_id, mentions, thread_root_id, also_in_channel, card, created_at
  from messages where deleted_at is null and (sender_type <> 'system' or webhook_id is not null)`;

const NAMING = new SpanStatement(
  (isWithin) =>
    sql<MadeRow>`${SELECT} and ${isWithin} and (mentions is not null or thread_root_id is not null or card is not null)`,
);
const EVERY = new SpanStatement((isWithin) => sql<MadeRow>`${SELECT} and ${isWithin}`);

/** Returns the messages in the spans that mention somebody, are in a thread or have a card. Most messages do not. */
export const namingMessages = (db: Db, spans: readonly Span[]): Promise<MadeRow[]> => NAMING.all(db, spans);

/** Returns all messages in the spans, for direct conversations. */
export const everyMessage = (db: Db, spans: readonly Span[]): Promise<MadeRow[]> => EVERY.all(db, spans);

/** What happened to a message in a span: the newest seq of each kind. */
export interface ChangedRow {
  channel_id: number;
  event: "message:update" | "message:delete" | "reaction:update" | "interaction:update";
  message_id: number;
  /** 1 for an added reaction. */
  added: number;
  seq: number;
}

const CHANGED = new SpanStatement(
  (isWithin) => sql<ChangedRow>`
    select channel_id, event, message_id, max(seq) as seq,
      max(case when event = 'reaction:update' and data like '%"added":true%' then 1 else 0 end) as added
    from channel_events
    where ${isWithin} and event in ('message:update', 'message:delete', 'reaction:update', 'interaction:update')
      and message_id is not null
    group by channel_id, event, message_id, case when data like '%"added":true%' then 1 else 0 end`,
);

/**
 * Returns which messages were edited, deleted, reacted to or answered in the spans, the newest change last: a burst of
 * reactions to one is one row. PostgreSQL returns groups in any order.
 */
export async function changedMessages(db: Db, spans: readonly Span[]): Promise<ChangedRow[]> {
  const rows = await CHANGED.all(db, spans);
  const changes = rows.map((row) => ({ ...row, seq: Number(row.seq), added: Number(row.added) }));
  return changes.sort((a, b) => a.channel_id - b.channel_id || a.seq - b.seq);
}

const BY_ID = new PaddedStatement<MadeRow>((db, ids) =>
  db
    .selectFrom("messages")
    .select(["id", "channel_id", "seq", "user_id", "agent_id", "mentions", "thread_root_id", "also_in_channel", "card"])
    .select("created_at")
    .where("deleted_at", "is", null)
    .where((eb) => eb.or([eb("sender_type", "<>", sql.lit("system")), eb("webhook_id", "is not", null)]))
    .where("id", "in", ids),
);

/** Returns those of the messages that are not deleted, in no order. */
export const livingMessages = (db: Db, ids: readonly number[]): Promise<MadeRow[]> => BY_ID.all(db, ids);

/** The name of the consumer's cursors. */
export const PURPOSE = "notifications";

const CURSORS = new PaddedStatement<{ channel_id: number; seq: number }>((db, ids) =>
  db
    .selectFrom("channel_cursors")
    .select(["channel_id", "seq"])
    .where("purpose", "=", sql.lit(PURPOSE))
    .where("channel_id", "in", ids),
);

/** Returns up to which seq the consumer has handled each of the channels; one without a cursor is missing. */
export async function handledUpTo(db: Db, channelIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = await CURSORS.all(db, channelIds);
  return new Map(rows.map(({ channel_id, seq }) => [channel_id, Number(seq)]));
}

/** Returns the data of an event. */
export async function eventData(db: Db, channelId: number, seq: number): Promise<string | undefined> {
  const row = await db
    .selectFrom("channel_events")
    .select("data")
    .where("channel_id", "=", channelId)
    .where("seq", "=", seq)
    .executeTakeFirst();
  return row?.data;
}

/** The newest message of each sender in a span that the channel itself shows. */
export interface NewestRow {
  channel_id: number;
  user_id: number | null;
  agent_id: number | null;
  id: number;
  seq: number;
}

const NEWEST = new SpanStatement(
  (isWithin) => sql<NewestRow>`
    select channel_id, user_id, agent_id, max(id) as id, max(seq) as seq from messages
    where ${isWithin} and deleted_at is null and (sender_type <> 'system' or webhook_id is not null)
      and (thread_root_id is null or also_in_channel = 1)
    group by channel_id, user_id, agent_id`,
);

export async function newestOfSenders(db: Db, spans: readonly Span[]): Promise<NewestRow[]> {
  const rows = await NEWEST.all(db, spans);
  return rows.map((row) => ({ ...row, id: Number(row.id), seq: Number(row.seq) })).sort((a, b) => a.id - b.id);
}
