import { type ExpressionBuilder, type Selectable, sql } from "kysely";
import type { Db } from "../../db/db.ts";
import { inCommitOrder } from "../../db/dialect.ts";
import type { MentionsTable } from "../../db/tables/agents.ts";
import type { Tables } from "../../db/tables/tables.ts";
import type { MessageRow } from "../../event-log/message-json.ts";

export type ItemRow = Selectable<MentionsTable>;
export type ItemKind = ItemRow["kind"];

/** An item to be stored. */
export type NewItem = Pick<ItemRow, "agent_id" | "agent_name" | "channel_id" | "message_id" | "created_at"> &
  Partial<Pick<ItemRow, "kind" | "notice">>;

/**
 * Stores items and returns their ids, in order. Call it last in a transaction: it waits for other transactions that
 * store items of the same agents, so that the ids of an agent's items ascend in the order of commit.
 */
export async function insertItems(db: Db, items: readonly NewItem[]): Promise<number[]> {
  if (items.length === 0) return [];
  await inCommitOrder(
    db,
    items.map(({ agent_id }) => agent_id),
  );
  const ids: number[] = [];
  for (let from = 0; from < items.length; from += 500) {
    const rows = items.slice(from, from + 500).map(({ kind = "mention", notice = null, ...item }) => {
      return { ...item, kind, notice, removed_at: null };
    });
    for (const { id } of await db.insertInto("mentions").values(rows).returning("id").execute()) ids.push(id);
  }
  return ids;
}

/** Kinds of items that belong to the agent, not to a message that it may read. */
const WITHOUT_MESSAGE: readonly ItemKind[] = ["notice", "press", "decision", "membership"];

/** True for an item that carries its message. */
export const hasMessage = ({ kind }: { kind: ItemKind }): boolean => !WITHOUT_MESSAGE.includes(kind);

/** True for an item that is a notice. */
export const isNotice = ({ kind }: { kind: ItemKind }): boolean => kind === "notice" || kind === "membership";

/** Selects among an agent's pending items. */
export interface ItemFilter {
  agentId: number;
  /** Channels that the agent may read. Notices and what concerns the agent's cards are selected in any channel. */
  channelIds: readonly number[];
  /** Only this channel, for notices too; null: all. */
  channelId: number | null;
  /** Only this name, and notices that concern all names; null: all. */
  agentName: string | null;
  /** null: all. */
  kinds: readonly ItemKind[] | null;
  /** Only those with a larger id. */
  after: number;
  /** The channels of notices, 0 for those of none; null: all. */
  noticesOf: readonly number[] | null;
}

const noticesOf = ({ noticesOf: places }: ItemFilter, eb: ExpressionBuilder<Tables, "mentions">) =>
  places === null
    ? eb("kind", "in", WITHOUT_MESSAGE)
    : eb.and([eb("kind", "in", WITHOUT_MESSAGE), eb("channel_id", "in", places)]);

const matching = (filter: ItemFilter) => (eb: ExpressionBuilder<Tables, "mentions">) =>
  eb.and([
    eb("agent_id", "=", filter.agentId),
    eb("removed_at", "is", null),
    eb("id", ">", filter.after),
    filter.channelIds.length === 0
      ? noticesOf(filter, eb)
      : eb.or([noticesOf(filter, eb), eb("channel_id", "in", filter.channelIds)]),
    ...(filter.channelId === null ? [] : [eb("channel_id", "=", filter.channelId)]),
    ...(filter.agentName === null ? [] : [eb("agent_name", "in", [filter.agentName, ""])]),
    ...(filter.kinds === null ? [] : [eb("kind", "in", filter.kinds)]),
  ]);

/** Returns pending items, oldest first. */
export function findItems(db: Db, filter: ItemFilter, limit: number): Promise<ItemRow[]> {
  return db.selectFrom("mentions").selectAll().where(matching(filter)).orderBy("id").limit(limit).execute();
}

export async function countMatching(db: Db, filter: ItemFilter): Promise<number> {
  const row = await db
    .selectFrom("mentions")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .where(matching(filter))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Number of pending items of one agent by channel, name and kind. */
export interface ItemCount {
  channelId: number;
  agentName: string;
  kind: ItemKind;
  pending: number;
}

export async function countItems(db: Db, agentId: number): Promise<ItemCount[]> {
  const rows = await db
    .selectFrom("mentions")
    .select(["channel_id", "agent_name", "kind"])
    .select((eb) => eb.fn.countAll<number | string>().as("pending"))
    .where("agent_id", "=", agentId)
    .where("removed_at", "is", null)
    .groupBy(["channel_id", "agent_name", "kind"])
    .execute();
  return rows.map(({ channel_id, agent_name, kind, pending }) => {
    return { channelId: channel_id, agentName: agent_name, kind, pending: Number(pending) };
  });
}

/** Returns the messages of items, in no order. Those that were purged meanwhile are missing. */
export function messagesOfItems(db: Db, messageIds: readonly number[]): Promise<MessageRow[]> {
  if (messageIds.length === 0) return Promise.resolve([]);
  return db.selectFrom("messages").selectAll().where("id", "in", messageIds).execute();
}

/** Returns the number of an agent's pending items, of all kinds or of one; `places` as in `removeItems`. */
export async function countPending(
  db: Db,
  agentId: number,
  kind: ItemKind | null,
  places: readonly number[] | null = null,
): Promise<number> {
  const query = db
    .selectFrom("mentions")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .where("agent_id", "=", agentId)
    .where("removed_at", "is", null)
    .$if(places !== null, (all) => all.where("channel_id", "in", places ?? []));
  const row = await (kind === null ? query : query.where("kind", "=", kind)).executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Returns an agent's pending items of at least this time, oldest first. */
export function itemsSince(db: Db, agentId: number, since: number, limit: number): Promise<ItemRow[]> {
  return db
    .selectFrom("mentions")
    .selectAll()
    .where("agent_id", "=", agentId)
    .where("removed_at", "is", null)
    .where("created_at", ">=", since)
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Returns the pending notices of an agent under one name and about one channel, oldest first. */
export function pendingNotices(
  db: Db,
  place: Pick<ItemRow, "agent_id" | "agent_name" | "channel_id">,
): Promise<Pick<ItemRow, "id" | "notice">[]> {
  return db
    .selectFrom("mentions")
    .select(["id", "notice"])
    .where("agent_id", "=", place.agent_id)
    .where("removed_at", "is", null)
    .where("kind", "=", "notice")
    .where("agent_name", "=", place.agent_name)
    .where("channel_id", "=", place.channel_id)
    .orderBy("id")
    .execute();
}

export async function deleteItems(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom("mentions").where("id", "in", ids).execute();
}

/** Deletes pending items of one kind under a name. */
export async function deletePending(db: Db, { agentId, agentName, kind }: Pile): Promise<void> {
  await db
    .deleteFrom("mentions")
    .where("agent_id", "=", agentId)
    .where("removed_at", "is", null)
    .where("kind", "=", kind)
    .where("agent_name", "=", agentName)
    .execute();
}

/** Returns all items of a message, also acknowledged ones. */
export function itemsOfMessage(db: Db, messageId: number): Promise<ItemRow[]> {
  return db.selectFrom("mentions").selectAll().where("message_id", "=", messageId).orderBy("id").execute();
}

/**
 * Removes pending items of the agent, of all kinds or of one, in these channels (0: in none) or in all. Returns the ids
 * it removed; with concurrent readers only one gets each id.
 */
export async function removeItems(
  db: Db,
  agentId: number,
  which: { ids: readonly number[] } | { upTo: number },
  { now, kind, places = null }: { now: number; kind: ItemKind | null; places?: readonly number[] | null },
): Promise<number[]> {
  if ("ids" in which && which.ids.length === 0) return [];
  let query = db
    .updateTable("mentions")
    .set({ removed_at: now })
    .where("agent_id", "=", agentId)
    .where("removed_at", "is", null);
  if (kind !== null) query = query.where("kind", "=", kind);
  if (places !== null) query = query.where("channel_id", "in", places);
  query = "ids" in which ? query.where("id", "in", which.ids) : query.where("id", "<=", which.upTo);
  return (await query.returning("id").execute()).map((row) => row.id);
}

/** The items of one kind under one name. */
export interface Pile {
  agentId: number;
  agentName: string;
  kind: ItemKind;
}

/** Returns the piles of more than `max` pending items, of one agent or of all. */
export async function crowdedPiles(db: Db, max: number, agentId?: number): Promise<Pile[]> {
  let query = db
    .selectFrom("mentions")
    .select(["agent_id", "agent_name", "kind"])
    .where("removed_at", "is", null)
    .groupBy(["agent_id", "agent_name", "kind"])
    .having((eb) => eb.fn.countAll(), ">", max);
  if (agentId !== undefined) query = query.where("agent_id", "=", agentId);
  return (await query.execute()).map(({ agent_id, agent_name, kind }) => {
    return { agentId: agent_id, agentName: agent_name, kind };
  });
}

/** Drops all but the newest `max` pending items of a pile and returns how many. Call inside `transact`. */
export async function dropOldest(db: Db, { agentId, agentName, kind }: Pile, max: number): Promise<number> {
  const newest = await db
    .selectFrom("mentions")
    .select("id")
    .where("agent_id", "=", agentId)
    .where("agent_name", "=", agentName)
    .where("kind", "=", kind)
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
    .where("kind", "=", kind)
    .where("removed_at", "is", null)
    .where("id", "<=", newest.id)
    .executeTakeFirst();
  return Number(dropped.numDeletedRows);
}

/** The kinds that are made only for agents that asked, as the index of them names them. */
const PASSING = sql.raw("kind in ('reply', 'command', 'message', 'edit', 'reaction', 'membership')");

/** Deletes items for which agents asked that are older than this, pending or not. */
export async function deletePassed(db: Db, before: number): Promise<void> {
  await db.deleteFrom("mentions").where(sql<boolean>`${PASSING}`).where("created_at", "<=", before).execute();
}

/** Deletes items that were removed before this time. */
export async function purgeRemoved(db: Db, before: number): Promise<void> {
  await db.deleteFrom("mentions").where("removed_at", "<=", before).execute();
}

/** Deletes the items of messages that are deleted. */
export async function deleteItemsOf(db: Db, messageIds: readonly number[]): Promise<void> {
  await db.deleteFrom("mentions").where("message_id", "in", messageIds).execute();
}

/** Deletes the mentions of agents by these names in a message, also acknowledged ones. */
export async function deleteMentionsOf(db: Db, messageId: number, agentNames: readonly string[]): Promise<void> {
  await db
    .deleteFrom("mentions")
    .where("message_id", "=", messageId)
    .where("kind", "=", "mention")
    .where("agent_name", "in", agentNames)
    .execute();
}
