import { sql } from "kysely";
import type { Db } from "../../db/db.ts";
import type { MemberKey } from "../../http/identity.ts";

/** Expression for the statement that makes the user a member again. */
export const keptMuteOfUser = (channelId: number, userId: number) =>
  sql<number | null>`(select muted_until from kept_mutes where channel_id = ${channelId} and user_id = ${userId})`;

/** Expression for the statement that adds the agent again. */
export const keptMuteOfAgent = (channelId: number, agentId: number) =>
  sql<
    number | null
  >`(select muted_until from kept_agent_mutes where channel_id = ${channelId} and agent_id = ${agentId})`;

/** Stores the mute of a member who is about to leave. A member without a mute loses an earlier stored one. */
export async function keepMuteOfUser(db: Db, channelId: number, userId: number): Promise<void> {
  await db.deleteFrom("kept_mutes").where("channel_id", "=", channelId).where("user_id", "=", userId).execute();
  await db
    .insertInto("kept_mutes")
    .columns(["channel_id", "user_id", "muted_until"])
    .expression((from) =>
      from
        .selectFrom("channel_members")
        .select(["channel_id", "user_id", sql<number>`muted_until`.as("muted_until")])
        .where("channel_id", "=", channelId)
        .where("user_id", "=", userId)
        .where("role", "!=", "owner")
        .where("muted_until", "is not", null),
    )
    .execute();
}

/** Stores the mute of an agent that is about to be removed. Without a membership, an earlier stored mute remains. */
export async function keepMuteOfAgent(db: Db, channelId: number, agentId: number): Promise<void> {
  const place = await db
    .selectFrom("channel_agents")
    .select("muted_until")
    .where("channel_id", "=", channelId)
    .where("agent_id", "=", agentId)
    .executeTakeFirst();
  if (place === undefined) return;
  await db.deleteFrom("kept_agent_mutes").where("channel_id", "=", channelId).where("agent_id", "=", agentId).execute();
  if (place.muted_until === null) return;
  const kept = { channel_id: channelId, agent_id: agentId, muted_until: place.muted_until };
  await db.insertInto("kept_agent_mutes").values(kept).execute();
}

/** Returns until when a non-member was muted when they left; null: not muted. */
export async function findKeptMute(db: Db, channelId: number, member: MemberKey): Promise<number | null> {
  const id = Number(member.slice(1));
  const ofUser = db.selectFrom("kept_mutes").where("user_id", "=", id);
  const ofAgent = db.selectFrom("kept_agent_mutes").where("agent_id", "=", id);
  const row = member.startsWith("u")
    ? await ofUser.where("channel_id", "=", channelId).select("muted_until").executeTakeFirst()
    : await ofAgent.where("channel_id", "=", channelId).select("muted_until").executeTakeFirst();
  return row?.muted_until ?? null;
}
