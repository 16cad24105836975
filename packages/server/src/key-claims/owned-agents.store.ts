import type { Kysely } from "kysely";
import type { Tables } from "../db/tables/tables.ts";

type Db = Kysely<Tables>;

export interface OwnedAgentRow {
  id: number;
  owner_verified: number;
  paused: number;
  last_seen_at: number | null;
  created_at: number;
  dropped_mentions: number;
  username: string | null;
}

/** Returns agents, newest first: those that name this user their owner, or all of them for the command line (null). */
export function listAgents(
  db: Db,
  ownerId: number | null,
  page: { limit: number; offset: number },
): Promise<OwnedAgentRow[]> {
  let query = agents(db).orderBy("agents.id", "desc").limit(page.limit).offset(page.offset);
  if (ownerId !== null) query = query.where("agents.owner_user_id", "=", ownerId);
  return query.execute();
}

export function readAgent(db: Db, agentId: number): Promise<OwnedAgentRow | undefined> {
  return agents(db).where("agents.id", "=", agentId).executeTakeFirst();
}

function agents(db: Db) {
  return db
    .selectFrom("agents")
    .leftJoin("users", "users.id", "agents.owner_user_id")
    .select([
      "agents.id",
      "agents.owner_verified",
      "agents.paused",
      "agents.last_seen_at",
      "agents.created_at",
      "agents.dropped_mentions",
      "users.username",
    ]);
}

export interface AgentPlace {
  agent_id: number;
  channel_id: number;
}

/** Returns where these agents are logged in, under any name. */
export function placesOfAgents(db: Db, agentIds: readonly number[]): Promise<AgentPlace[]> {
  return db
    .selectFrom("agent_presence")
    .select(["agent_id", "channel_id"])
    .distinct()
    .where("agent_id", "in", agentIds)
    .execute();
}

/** Returns the channels these agents were added to. */
export function memberships(db: Db, agentIds: readonly number[]): Promise<AgentPlace[]> {
  return db.selectFrom("channel_agents").select(["agent_id", "channel_id"]).where("agent_id", "in", agentIds).execute();
}

export interface ActivityRow extends AgentPlace {
  message_count: number;
  last_message_at: number;
}

export function activityOf(db: Db, agentIds: readonly number[]): Promise<ActivityRow[]> {
  return db
    .selectFrom("agent_activity")
    .select(["agent_id", "channel_id", "message_count", "last_message_at"])
    .where("agent_id", "in", agentIds)
    .execute();
}

/** Returns those of these channels that exist. */
export function slugsOf(db: Db, channelIds: readonly number[]): Promise<{ id: number; slug: string }[]> {
  return db
    .selectFrom("channels")
    .select(["id", "slug"])
    .where("id", "in", channelIds)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .execute();
}

export interface Sent {
  agent_id: number;
  message_count: number;
  last_message_at: number;
}

/** Counts each agent's messages in a range of a channel's sequence numbers, ordered by agent id. */
export async function sentIn(db: Db, channelId: number, after: number, upTo: number): Promise<Sent[]> {
  const rows = await db
    .selectFrom("messages")
    .select((eb) => [
      "agent_id",
      eb.fn.countAll<number | string>().as("message_count"),
      eb.fn.max("created_at").as("last_message_at"),
    ])
    .where("channel_id", "=", channelId)
    .where("seq", ">", after)
    .where("seq", "<=", upTo)
    .where("agent_id", "is not", null)
    .groupBy("agent_id")
    .orderBy("agent_id")
    .execute();
  return rows.map((row) => ({
    agent_id: Number(row.agent_id),
    message_count: Number(row.message_count),
    last_message_at: Number(row.last_message_at),
  }));
}

export async function addActivity(db: Db, channelId: number, sent: readonly Sent[]): Promise<void> {
  await db
    .insertInto("agent_activity")
    .values(sent.map((row) => ({ ...row, channel_id: channelId })))
    .onConflict((conflict) =>
      conflict.columns(["agent_id", "channel_id"]).doUpdateSet((eb) => ({
        message_count: eb("agent_activity.message_count", "+", eb.ref("excluded.message_count")),
        last_message_at: eb.ref("excluded.last_message_at"),
      })),
    )
    .execute();
}
