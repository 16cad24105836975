import type { Db } from "../db/db.ts";

/** The kinds of updates that a bot has allowed, as JSON; null: the default set. */
export async function allowedOf(db: Db, botId: number): Promise<string | null> {
  const row = await db.selectFrom("telegram_bots").select("allowed_updates").where("id", "=", botId).executeTakeFirst();
  return row?.allowed_updates ?? null;
}

export async function storeAllowed(db: Db, botId: number, allowed: string | null): Promise<void> {
  await db.updateTable("telegram_bots").set({ allowed_updates: allowed }).where("id", "=", botId).execute();
}

/** True if an agent's bots get only what is meant for them. */
export async function privateOf(db: Db, agentId: number): Promise<boolean> {
  const row = await db.selectFrom("agents").select("telegram_privacy").where("id", "=", agentId).executeTakeFirst();
  return row?.telegram_privacy !== 0;
}

/** Returns the bots of an agent that have asked for updates. */
export async function askingBots(
  db: Db,
  agentId: number,
): Promise<{ id: number; name: string; allowed: string | null }[]> {
  return db
    .selectFrom("inbox_kinds")
    .innerJoin("telegram_bots", "telegram_bots.name_key", "inbox_kinds.name_key")
    .select(["telegram_bots.id", "inbox_kinds.agent_name as name", "telegram_bots.allowed_updates as allowed"])
    .where("inbox_kinds.agent_id", "=", agentId)
    .execute();
}

/** Returns the reactions of a person to a message, in order. */
export async function reactionsBy(db: Db, messageId: number, userId: number): Promise<string[]> {
  const rows = await db
    .selectFrom("reactions")
    .select("reaction")
    .where("message_id", "=", messageId)
    .where("actor_kind", "=", "user")
    .where("actor_id", "=", userId)
    .orderBy("created_at")
    .orderBy("reaction")
    .execute();
  return rows.map(({ reaction }) => reaction);
}

/** A change of an agent's place in a channel, by the time at which it was noted. */
interface PlaceChange {
  channelId: number;
  agentId: number;
  at: number;
}

/** Returns who added an agent to a channel; undefined: it has been removed since, or the account is gone. */
export async function adderOf(db: Db, { channelId, agentId, at }: PlaceChange): Promise<string | undefined> {
  const row = await db
    .selectFrom("channel_agents")
    .innerJoin("users", "users.id", "channel_agents.added_by")
    .select("users.username")
    .where("channel_agents.channel_id", "=", channelId)
    .where("channel_agents.agent_id", "=", agentId)
    .where("channel_agents.joined_at", "<=", at)
    .where("users.erased_at", "is", null)
    .executeTakeFirst();
  return row?.username;
}

/** Returns who banned an agent from a channel; undefined: the ban was lifted since. */
export async function bannerOf(db: Db, { channelId, agentId, at }: PlaceChange): Promise<string | undefined> {
  const row = await db
    .selectFrom("channel_bans")
    .select("banned_by")
    .where("channel_id", "=", channelId)
    .where("member_key", "=", `a${agentId}`)
    .where("created_at", "<=", at)
    .executeTakeFirst();
  return row?.banned_by;
}
