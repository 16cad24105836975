import { CompiledQuery } from "kysely";
import type { Db } from "../../db/db.ts";
import { orderLocks } from "../../db/dialect.ts";
import { keepStatement } from "../../db/statements/prepared.ts";
import type { MessageRow } from "../../event-log/message-json.ts";
import { type Column, columnsOf } from "../../event-log/rows.ts";

/** An item of an agent's inbox, whose message has no id yet. */
interface PendingItem {
  agent_id: number;
  agent_name: string;
  kind: string;
  channel_id: number;
  /** The message's place among the batch's messages of its channel, from 1. */
  place: number;
}

/** The numbers that the database assigned to a message. */
interface Stored {
  id: number;
  channel_id: number;
  seq: number;
  created_at: number;
  /** The ids of its items, in the order given, separated by commas. */
  item_ids?: string | null;
}

const INTEGERS: ReadonlySet<Column> = new Set<Column>([
  "channel_id",
  "user_id",
  "agent_id",
  "reply_to_id",
  "sticker_id",
  "packet_id",
  "thread_root_id",
  "also_in_channel",
  "expires_at",
  "webhook_id",
  "stream_id",
]);

/**
 * Stores messages of any number of channels in one statement, which is its own transaction: it locks the channels' rows
 * in the order of their ids, so that two batches cannot deadlock, takes consecutive numbers for the messages of each
 * channel in the order given, and stores them with the items for agents. No other round trip happens under
 * the locks: over a link with a delay of 1 ms a busy channel takes seven times as many batches.
 *
 * PostgreSQL only. Returns what was assigned, in the order of the rows, without the messages of channels that are gone
 * or were locked too long.
 * `onSent` is called when the statement goes to the database: before that, an error has stored nothing.
 */
export async function storeAtOnce(
  db: Db,
  rows: readonly MessageRow[],
  options: { items: readonly PendingItem[]; now: number; onSent: () => void },
): Promise<readonly Stored[]> {
  const { items, now, onSent } = options;
  const counts = new Map<number, number>();
  const places = rows.map(({ channel_id }) => {
    const place = (counts.get(channel_id) ?? 0) + 1;
    counts.set(channel_id, place);
    return place;
  });
  const columns = writtenColumns(columnsOf(rows));
  const parameters: unknown[] = [[...counts.keys()], [...counts.values()], now, places];
  for (const column of columns) parameters.push(rows.map((row) => row[column]));
  if (items.length > 0) for (const field of ITEM_FIELDS) parameters.push(items.map((item) => item[field]));
  const query = CompiledQuery.raw(textOf(columns, items.length > 0), parameters);
  return db.getExecutor().provideConnection(async (connection) => {
    onSent();
    return (await connection.executeQuery<Stored>(query)).rows;
  });
}

const ITEM_FIELDS = ["agent_id", "agent_name", "kind", "channel_id", "place"] as const;

const written = new Map<readonly Column[], readonly Column[]>();

/** Returns the columns whose values come from the draft; `columns` is one of the lists of `columnsOf`. */
function writtenColumns(columns: readonly Column[]): readonly Column[] {
  const known = written.get(columns);
  if (known !== undefined) return known;
  const made = columns.filter((column) => column !== "seq" && column !== "created_at");
  written.set(columns, made);
  return made;
}

const texts = new Map<readonly Column[], { plain: string; reaching: string }>();

function textOf(columns: readonly Column[], hasItems: boolean): string {
  const known = texts.get(columns) ?? {
    plain: keepStatement(buildText(columns, false)),
    reaching: keepStatement(buildText(columns, true)),
  };
  texts.set(columns, known);
  return hasItems ? known.reaching : known.plain;
}

/**
 * A statement that has waited longer for a channel's row stores nothing there: a right of a sender may have ended, and
 * its end may have been confirmed (`settledCommits` waits half a second longer).
 */
const STORED_WITHIN = "1.5 seconds";

/**
 * Before an item gets its id, the statement waits for others that store items of the same agents (`inCommitOrder`). It
 * does so last, when it has the locks of all channels, so that two batches cannot deadlock.
 *
 * The parameters are the channels' ids and their numbers of messages, the time, the messages' places in their channels,
 * an array for each column, and arrays of the items' fields. The locked rows are not read: the update must compute
 * with the newest `last_seq`, which it reads again if another batch has changed the row since the statement began.
 */
function buildText(columns: readonly Column[], hasItems: boolean): string {
  const names = columns.join(", ");
  const first = 5;
  const arrays = columns.map((column, at) => `$${first + at}::${INTEGERS.has(column) ? "bigint" : "text"}[]`);
  const [agentIds, agentNames, kinds, channels, places] = ITEM_FIELDS.map((_, at) => `$${first + columns.length + at}`);
  const noted = `, ordered as materialized (
      ${orderLocks(`unnest(${agentIds}::bigint[]) as keys (key) where (select count(*) from stored) > 0`)}
    ), noted as (
      insert into mentions (agent_id, agent_name, kind, channel_id, message_id, created_at)
      select n.agent_id, n.agent_name, n.kind, n.channel_id, stored.id, stored.created_at
      from unnest(${agentIds}::bigint[], ${agentNames}::text[], ${kinds}::text[], ${channels}::bigint[], ${places}::bigint[])
        with ordinality as n (agent_id, agent_name, kind, channel_id, place, nth)
      join moved on moved.id = n.channel_id
      join stored on stored.channel_id = n.channel_id and stored.seq = moved.base + n.place
      where (select count(*) from ordered) > 0
      order by n.nth
      returning id, message_id
    ), gathered as (
      select message_id, string_agg(id::text, ',' order by id) as item_ids from noted group by message_id
    )`;
  return `with locked as (
      select id from channels where id = any($1::bigint[]) and deleted_at is null order by id for no key update
    ), moved as (
      update channels set
        last_seq = channels.last_seq + counted.messages,
        last_message_at = greatest(channels.last_message_at, $3::bigint)
      from locked join unnest($1::bigint[], $2::bigint[]) as counted (id, messages) on counted.id = locked.id
      where channels.id = locked.id and clock_timestamp() < statement_timestamp() + interval '${STORED_WITHIN}'
      returning channels.id, channels.last_seq - counted.messages as base, channels.last_message_at as at
    ), stored as (
      insert into messages (${names}, seq, created_at)
      select ${columns.map((column) => `d.${column}`).join(", ")}, moved.base + d.place, moved.at
      from unnest(${arrays.join(", ")}, $4::bigint[]) with ordinality as d (${names}, place, nth)
      join moved on moved.id = d.channel_id
      order by d.nth
      returning id, channel_id, seq, created_at
    )${hasItems ? noted : ""}
    select id, channel_id, seq, created_at${hasItems ? ", item_ids" : ""}
    from stored ${hasItems ? "left join gathered on gathered.message_id = stored.id" : ""} order by id`;
}
