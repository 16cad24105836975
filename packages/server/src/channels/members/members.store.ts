import { sql } from "kysely";
import { nameKey } from "../../accounts/names/names.ts";
import type { Db } from "../../db/db.ts";
import { holdRows } from "../../db/dialect.ts";
import type { ChannelRole, Membership } from "../channel.ts";
import { keepMuteOfAgent, keepMuteOfUser, keptMuteOfAgent, keptMuteOfUser } from "./kept-mutes.store.ts";

/** `isHeld`: it stays as it is until the transaction ends. */
export async function findMembership(
  db: Db,
  channelId: number,
  userId: number,
  isHeld = false,
): Promise<Membership | null> {
  const query = db
    .selectFrom("channel_members")
    .select(["role", "muted_until"])
    .where("channel_id", "=", channelId)
    .where("user_id", "=", userId);
  const row = await (isHeld ? holdRows(db, query) : query).executeTakeFirst();
  return row === undefined ? null : { role: row.role, mutedUntil: row.muted_until };
}

/** As `findMembership`, for an agent that was added. */
export async function findAgentMembership(
  db: Db,
  channelId: number,
  agentId: number,
  isHeld = false,
): Promise<Membership | null> {
  const query = db
    .selectFrom("channel_agents")
    .select("muted_until")
    .where("channel_id", "=", channelId)
    .where("agent_id", "=", agentId);
  const row = await (isHeld ? holdRows(db, query) : query).executeTakeFirst();
  return row === undefined ? null : { role: "member", mutedUntil: row.muted_until };
}

/** Counts users and added agents, as the member list does. */
export const memberCountOf = async (db: Db, channelId: number): Promise<number> =>
  (await memberCountsOf(db, [channelId])).get(channelId) ?? 0;

/** Counts the same for several channels. One without members is not in the result. */
export async function memberCountsOf(db: Db, channelIds: readonly number[]): Promise<Map<number, number>> {
  const countIn = (table: "channel_members" | "channel_agents") =>
    db
      .selectFrom(table)
      .select((eb) => ["channel_id", eb.fn.countAll<number | string>().as("n")])
      .where("channel_id", "in", channelIds)
      .groupBy("channel_id");
  const rows = await countIn("channel_members").unionAll(countIn("channel_agents")).execute();
  const counts = new Map<number, number>();
  for (const { channel_id, n } of rows) counts.set(channel_id, (counts.get(channel_id) ?? 0) + Number(n));
  return counts;
}

/** Returns the ids of the channel's users. */
export async function memberIds(db: Db, channelId: number): Promise<number[]> {
  const rows = await db
    .selectFrom("channel_members")
    .select("user_id")
    .where("channel_id", "=", channelId)
    .orderBy("user_id")
    .execute();
  return rows.map((row) => row.user_id);
}

/**
 * Returns false if the user is already a member; their role then stays. Messages from before the join count as read. A
 * stored mute is restored, except for an owner.
 */
export async function insertMember(
  db: Db,
  member: { channelId: number; userId: number; role: ChannelRole; joinedAt: number },
): Promise<boolean> {
  const result = await db
    .insertInto("channel_members")
    .values({
      channel_id: member.channelId,
      user_id: member.userId,
      role: member.role,
      muted_until: member.role === "owner" ? null : keptMuteOfUser(member.channelId, member.userId),
      joined_at: member.joinedAt,
      last_read_seq: sql<number>`(select last_seq from channels where id = ${member.channelId})`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/**
 * Deletes a membership but keeps its mute. Returns false if the user is not a member or owns the channel; an owner's
 * membership ends only with the channel.
 */
export async function deleteMember(db: Db, channelId: number, userId: number): Promise<boolean> {
  await keepMuteOfUser(db, channelId, userId);
  const result = await db
    .deleteFrom("channel_members")
    .where("channel_id", "=", channelId)
    .where("user_id", "=", userId)
    .where("role", "!=", "owner")
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** The fields of a membership that can change. */
export interface MemberPatch {
  role?: ChannelRole;
  muted_until?: number | null;
}

export async function updateMember(db: Db, channelId: number, userId: number, patch: MemberPatch): Promise<void> {
  await db
    .updateTable("channel_members")
    .set(patch)
    .where("channel_id", "=", channelId)
    .where("user_id", "=", userId)
    .execute();
}

/** Returns false if the agent was already added. A stored mute is restored. */
export async function insertAgent(
  db: Db,
  agent: { channelId: number; agentId: number; addedBy: number | null; joinedAt: number },
): Promise<boolean> {
  const result = await db
    .insertInto("channel_agents")
    .values({
      channel_id: agent.channelId,
      agent_id: agent.agentId,
      added_by: agent.addedBy,
      muted_until: keptMuteOfAgent(agent.channelId, agent.agentId),
      joined_at: agent.joinedAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Removes the agent but keeps its mute. */
export async function deleteAgent(db: Db, channelId: number, agentId: number): Promise<boolean> {
  await keepMuteOfAgent(db, channelId, agentId);
  const result = await db
    .deleteFrom("channel_agents")
    .where("channel_id", "=", channelId)
    .where("agent_id", "=", agentId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function muteAgent(db: Db, channelId: number, agentId: number, until: number | null): Promise<void> {
  await db
    .updateTable("channel_agents")
    .set({ muted_until: until })
    .where("channel_id", "=", channelId)
    .where("agent_id", "=", agentId)
    .execute();
}

/** A user or agent with its own name, member or not. */
export type Actor = { kind: "user"; id: number; name: string } | { kind: "agent"; id: number; name: string };

/** Returns the actor with this name; null if there is none. */
export async function findActor(db: Db, name: string): Promise<Actor | null> {
  const row = await db.selectFrom("names").selectAll().where("name_key", "=", nameKey(name)).executeTakeFirst();
  if (row === undefined) return null;
  if (row.user_id !== null) return { kind: "user", id: row.user_id, name: row.name };
  return row.agent_id === null ? null : { kind: "agent", id: row.agent_id, name: row.name };
}

/** Returns the agent with this id and its first name; null if there is none. */
export async function findAgent(
  db: Db,
  id: number,
): Promise<{ kind: "agent"; id: number; name: string | null } | null> {
  const row = await db
    .selectFrom("agents as a")
    .leftJoin("names as n", "n.agent_id", "a.id")
    .select(["a.id", "n.name"])
    .where("a.id", "=", id)
    .orderBy("n.name")
    .executeTakeFirst();
  return row === undefined ? null : { kind: "agent", id: row.id, name: row.name };
}

/** Returns the actor's site level; null for none, and for agents. */
export async function adminLevelOf(db: Db, actor: Actor): Promise<number | null> {
  if (actor.kind === "agent") return null;
  return (
    (await db.selectFrom("users").select("admin_level").where("id", "=", actor.id).executeTakeFirst())?.admin_level ??
    null
  );
}

export interface MemberRow {
  kind: "user" | "agent";
  name: string;
  role: ChannelRole;
  muted_until: number | null;
  joined_at: number;
}

/** Returns the actor's membership without the caches; null if there is none. */
export async function findMember(db: Db, channelId: number, actor: Actor): Promise<MemberRow | null> {
  if (actor.kind === "user") {
    const row = await db
      .selectFrom("channel_members")
      .select(["role", "muted_until", "joined_at"])
      .where("channel_id", "=", channelId)
      .where("user_id", "=", actor.id)
      .executeTakeFirst();
    return row === undefined ? null : { kind: "user", name: actor.name, ...row };
  }
  const row = await db
    .selectFrom("channel_agents")
    .select(["muted_until", "joined_at"])
    .where("channel_id", "=", channelId)
    .where("agent_id", "=", actor.id)
    .executeTakeFirst();
  return row === undefined ? null : { kind: "agent", name: actor.name, role: "member", ...row };
}

/** Returns the channel's agents that have no name of their own. */
export async function namelessAgents(db: Db, channelId: number): Promise<number[]> {
  const rows = await db
    .selectFrom("channel_agents as m")
    .leftJoin("names as n", "n.agent_id", "m.agent_id")
    .select("m.agent_id")
    .where("m.channel_id", "=", channelId)
    .where("n.name_key", "is", null)
    .execute();
  return rows.map(({ agent_id }) => agent_id);
}

/** Returns the logins of agents in a channel, one for each of their names. */
export function agentLogins(db: Db, channelId: number): Promise<{ agent_id: number; agent_name: string }[]> {
  return db
    .selectFrom("agent_presence")
    .select(["agent_id", "agent_name"])
    .where("channel_id", "=", channelId)
    .orderBy("since")
    .execute();
}
