import { CARD_VOTES_SHOWN } from "@parley/protocol/card-limits";
import type { Insertable, Selectable } from "kysely";
import type { Db } from "../../db/db.ts";
import { lockRows } from "../../db/dialect.ts";
import type { InteractionPressesTable, InteractionsTable } from "../../db/tables/cards.ts";

export type InteractionRow = Selectable<InteractionsTable>;
export type PressRow = Selectable<InteractionPressesTable> & {
  /** null: the account was erased. */
  username: string | null;
};

export async function insertInteraction(
  db: Db,
  row: Insertable<InteractionsTable>,
  userIds: readonly number[],
): Promise<void> {
  await db.insertInto("interactions").values(row).execute();
  const users = userIds.map((user_id) => ({ message_id: row.message_id, user_id }));
  if (users.length > 0) await db.insertInto("interaction_users").values(users).execute();
}

export function findInteraction(db: Db, messageId: number): Promise<InteractionRow | undefined> {
  return db.selectFrom("interactions").selectAll().where("message_id", "=", messageId).executeTakeFirst();
}

/**
 * Reads an interaction and locks it until the transaction ends. A deleted channel's row locks nothing, so this lets its
 * questions end once. Lock the channel first.
 */
export function lockInteraction(db: Db, messageId: number): Promise<InteractionRow | undefined> {
  return db
    .updateTable("interactions")
    .set((eb) => ({ status: eb.ref("status") }))
    .where("message_id", "=", messageId)
    .returningAll()
    .executeTakeFirst();
}

export async function updateInteraction(db: Db, messageId: number, change: Partial<InteractionRow>): Promise<void> {
  await db.updateTable("interactions").set(change).where("message_id", "=", messageId).execute();
}

/** Locks an agent's row until the transaction ends, so that its questions are counted one after the other. */
export async function lockAsker(db: Db, agentId: number): Promise<void> {
  await lockRows(db, db.selectFrom("agents").select("id").where("id", "=", agentId)).execute();
}

export async function countOpen(db: Db, agentId: number): Promise<number> {
  const row = await db
    .selectFrom("interactions")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("agent_id", "=", agentId)
    .where("status", "=", "open")
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

const presses = (db: Db) =>
  db
    .selectFrom("interaction_presses as p")
    .leftJoin("users", "users.id", "p.user_id")
    .selectAll("p")
    .select("users.username");

/**
 * Returns the presses that a record shows, oldest first: all of an approval or a choice, which have few, and the newest
 * of an open card, to which a whole channel may answer.
 */
export async function pressesOf(
  db: Db,
  { message_id, kind }: Pick<InteractionRow, "message_id" | "kind">,
): Promise<PressRow[]> {
  const all = presses(db).where("p.message_id", "=", message_id);
  if (kind !== "open") return all.orderBy("p.id").execute();
  return (await all.orderBy("p.id", "desc").limit(CARD_VOTES_SHOWN).execute()).reverse();
}

/** Returns a user's presses of an interaction. */
export const pressesBy = (db: Db, messageId: number, userId: number): Promise<PressRow[]> =>
  presses(db).where("p.message_id", "=", messageId).where("p.user_id", "=", userId).execute();

export const findPress = (db: Db, id: number): Promise<PressRow | undefined> =>
  presses(db).where("p.id", "=", id).executeTakeFirst();

export async function insertPress(db: Db, press: Insertable<InteractionPressesTable>): Promise<number> {
  const { id } = await db.insertInto("interaction_presses").values(press).returning("id").executeTakeFirstOrThrow();
  return id;
}

/** The facts that decide whether a user may answer, as they are now. */
export interface AnswererRow {
  admin_level: number | null;
  /** The role in the channel; null: not a member. */
  role: "owner" | "admin" | "member" | null;
  muted_until: number | null;
  /** Not null if the card names the user. */
  named: number | null;
  /** The verified owner of the agent that asks. */
  owner_id: number | null;
}

export function answererOf(
  db: Db,
  userId: number,
  { message_id, channel_id, agent_id }: Pick<InteractionRow, "message_id" | "channel_id" | "agent_id">,
): Promise<AnswererRow | undefined> {
  return db
    .selectFrom("users")
    .leftJoin("channel_members as m", (join) =>
      join.onRef("m.user_id", "=", "users.id").on("m.channel_id", "=", channel_id),
    )
    .leftJoin("interaction_users as n", (join) =>
      join.onRef("n.user_id", "=", "users.id").on("n.message_id", "=", message_id),
    )
    .select(["users.admin_level", "m.role", "m.muted_until", "n.user_id as named"])
    .select((eb) =>
      eb
        .selectFrom("agents")
        .select("agents.owner_user_id")
        .where("agents.id", "=", agent_id)
        .where("agents.owner_verified", "=", 1)
        .as("owner_id"),
    )
    .where("users.id", "=", userId)
    .executeTakeFirst();
}

/** Returns the users with these names, without erased accounts. */
export function usersNamed(db: Db, keys: readonly string[]): Promise<{ id: number; username: string; key: string }[]> {
  if (keys.length === 0) return Promise.resolve([]);
  return db
    .selectFrom("users")
    .select(["id", "username", "username_key as key"])
    .where("username_key", "in", keys)
    .where("erased_at", "is", null)
    .execute();
}

/** Returns the verified owner of an agent. */
export async function verifiedOwner(db: Db, agentId: number): Promise<number | null> {
  const row = await db
    .selectFrom("agents")
    .select("owner_user_id")
    .where("id", "=", agentId)
    .where("owner_verified", "=", 1)
    .executeTakeFirst();
  return row?.owner_user_id ?? null;
}

/** Returns open interactions at which the background job must look now. */
export function dueInteractions(db: Db, now: number, limit: number): Promise<InteractionRow[]> {
  return db
    .selectFrom("interactions")
    .selectAll()
    .where("status", "=", "open")
    .where("due_at", "<=", now)
    .orderBy("due_at")
    .limit(limit)
    .execute();
}

/** Has the background job cancel the open interactions of a channel, of agents or of messages. */
export async function withdraw(
  db: Db,
  which: { channelId: number } | { ownerId: number } | { messageIds: readonly number[] },
  reason: NonNullable<InteractionRow["cancel_reason"]>,
): Promise<void> {
  const query = db
    .updateTable("interactions")
    .set({ cancel_reason: reason, due_at: 0 })
    .where("status", "=", "open")
    .where("cancel_reason", "is", null);
  if ("channelId" in which) await query.where("channel_id", "=", which.channelId).execute();
  else if ("messageIds" in which) await query.where("message_id", "in", which.messageIds).execute();
  else
    await query
      .where("agent_id", "in", (eb) =>
        eb
          .selectFrom("agents")
          .select("agents.id")
          .where("agents.owner_user_id", "=", which.ownerId)
          .where("agents.owner_verified", "=", 1),
      )
      .execute();
}

/** Deletes up to `limit` interactions that ended before this time and whose messages are gone; returns how many. */
export async function forgetEnded(db: Db, before: number, limit: number): Promise<number> {
  const rows = await db
    .selectFrom("interactions as i")
    .leftJoin("messages as m", "m.id", "i.message_id")
    .select("i.message_id")
    .where("i.decided_at", "<", before)
    .where((eb) => eb.or([eb("m.id", "is", null), eb("m.card", "is", null)]))
    .limit(limit)
    .execute();
  const ids = rows.map(({ message_id }) => message_id);
  if (ids.length > 0) await db.deleteFrom("interactions").where("message_id", "in", ids).execute();
  return ids.length;
}
