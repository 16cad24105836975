import { sql } from "kysely";
import type { Db } from "../../db/db.ts";
import type { MessageRow } from "../../event-log/message-json.ts";
import { type Span, SpanStatement } from "../../event-log/span.ts";

/** The columns of a message that are indexed. */
export type IndexedRow = Pick<
  MessageRow,
  "id" | "channel_id" | "content" | "files" | "sender_type" | "user_id" | "sender_name" | "deleted_at"
>;

const SELECT = sql`select id, channel_id, content, files, sender_type, user_id, sender_name, deleted_at from messages`;

const MADE = new SpanStatement((isWithin) => sql<IndexedRow>`${SELECT} where ${isWithin}`);

const CHANGED = new SpanStatement(
  (isWithin) => sql<IndexedRow>`${SELECT} where id in (
    select message_id from channel_events where ${isWithin} and event in ('message:update', 'message:delete'))`,
);

/** The records of files have the transcripts in them, which are indexed as the text is. */
const LENGTH = sql`sum(length(content) + coalesce(length(files), 0))`;

const CHARACTERS = [
  new SpanStatement((isWithin) => sql<Characters>`select ${LENGTH} as characters from messages where ${isWithin}`),
  new SpanStatement(
    (isWithin) => sql<Characters>`select ${LENGTH} as characters from messages where id in (
    select message_id from channel_events where ${isWithin} and event in ('message:update', 'message:delete'))`,
  ),
];

interface Characters {
  /** null: there is no message. */
  characters: number | string | null;
}

/** Returns how long the texts and the records of files are that `messagesOfSpans` returns. */
export async function charactersOfSpans(db: Db, spans: readonly Span[]): Promise<number> {
  let sum = 0;
  for (const statement of CHARACTERS) {
    for (const { characters } of await statement.all(db, spans)) sum += Number(characters);
  }
  return sum;
}

/** Returns the messages in the spans, and those that an event in them changed or deleted, in their current state. */
export async function messagesOfSpans(db: Db, spans: readonly Span[]): Promise<IndexedRow[]> {
  const found = [...(await MADE.all(db, spans)), ...(await CHANGED.all(db, spans))];
  return [...new Map(found.map((row) => [row.id, row])).values()];
}
