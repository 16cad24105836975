import type { Db } from "../db/db.ts";

/** Returns the channels the user owns that are not deleted. */
export function ownedChannels(db: Db, userId: number): Promise<{ id: number; slug: string; name: string }[]> {
  return db
    .selectFrom("channels")
    .select(["id", "slug", "name"])
    .where("owner_id", "=", userId)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .execute();
}

/** Makes the user's channels ownerless; returns their ids. */
export async function disownChannels(db: Db, userId: number): Promise<number[]> {
  const rows = await db
    .updateTable("channels")
    .set({ owner_id: null })
    .where("owner_id", "=", userId)
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** Deletes up to `limit` of the user's memberships with their read positions; returns the channel ids. */
export async function endMemberships(db: Db, userId: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom("channel_members")
    .select("channel_id")
    .where("user_id", "=", userId)
    .orderBy("channel_id")
    .limit(limit)
    .execute();
  const ids = rows.map(({ channel_id }) => channel_id);
  await db.deleteFrom("kept_mutes").where("user_id", "=", userId).execute();
  if (ids.length > 0) {
    await db.deleteFrom("channel_members").where("user_id", "=", userId).where("channel_id", "in", ids).execute();
  }
  return ids;
}

export interface Conversation {
  channel_id: number;
  low_user_id: number;
  high_user_id: number;
  low_username: string;
  high_username: string;
}

/** Returns up to `limit` of the user's conversations, in channels after this id. */
export function conversationsAfter(db: Db, userId: number, channelId: number, limit: number): Promise<Conversation[]> {
  return db
    .selectFrom("direct_channels as direct")
    .innerJoin("users as low", "low.id", "direct.low_user_id")
    .innerJoin("users as high", "high.id", "direct.high_user_id")
    .select(["direct.channel_id", "direct.low_user_id", "direct.high_user_id"])
    .select(["low.username as low_username", "high.username as high_username"])
    .where((eb) => eb.or([eb("direct.low_user_id", "=", userId), eb("direct.high_user_id", "=", userId)]))
    .where("direct.channel_id", ">", channelId)
    .orderBy("direct.channel_id")
    .limit(limit)
    .execute();
}

/** Renames a conversation; soft-deletes it if it has no members left. Clears the closed mark of `side`. */
export async function leaveConversation(
  db: Db,
  channelId: number,
  { side, name, now }: { side: "low_closed_seq" | "high_closed_seq"; name: string; now: number },
): Promise<void> {
  await db
    .updateTable("direct_channels")
    .set({ [side]: null })
    .where("channel_id", "=", channelId)
    .execute();
  await db.updateTable("channels").set({ name }).where("id", "=", channelId).execute();
  await db
    .updateTable("channels")
    .set({ deleted_at: now })
    .where("id", "=", channelId)
    .where("deleted_at", "is", null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("channel_members").select("user_id").where("channel_id", "=", channelId))),
    )
    .execute();
}

/** Returns up to `limit` of the user's conversations with agents, in channels after this id. */
export function conversationsWithAgents(
  db: Db,
  userId: number,
  channelId: number,
  limit: number,
): Promise<{ channel_id: number; agent_name: string }[]> {
  return db
    .selectFrom("direct_agents")
    .select(["channel_id", "agent_name"])
    .where("user_id", "=", userId)
    .where("channel_id", ">", channelId)
    .orderBy("channel_id")
    .limit(limit)
    .execute();
}

/** Renames and soft-deletes a conversation with an agent. */
export async function deleteConversation(db: Db, channelId: number, name: string, now: number): Promise<void> {
  await db.updateTable("direct_agents").set({ closed_seq: null }).where("channel_id", "=", channelId).execute();
  await db.updateTable("channels").set({ name, deleted_at: now }).where("id", "=", channelId).execute();
}

/** Deletes the user's bans and replaces their name on bans of others. Returns the channels they were banned from. */
export async function forgetBans(db: Db, userId: number, username: string, label: string): Promise<number[]> {
  await db.updateTable("channel_bans").set({ banned_by: label }).where("banned_by", "=", username).execute();
  const rows = await db.deleteFrom("channel_bans").where("user_id", "=", userId).returning("channel_id").execute();
  return rows.map(({ channel_id }) => channel_id);
}
