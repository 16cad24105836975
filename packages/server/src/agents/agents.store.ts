import type { AgentLogin } from "../channels/members/agents-online.ts";
import type { Db } from "../db/db.ts";

/** Returns false if the agent is already logged in there under that name. */
export async function insertPresence(db: Db, row: Omit<AgentLogin, "away_at">): Promise<boolean> {
  const inserted = await db
    .insertInto("agent_presence")
    .values(row)
    .onConflict((conflict) => conflict.columns(["channel_id", "name_key", "agent_id"]).doNothing())
    .returning("since")
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Deletes the agent's presence rows, narrowed by channel and name where given. Returns the deleted rows. */
export function deletePresence(
  db: Db,
  agentId: number,
  only: { channelId?: number; nameKey?: string } = {},
): Promise<AgentLogin[]> {
  let query = db.deleteFrom("agent_presence").where("agent_id", "=", agentId);
  if (only.channelId !== undefined) query = query.where("channel_id", "=", only.channelId);
  if (only.nameKey !== undefined) query = query.where("name_key", "=", only.nameKey);
  return query.returningAll().execute();
}

/**
 * Returns every valid presence row, or those of some agents: the channel exists, and the agent is not paused and has an
 * accepted key.
 */
export function livePresence(db: Db, now: number, agentIds?: readonly number[]): Promise<AgentLogin[]> {
  const all = db
    .selectFrom("agent_presence")
    .innerJoin("channels", "channels.id", "agent_presence.channel_id")
    .innerJoin("agents", "agents.id", "agent_presence.agent_id")
    .selectAll("agent_presence")
    .select("agents.away_at")
    .where("channels.deleted_at", "is", null)
    .where("agents.paused", "=", 0)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("api_keys")
          .select("api_keys.id")
          .whereRef("api_keys.agent_id", "=", "agent_presence.agent_id")
          .where((key) => key.or([key("api_keys.revoked_at", "is", null), key("api_keys.revoked_at", ">", now)])),
      ),
    )
    .orderBy("agent_presence.since");
  return (agentIds === undefined ? all : all.where("agent_presence.agent_id", "in", agentIds)).execute();
}

/** Deletes the presence of agents that have not called since `before`. Returns the deleted rows. */
export function deleteIdlePresence(db: Db, before: number): Promise<AgentLogin[]> {
  return db
    .deleteFrom("agent_presence")
    .where("since", "<=", before)
    .where("agent_id", "in", (eb) =>
      eb
        .selectFrom("agents")
        .select("agents.id")
        .where((agent) => agent.or([agent("last_seen_at", "is", null), agent("last_seen_at", "<=", before)])),
    )
    .returningAll()
    .execute();
}

/** Returns the agent that a name is bound to. */
export function findName(db: Db, key: string): Promise<{ name: string; agent_id: number | null } | undefined> {
  return db.selectFrom("names").select(["name", "agent_id"]).where("name_key", "=", key).executeTakeFirst();
}

/** Names of one agent that are read at once; an agent may have any number. */
const NAMES_MAX = 100;

/** Returns the names that are bound to an agent, in alphabetical order; the first 100. */
export async function namesOfAgent(db: Db, agentId: number): Promise<string[]> {
  const rows = await db
    .selectFrom("names")
    .select("name")
    .where("agent_id", "=", agentId)
    .orderBy("name_key")
    .limit(NAMES_MAX)
    .execute();
  return rows.map(({ name }) => name);
}

/** Returns what everybody may know of an agent. A name that an owner has not confirmed is left out. */
export async function agentProfile(db: Db, key: string) {
  return db
    .selectFrom("names")
    .innerJoin("agents", "agents.id", "names.agent_id")
    .leftJoin("users", (join) =>
      join
        .onRef("users.id", "=", "agents.owner_user_id")
        .on("agents.owner_verified", "=", 1)
        .on("users.erased_at", "is", null),
    )
    .select(["names.name", "users.username as owner", "agents.dm_policy", "agents.last_seen_at", "agents.created_at"])
    .where("names.name_key", "=", key)
    .executeTakeFirst();
}

/** Returns the agents this user is the verified owner of. */
export async function agentsOwnedBy(db: Db, userId: number): Promise<number[]> {
  const rows = await db
    .selectFrom("agents")
    .select("id")
    .where("owner_user_id", "=", userId)
    .where("owner_verified", "=", 1)
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns the agent a key belongs to, even if the key is revoked. */
export async function agentOfKey(db: Db, keyId: string): Promise<number | undefined> {
  return (await db.selectFrom("api_keys").select("agent_id").where("id", "=", keyId).executeTakeFirst())?.agent_id;
}
