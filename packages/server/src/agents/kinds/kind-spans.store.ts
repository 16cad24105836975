import { sql } from "kysely";
import type { Db } from "../../db/db.ts";
import { PaddedStatement } from "../../db/statements/padded-statement.ts";
import type { MessageRow } from "../../event-log/message-json.ts";
import { type Span, SpanStatement } from "../../event-log/span.ts";
import { HEAD_LENGTH } from "./command-text.ts";

/** The columns that decide whom a message concerns. */
export type SaidRow = Pick<MessageRow, "id" | "channel_id" | "seq" | "agent_id" | "reply_to_id" | "thread_root_id"> & {
  /** The beginning of its text. */
  head: string;
};

const SELECT = sql`select id, channel_id, seq, agent_id, reply_to_id, thread_root_id, substr(content, 1, ${sql.lit(HEAD_LENGTH)}) as head
  from messages where deleted_at is null and (sender_type <> 'system' or webhook_id is not null)`;
const EVERY = new SpanStatement((isWithin) => sql<SaidRow>`${SELECT} and ${isWithin}`);
const ANSWERS_AND_COMMANDS = new SpanStatement(
  (isWithin) =>
    sql<SaidRow>`${SELECT} and ${isWithin} and (reply_to_id is not null or thread_root_id is not null or content like '/%')`,
);

/** Returns all messages in the spans. */
export const everyMessage = (db: Db, spans: readonly Span[]): Promise<SaidRow[]> => EVERY.all(db, spans);

/** Returns the messages in the spans that answer something or begin with a slash. Most messages do not. */
export const answersAndCommands = (db: Db, spans: readonly Span[]): Promise<SaidRow[]> =>
  ANSWERS_AND_COMMANDS.all(db, spans);

/** A message of an agent. */
export type AgentMessageRow = Pick<MessageRow, "id" | "sender_name"> & { agent_id: number };

const OF_AGENTS = new PaddedStatement<AgentMessageRow>((db, ids) =>
  db
    .selectFrom("messages")
    .select(["id", "agent_id", "sender_name"])
    .where("agent_id", "is not", null)
    .where("id", "in", ids)
    .$castTo<AgentMessageRow>(),
);

/** Returns those of the messages that agents wrote, by their ids. */
export async function agentMessages(db: Db, ids: readonly number[]): Promise<Map<number, AgentMessageRow>> {
  return new Map((await OF_AGENTS.all(db, ids)).map((row) => [row.id, row]));
}

/** The newest seqs of a channel among which the bot is searched that wrote last. */
const RECENT = 1_000;
const WRITERS_MAX = 100;

/** Returns the newest messages of agents before a seq, the newest first. */
export function recentWriters(db: Db, channelId: number, before: number): Promise<AgentMessageRow[]> {
  return db
    .selectFrom("messages")
    .select(["id", "agent_id", "sender_name"])
    .where("channel_id", "=", channelId)
    .where("seq", "<", before)
    .where("seq", ">=", before - RECENT)
    .where("agent_id", "is not", null)
    .orderBy("seq", "desc")
    .limit(WRITERS_MAX)
    .$castTo<AgentMessageRow>()
    .execute();
}

/** An agent in a channel: under one of its names if it is logged in, under all of them if it was added. */
export interface PlaceRow {
  channel_id: number;
  agent_id: number;
  /** null: it was added. */
  agent_name: string | null;
}

const ADDED = new PaddedStatement<PlaceRow>((db, ids) =>
  db
    .selectFrom("channel_agents")
    .select(["channel_id", "agent_id", sql.lit(null).$castTo<string | null>().as("agent_name")])
    .where("channel_id", "in", ids),
);
const LOGGED_IN = new PaddedStatement<PlaceRow>((db, ids) =>
  db.selectFrom("agent_presence").select(["channel_id", "agent_id", "agent_name"]).where("channel_id", "in", ids),
);

/** Returns the agents in these channels. */
export async function agentsIn(db: Db, channelIds: readonly number[]): Promise<PlaceRow[]> {
  return [...(await ADDED.all(db, channelIds)), ...(await LOGGED_IN.all(db, channelIds))];
}

/** An item that exists, pending or not. */
export interface ExistingItem {
  id: number;
  agent_id: number;
  agent_name: string;
  channel_id: number;
  message_id: number;
  kind: string;
  notice: string | null;
  created_at: number;
  removed_at: number | null;
}

const ITEMS = new PaddedStatement<ExistingItem>((db, ids) =>
  db.selectFrom("mentions").selectAll().where("message_id", "in", ids),
);

/** Returns the items of these messages, also acknowledged ones. */
export const itemsOfMessages = (db: Db, ids: readonly number[]): Promise<ExistingItem[]> => ITEMS.all(db, ids);

/** A message that was edited in a span. */
export interface EditedRow {
  id: number;
  channel_id: number;
  agent_id: number | null;
  edited_at: number;
}

const EDITED = new SpanStatement(
  (isWithin) => sql<EditedRow>`
    select id, channel_id, agent_id, edited_at from messages where deleted_at is null and edited_at is not null
      and id in (select message_id from channel_events where ${isWithin} and event = 'message:update' and message_id is not null)`,
);

/** Returns the messages that have changed in the spans and were edited at some time. */
export async function editedIn(db: Db, spans: readonly Span[]): Promise<EditedRow[]> {
  const rows = await EDITED.all(db, spans);
  return rows.map((row) => ({ ...row, edited_at: Number(row.edited_at) }));
}

const DELETED = new SpanStatement(
  (isWithin) => sql<{ message_id: number }>`
    select message_id from channel_events where ${isWithin} and event = 'message:delete' and message_id is not null`,
);

/** Returns the messages that were deleted in the spans. */
export const deletedIn = async (db: Db, spans: readonly Span[]): Promise<number[]> =>
  (await DELETED.all(db, spans)).map(({ message_id }) => message_id);

/** A reaction that was given or taken back. */
export interface ReactedRow {
  channel_id: number;
  seq: number;
  message_id: number;
  data: string;
}

const REACTED = new SpanStatement(
  (isWithin) => sql<ReactedRow>`
    select channel_id, seq, message_id, data from channel_events
    where ${isWithin} and event = 'reaction:update'
      and message_id in (select id from messages where agent_id is not null and deleted_at is null)
    order by channel_id, seq`,
);

/** Returns the reactions in the spans to messages of agents, in order. */
export const reactedIn = (db: Db, spans: readonly Span[]): Promise<ReactedRow[]> => REACTED.all(db, spans);

const COUNT_REACTED = new SpanStatement(
  (isWithin) => sql<{ count: number | string }>`
    select count(*) as count from channel_events where ${isWithin} and event = 'reaction:update'`,
);

/** Returns how many reactions are in the spans. */
export const countReacted = async (db: Db, spans: readonly Span[]): Promise<number> =>
  (await COUNT_REACTED.all(db, spans)).reduce((sum, { count }) => sum + Number(count), 0);
