import type { ExpressionBuilder } from "kysely";
import type { Db } from "../../db/db.ts";
import type { Tables } from "../../db/tables/tables.ts";
import { removeItems } from "../inbox/inbox-rows.ts";

/** Number of mentions of one agent by channel and name. */
export interface MentionCount {
  channelId: number;
  agentName: string;
  pending: number;
}

/** Selects among an agent's mentions. */
export interface MentionFilter {
  agentId: number;
  channelIds: readonly number[];
  agentName: string | null;
  /** Also those removed after this time; null: only pending ones. */
  removedAfter: number | null;
  /** Only those with a smaller id; null: all. */
  before: number | null;
  /** Only those with a larger id; null: all. */
  after: number | null;
}

/** A mention with the message it is in. */
export interface MentionRow {
  id: number;
  agent_name: string;
  channel_id: number;
  message_id: number;
  removed_at: number | null;
  seq: number;
  content: string;
  thread_root_id: number | null;
  /** JSON; null: none. */
  files: string | null;
  /** JSON; null: none. */
  card: string | null;
  sender_type: "user" | "agent" | "system";
  webhook_id: number | null;
  sender_name: string;
  created_at: number;
}

const stillThere = (removedAfter: number | null) => (eb: ExpressionBuilder<Tables, "mentions">) =>
  removedAfter === null
    ? eb("mentions.removed_at", "is", null)
    : eb.or([eb("mentions.removed_at", "is", null), eb("mentions.removed_at", ">", removedAfter)]);

export async function countMentions(db: Db, agentId: number, removedAfter: number | null): Promise<MentionCount[]> {
  const rows = await db
    .selectFrom("mentions")
    .select(["channel_id", "agent_name"])
    .select((eb) => eb.fn.count<number | string>("id").filterWhere("removed_at", "is", null).as("pending"))
    .where("agent_id", "=", agentId)
    .where("kind", "=", "mention")
    .where(stillThere(removedAfter))
    .groupBy(["channel_id", "agent_name"])
    .execute();
  return rows.map((row) => ({ channelId: row.channel_id, agentName: row.agent_name, pending: Number(row.pending) }));
}

const matching = (filter: MentionFilter) => (eb: ExpressionBuilder<Tables, "mentions">) =>
  eb.and([
    eb("mentions.agent_id", "=", filter.agentId),
    eb("mentions.kind", "=", "mention"),
    eb("mentions.channel_id", "in", filter.channelIds),
    stillThere(filter.removedAfter)(eb),
    ...(filter.agentName === null ? [] : [eb("mentions.agent_name", "=", filter.agentName)]),
    ...(filter.before === null ? [] : [eb("mentions.id", "<", filter.before)]),
    ...(filter.after === null ? [] : [eb("mentions.id", ">", filter.after)]),
  ]);

/**
 * Returns pending mentions oldest first. With removed ones, newest first: the last batch is the one a lost response
 * removed.
 */
export function findMentions(db: Db, filter: MentionFilter, limit: number): Promise<MentionRow[]> {
  return db
    .selectFrom("mentions")
    .innerJoin("messages", "messages.id", "mentions.message_id")
    .select([
      "mentions.id",
      "mentions.agent_name",
      "mentions.channel_id",
      "mentions.message_id",
      "mentions.removed_at",
      "messages.seq",
      "messages.content",
      "messages.thread_root_id",
      "messages.files",
      "messages.card",
      "messages.sender_type",
      "messages.webhook_id",
      "messages.sender_name",
      "messages.created_at",
    ])
    .where(matching(filter))
    .orderBy("mentions.id", filter.removedAfter === null ? "asc" : "desc")
    .limit(limit)
    .execute();
}

export async function countMatching(db: Db, filter: MentionFilter): Promise<number> {
  const row = await db
    .selectFrom("mentions")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .where(matching(filter))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Removes pending mentions of the agent. Returns the ids it removed; with concurrent readers only one gets each id. */
export const removeMentions = (
  db: Db,
  agentId: number,
  which: { ids: readonly number[] } | { upTo: number },
  now: number,
  places: readonly number[] | null = null,
): Promise<number[]> => removeItems(db, agentId, which, { now, kind: "mention", places });
