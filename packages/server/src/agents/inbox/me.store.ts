import type { Db } from "../../db/db.ts";

/** Returns an agent with one of its keys and its owner. */
export function agentBehind(db: Db, keyId: string) {
  return db
    .selectFrom("api_keys")
    .innerJoin("agents", "agents.id", "api_keys.agent_id")
    .leftJoin("users", (join) => join.onRef("users.id", "=", "agents.owner_user_id").on("users.erased_at", "is", null))
    .select(["api_keys.created_at", "api_keys.revoked_at", "agents.paused", "agents.owner_verified", "users.username"])
    .where("api_keys.id", "=", keyId)
    .executeTakeFirst();
}

/** Returns the names that are bound to an agent. */
export async function namesOf(db: Db, agentId: number): Promise<string[]> {
  const rows = await db
    .selectFrom("names")
    .select("name")
    .where("agent_id", "=", agentId)
    .orderBy("name_key")
    .execute();
  return rows.map(({ name }) => name);
}

/** Returns the existing channels that an agent is logged in to, a row for each name, or was added to. */
export async function placesOf(db: Db, agentId: number) {
  return db
    .selectFrom("channels")
    .leftJoin("agent_presence", (join) =>
      join.onRef("agent_presence.channel_id", "=", "channels.id").on("agent_presence.agent_id", "=", agentId),
    )
    .select(["channels.id", "channels.slug", "channels.last_seq", "agent_presence.agent_name"])
    .where("channels.deleted_at", "is", null)
    .where((eb) =>
      eb(
        "channels.id",
        "in",
        eb
          .selectFrom("agent_presence as here")
          .select("here.channel_id")
          .where("here.agent_id", "=", agentId)
          .union(eb.selectFrom("channel_agents").select("channel_id").where("agent_id", "=", agentId)),
      ),
    )
    .orderBy("channels.id")
    .orderBy("agent_presence.name_key")
    .execute();
}
