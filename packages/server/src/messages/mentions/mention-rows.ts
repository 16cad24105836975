import type { ExpressionBuilder, Kysely } from "kysely";
import type { Tables } from "../../db/tables/tables.ts";
import type { MessageRow } from "../../event-log/message-json.ts";

type Db = Kysely<Tables>;

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
  sender_type: "user" | "agent" | "system";
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
    .where(stillThere(removedAfter))
    .groupBy(["channel_id", "agent_name"])
    .execute();
  return rows.map((row) => ({ channelId: row.channel_id, agentName: row.agent_name, pending: Number(row.pending) }));
}

const matching = (filter: MentionFilter) => (eb: ExpressionBuilder<Tables, "mentions">) =>
  eb.and([
    eb("mentions.agent_id", "=", filter.agentId),
    eb("mentions.channel_id", "in", filter.channelIds),
    stillThere(filter.removedAfter)(eb),
    ...(filter.agentName === null ? [] : [eb("mentions.agent_name", "=", filter.agentName)]),
    ...(filter.before === null ? [] : [eb("mentions.id", "<", filter.before)]),
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
      "messages.sender_type",
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
export async function removeMentions(
  db: Db,
  agentId: number,
  which: { ids: readonly number[] } | { upTo: number },
  now: number,
): Promise<number[]> {
  if ("ids" in which && which.ids.length === 0) return [];
  const query = db
    .updateTable("mentions")
    .set({ removed_at: now })
    .where("agent_id", "=", agentId)
    .where("removed_at", "is", null);
  const chosen = "ids" in which ? query.where("id", "in", which.ids) : query.where("id", "<=", which.upTo);
  return (await chosen.returning("id").execute()).map((row) => row.id);
}

/** Returns the names with more than `max` pending mentions, of one agent or of all. */
export async function crowdedNames(
  db: Db,
  max: number,
  agentId?: number,
): Promise<{ agentId: number; agentName: string }[]> {
  let query = db
    .selectFrom("mentions")
    .select(["agent_id", "agent_name"])
    .where("removed_at", "is", null)
    .groupBy(["agent_id", "agent_name"])
    .having((eb) => eb.fn.countAll(), ">", max);
  if (agentId !== undefined) query = query.where("agent_id", "=", agentId);
  return (await query.execute()).map((row) => ({ agentId: row.agent_id, agentName: row.agent_name }));
}

/** Drops all but the newest `max` pending mentions of a name and returns how many. Call inside `transact`. */
export async function dropOldest(db: Db, agentId: number, agentName: string, max: number): Promise<number> {
  const newest = await db
    .selectFrom("mentions")
    .select("id")
    .where("agent_id", "=", agentId)
    .where("agent_name", "=", agentName)
    .where("removed_at", "is", null)
    .orderBy("id", "desc")
    .offset(max)
    .limit(1)
    .executeTakeFirst();
  if (newest === undefined) return 0;
  const dropped = await db
    .deleteFrom("mentions")
    .where("agent_id", "=", agentId)
    .where("agent_name", "=", agentName)
    .where("removed_at", "is", null)
    .where("id", "<=", newest.id)
    .executeTakeFirst();
  return Number(dropped.numDeletedRows);
}

export async function purgeRemoved(db: Db, before: number): Promise<void> {
  await db.deleteFrom("mentions").where("removed_at", "<=", before).execute();
}

/**
 * Returns the messages of pending mentions since a time, oldest first, with the time of the newest of these mentions.
 */
export function mentioningMessages(
  db: Db,
  agentId: number,
  since: number,
  limit: number,
): Promise<(MessageRow & { mentioned_at: number })[]> {
  return db
    .selectFrom("messages")
    .innerJoin(
      (eb) =>
        eb
          .selectFrom("mentions")
          .select(["message_id", (of) => of.fn.max("created_at").as("mentioned_at")])
          .where("agent_id", "=", agentId)
          .where("removed_at", "is", null)
          .where("created_at", ">=", since)
          .groupBy("message_id")
          .as("mentioned"),
      (join) => join.onRef("mentioned.message_id", "=", "messages.id"),
    )
    .selectAll("messages")
    .select("mentioned.mentioned_at")
    .orderBy("messages.id")
    .limit(limit)
    .execute();
}

/** A mention to be stored. */
export interface NewMention {
  agent_id: number;
  agent_name: string;
  channel_id: number;
  message_id: number;
  created_at: number;
}

export async function insertMentions(db: Db, mentions: readonly NewMention[]): Promise<void> {
  for (let from = 0; from < mentions.length; from += 500) {
    await db
      .insertInto("mentions")
      .values(mentions.slice(from, from + 500).map((mention) => ({ ...mention, removed_at: null })))
      .execute();
  }
}

export async function deleteMentionsOf(db: Db, messageIds: readonly number[]): Promise<void> {
  await db.deleteFrom("mentions").where("message_id", "in", messageIds).execute();
}
