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
