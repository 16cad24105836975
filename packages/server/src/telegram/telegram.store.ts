import type { Selectable } from "kysely";
import type { Db } from "../db/db.ts";
import type { TelegramBotsTable } from "../db/tables/telegram.ts";

/** A bot: one name of an agent. */
export type BotRow = Selectable<TelegramBotsTable> & { name: string; agent_id: number };

/** Returns a bot by the id of its name, with the agent to whom the name is bound. */
export async function findBot(db: Db, botId: number): Promise<BotRow | undefined> {
  const row = await db
    .selectFrom("telegram_bots")
    .innerJoin("names", "names.name_key", "telegram_bots.name_key")
    .selectAll("telegram_bots")
    .select(["names.name", "names.agent_id"])
    .where("telegram_bots.id", "=", botId)
    .executeTakeFirst();
  return row === undefined || row.agent_id === null ? undefined : { ...row, agent_id: row.agent_id };
}

/** The holder of a name. */
export interface NameRow {
  name_key: string;
  name: string;
  user_id: number | null;
  agent_id: number | null;
  /** Of an agent's name; null: it has no id yet. */
  bot_id: number | null;
}

/** Returns who has these names. Names that nobody has are missing. */
export async function findNames(db: Db, keys: readonly string[]): Promise<NameRow[]> {
  if (keys.length === 0) return [];
  return db
    .selectFrom("names")
    .leftJoin("telegram_bots", "telegram_bots.name_key", "names.name_key")
    .select(["names.name_key", "names.name", "names.user_id", "names.agent_id", "telegram_bots.id as bot_id"])
    .where("names.name_key", "in", keys)
    .execute();
}

/** Gives ids to names of agents that have none. Concurrent calls are harmless. */
export async function insertBots(db: Db, keys: readonly string[]): Promise<void> {
  await db
    .insertInto("telegram_bots")
    .values(keys.map((name_key) => ({ name_key })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Returns the name of a user; undefined: there is none, or the account is erased. */
export async function usernameById(db: Db, userId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom("users")
    .select("username")
    .where("id", "=", userId)
    .where("erased_at", "is", null)
    .executeTakeFirst();
  return row?.username;
}

/** Returns the conversation of a user and an agent's name; undefined: they have none. */
export async function directChannelOf(db: Db, userId: number, nameKey: string): Promise<number | undefined> {
  const row = await db
    .selectFrom("direct_agents")
    .select("channel_id")
    .where("user_id", "=", userId)
    .where("name_key", "=", nameKey)
    .executeTakeFirst();
  return row?.channel_id;
}

/** Kinds of inbox items that become updates. */
export const DELIVERED = ["mention", "direct", "press"] as const;

/** The pending items of one bot. */
export interface Queue {
  agentId: number;
  name: string;
  /** The only channels of the key; null: all. */
  places: readonly number[] | null;
}

/** Returns the newest item that the bot ever had, whether or not it is confirmed; 0: none. */
export async function newestItem(db: Db, { agentId, name }: Queue): Promise<number> {
  const row = await db
    .selectFrom("mentions")
    .select((eb) => eb.fn.max("id").as("newest"))
    .where("agent_id", "=", agentId)
    .where("agent_name", "=", name)
    .where("kind", "in", DELIVERED)
    .executeTakeFirst();
  return Number(row?.newest ?? 0);
}

/** Returns the ids of pending items, the newest first. */
export async function pendingItems(db: Db, queue: Queue, below: number | null, limit: number): Promise<number[]> {
  let query = db
    .selectFrom("mentions")
    .select("id")
    .where("agent_id", "=", queue.agentId)
    .where("agent_name", "=", queue.name)
    .where("kind", "in", DELIVERED)
    .where("removed_at", "is", null);
  if (queue.places !== null) query = query.where("channel_id", "in", queue.places);
  if (below !== null) query = query.where("id", "<", below);
  return (await query.orderBy("id", "desc").limit(limit).execute()).map(({ id }) => id);
}

/** Notes an offset above every item. Returns false if it was noted before. */
export async function noteStaleOffset(db: Db, botId: number, offset: number): Promise<boolean> {
  const result = await db
    .updateTable("telegram_bots")
    .set({ stale_offset: offset })
    .where("id", "=", botId)
    .where((eb) => eb.or([eb("stale_offset", "is", null), eb("stale_offset", "!=", offset)]))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Holds the bot's row until the transaction ends. */
export async function lockBot(db: Db, botId: number): Promise<void> {
  await db
    .updateTable("telegram_bots")
    .set((eb) => ({ settings: eb.ref("settings") }))
    .where("id", "=", botId)
    .execute();
}

/** Returns what a bot has set, as JSON; null: nothing. */
export async function settingsOf(db: Db, botId: number): Promise<string | null> {
  const row = await db.selectFrom("telegram_bots").select("settings").where("id", "=", botId).executeTakeFirst();
  return row?.settings ?? null;
}

export async function storeSettings(db: Db, botId: number, settings: string): Promise<void> {
  await db.updateTable("telegram_bots").set({ settings }).where("id", "=", botId).execute();
}

/** A webhook of a bot. */
export interface BotWebhook {
  url: string;
  key: string;
  secret: string | null;
  failures: number;
  error: string | null;
  errorAt: number | null;
}

/** Returns the webhook of a bot; null: it has none. */
export async function webhookOf(db: Db, botId: number): Promise<BotWebhook | null> {
  const row = await db.selectFrom("telegram_bots").selectAll().where("id", "=", botId).executeTakeFirst();
  if (row?.webhook_url == null || row.webhook_key === null) return null;
  return {
    url: row.webhook_url,
    key: row.webhook_key,
    secret: row.webhook_secret,
    failures: row.webhook_failures,
    error: row.webhook_error,
    errorAt: row.webhook_error_at,
  };
}

/** Sets or removes the webhook of a bot, and forgets what failed before. */
export async function storeWebhook(
  db: Db,
  botId: number,
  webhook: { url: string; key: string; secret: string | null } | null,
): Promise<void> {
  await db
    .updateTable("telegram_bots")
    .set({
      webhook_url: webhook?.url ?? null,
      webhook_key: webhook?.key ?? null,
      webhook_secret: webhook?.secret ?? null,
      webhook_due_at: 0,
      webhook_claimed_until: 0,
      webhook_failures: 0,
      webhook_error: null,
      webhook_error_at: null,
    })
    .where("id", "=", botId)
    .execute();
}

/** Returns the bots with a webhook for which something waits that may be sent now. */
export async function webhooksDue(db: Db, now: number): Promise<number[]> {
  const rows = await db
    .selectFrom("telegram_bots")
    .innerJoin("names", "names.name_key", "telegram_bots.name_key")
    .select("telegram_bots.id")
    .where("webhook_url", "is not", null)
    .where("webhook_due_at", "<=", now)
    .where("webhook_claimed_until", "<=", now)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("mentions")
          .select("mentions.id")
          .whereRef("mentions.agent_id", "=", "names.agent_id")
          .whereRef("mentions.agent_name", "=", "names.name")
          .where("mentions.removed_at", "is", null)
          .where("mentions.kind", "in", DELIVERED),
      ),
    )
    .orderBy("webhook_due_at")
    .execute();
  return rows.map(({ id }) => id);
}

/** Takes a bot's webhook for this node until then. Returns false if another node has it, or it is not due. */
export async function claimWebhook(db: Db, botId: number, now: number, until: number): Promise<boolean> {
  const result = await db
    .updateTable("telegram_bots")
    .set({ webhook_claimed_until: until })
    .where("id", "=", botId)
    .where("webhook_url", "is not", null)
    .where("webhook_claimed_until", "<=", now)
    .where("webhook_due_at", "<=", now)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Notes how a claimed webhook ended, and gives it back. */
export async function releaseWebhook(
  db: Db,
  botId: number,
  failed: { error: string; at: number; dueAt: number } | null,
): Promise<void> {
  await db
    .updateTable("telegram_bots")
    .set((eb) => ({
      webhook_claimed_until: 0,
      webhook_due_at: failed?.dueAt ?? 0,
      webhook_failures: failed === null ? 0 : eb("webhook_failures", "+", 1),
      ...(failed === null ? {} : { webhook_error: failed.error, webhook_error_at: failed.at }),
    }))
    .where("id", "=", botId)
    .execute();
}

/** Number of pending items of a bot. */
export async function countQueue(db: Db, { agentId, name }: Queue): Promise<number> {
  const row = await db
    .selectFrom("mentions")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .where("agent_id", "=", agentId)
    .where("agent_name", "=", name)
    .where("kind", "in", DELIVERED)
    .where("removed_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
