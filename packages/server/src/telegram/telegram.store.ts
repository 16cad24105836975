import type { ExpressionBuilder, Selectable } from "kysely";
import type { Db } from "../db/db.ts";
import type { Tables } from "../db/tables/tables.ts";
import type { TelegramBotsTable } from "../db/tables/telegram.ts";
import type { ItemKind } from "../messages/inbox/inbox-rows.ts";

/** How a bot is in a channel; null: it is not. */
export async function placeOfBot(
  db: Db,
  channelId: number,
  { agentId, name }: { agentId: number; name: string },
): Promise<"added" | "logged_in" | null> {
  const added = await db
    .selectFrom("channel_agents")
    .select("agent_id")
    .where("channel_id", "=", channelId)
    .where("agent_id", "=", agentId)
    .executeTakeFirst();
  if (added !== undefined) return "added";
  const login = await db
    .selectFrom("agent_presence")
    .select("agent_id")
    .where("channel_id", "=", channelId)
    .where("agent_id", "=", agentId)
    .where("agent_name", "=", name)
    .executeTakeFirst();
  return login === undefined ? null : "logged_in";
}

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

/** Names that a search returns at most: of two, none is meant. */
const LIKE_MAX = 20;

/**
 * Returns names that have this ASCII form, in lower case, or nearly so: an underscore stands for any character. The
 * letters before the first one bound the search; without any, only names of agents are searched, because those of users
 * begin with an ASCII letter or digit.
 */
export async function findNamesLike(db: Db, form: string): Promise<{ name: string }[]> {
  const [first = ""] = form.split("_", 1);
  let query = db.selectFrom("names").select("name").where("name_key", "like", form);
  if (first === "") query = query.where("agent_id", "is not", null);
  else query = query.where("name_key", ">=", first).where("name_key", "<", `${first}\u{10ffff}`);
  return query.orderBy("name_key").limit(LIKE_MAX).execute();
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

/** The items of one bot. */
export interface Queue {
  agentId: number;
  name: string;
  /** The kinds that become updates. */
  kinds: readonly ItemKind[];
  /** The only channels of the key; null: all. */
  places: readonly number[] | null;
}

/** Returns the newest item that the bot ever had, whether or not it is confirmed; 0: none. */
export async function newestItem(db: Db, { agentId, name, kinds }: Queue): Promise<number> {
  const row = await db
    .selectFrom("mentions")
    .select((eb) => eb.fn.max("id").as("newest"))
    .where("agent_id", "=", agentId)
    .where("agent_name", "=", name)
    .where("kind", "in", kinds)
    .executeTakeFirst();
  return Number(row?.newest ?? 0);
}

/** True if the bot has or had this item. */
export async function hasItem(db: Db, { agentId, name, kinds }: Queue, id: number): Promise<boolean> {
  const row = await db
    .selectFrom("mentions")
    .select(["agent_id", "agent_name", "kind"])
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.agent_id === agentId && row.agent_name === name && kinds.includes(row.kind);
}

/** Leaves out the presses of cards (§12.6), which are no updates. */
const withoutCards = (eb: ExpressionBuilder<Tables, "mentions">) =>
  eb.or([
    eb("kind", "!=", "press"),
    eb.exists(eb.selectFrom("menu_presses").select("item_id").whereRef("item_id", "=", "mentions.id")),
  ]);

/** Returns the ids of pending items, the newest first. */
export async function pendingItems(db: Db, queue: Queue, below: number | null, limit: number): Promise<number[]> {
  let query = db
    .selectFrom("mentions")
    .select("id")
    .where("agent_id", "=", queue.agentId)
    .where("agent_name", "=", queue.name)
    .where("kind", "in", queue.kinds)
    .where("removed_at", "is", null)
    .where(withoutCards);
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

/** Number of pending items of a bot. */
export async function countQueue(db: Db, { agentId, name, kinds }: Queue): Promise<number> {
  const row = await db
    .selectFrom("mentions")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .where("agent_id", "=", agentId)
    .where("agent_name", "=", name)
    .where("kind", "in", kinds)
    .where("removed_at", "is", null)
    .where(withoutCards)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
