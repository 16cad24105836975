import type { Db } from "../../db/db.ts";

/** Agents of a channel that are looked at: bounds the work for one request. */
const AGENTS_MAX = 50;
/** The largest number of an agent's channels that receive its change. */
const CHANNELS_MAX = 100;

/** An agent that belongs to a channel, with the name under which it is, or was, in it. */
export interface Place {
  agent_id: number;
  name: string | null;
}

/** Returns the agents that are logged in to a channel, were added to it, or converse with a user in it. */
export async function agentsOf(db: Db, channelId: number): Promise<Place[]> {
  const loggedIn = db
    .selectFrom("agent_presence")
    .select(["agent_id", "agent_name as name"])
    .where("channel_id", "=", channelId)
    .limit(AGENTS_MAX)
    .execute();
  const added = db
    .selectFrom("channel_agents")
    .leftJoin("names", "names.agent_id", "channel_agents.agent_id")
    .select(["channel_agents.agent_id", "names.name"])
    .where("channel_agents.channel_id", "=", channelId)
    .limit(AGENTS_MAX)
    .execute();
  const direct = db
    .selectFrom("direct_agents")
    .select(["agent_id", "agent_name as name"])
    .where("channel_id", "=", channelId)
    .limit(1)
    .execute();
  return (await Promise.all([loggedIn, added, direct])).flat();
}

/** Returns what the reasons depend on. An agent whose owner is suspended is paused. */
export async function statesOfAgents(db: Db, agentIds: readonly number[], channelId: number, now: number) {
  const rows = await db
    .selectFrom("agents")
    .leftJoin("users as owner", (join) =>
      join
        .onRef("owner.id", "=", "agents.owner_user_id")
        .on("agents.owner_verified", "=", 1)
        .on("owner.erased_at", "is", null),
    )
    .select(["agents.id", "agents.paused", "agents.away_at", "agents.held_at", "agents.last_seen_at"])
    .select(["owner.id as owner_id", "owner.username as owner", "owner.suspended_until"])
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom("agent_presence")
            .select("agent_presence.since")
            .whereRef("agent_presence.agent_id", "=", "agents.id")
            .where("agent_presence.channel_id", "=", channelId),
        )
        .as("is_logged_in"),
    )
    .where("agents.id", "in", agentIds.slice(0, AGENTS_MAX))
    .orderBy("agents.id")
    .execute();
  return rows.map(({ paused, suspended_until, is_logged_in, ...row }) => ({
    ...row,
    isPaused: paused === 1 || (suspended_until ?? 0) > now,
    isLoggedIn: Boolean(is_logged_in),
  }));
}

/** Returns how many mentions and direct messages of a channel wait, by agent. */
export async function waitingIn(
  db: Db,
  channelId: number,
  agentIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom("mentions")
    .select((eb) => ["agent_id", eb.fn.countAll<number | string>().as("count")])
    .where("agent_id", "in", agentIds.slice(0, AGENTS_MAX))
    .where("removed_at", "is", null)
    .where("channel_id", "=", channelId)
    .where("kind", "in", ["mention", "direct"])
    .groupBy("agent_id")
    .execute();
  return new Map(rows.map(({ agent_id, count }) => [agent_id, Number(count)]));
}

/** Returns the channels to which an agent was added, in which it is logged in, or in which it converses with a user. */
export async function channelsOf(db: Db, agentId: number): Promise<number[]> {
  const rows = await db
    .selectFrom("agent_presence")
    .select("channel_id")
    .where("agent_id", "=", agentId)
    .union(db.selectFrom("channel_agents").select("channel_id").where("agent_id", "=", agentId))
    .union(db.selectFrom("direct_agents").select("channel_id").where("agent_id", "=", agentId))
    .limit(CHANNELS_MAX)
    .execute();
  return rows.map(({ channel_id }) => channel_id);
}

/** Returns an agent's verified owner, and one of its names. */
export function ownerOf(db: Db, agentId: number) {
  return db
    .selectFrom("agents")
    .leftJoin("names", "names.agent_id", "agents.id")
    .select(["agents.owner_user_id", "names.name"])
    .where("agents.id", "=", agentId)
    .where("agents.owner_verified", "=", 1)
    .orderBy("names.name_key")
    .limit(1)
    .executeTakeFirst();
}
