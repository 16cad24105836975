import type { Insertable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { DirectAgentsTable } from "../../db/tables/channels.ts";

/** Returns the channel of a user and an agent's name; null if they have none. */
export async function findDirectAgent(db: Db, userId: number, nameKey: string): Promise<number | null> {
  const row = await db
    .selectFrom("direct_agents")
    .select("channel_id")
    .where("user_id", "=", userId)
    .where("name_key", "=", nameKey)
    .executeTakeFirst();
  return row?.channel_id ?? null;
}

/** Returns false if the two already have a channel. On PostgreSQL it waits for a concurrent insert. */
export async function insertDirectAgent(
  db: Db,
  conversation: Omit<Insertable<DirectAgentsTable>, "closed_seq">,
): Promise<boolean> {
  const result = await db
    .insertInto("direct_agents")
    .values({ ...conversation, closed_seq: null })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Hides the conversation from its user's list as of the channel's newest seq. */
export async function closeDirectAgent(db: Db, channelId: number): Promise<void> {
  await db
    .updateTable("direct_agents")
    .set((eb) => ({ closed_seq: eb.selectFrom("channels").select("last_seq").where("id", "=", channelId) }))
    .where("channel_id", "=", channelId)
    .execute();
}

/** Shows the conversation again; false if it was not hidden. */
export async function reopenDirectAgent(db: Db, channelId: number): Promise<boolean> {
  const result = await db
    .updateTable("direct_agents")
    .set({ closed_seq: null })
    .where("channel_id", "=", channelId)
    .where("closed_seq", "is not", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** True if one of the agent's keys is accepted now. */
export async function hasAcceptedKey(db: Db, agentId: number, now: number): Promise<boolean> {
  const row = await db
    .selectFrom("api_keys")
    .select("id")
    .where("agent_id", "=", agentId)
    .where((eb) => eb.or([eb("revoked_at", "is", null), eb("revoked_at", ">", now)]))
    .executeTakeFirst();
  return row !== undefined;
}
