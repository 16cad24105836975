import { LRUCache } from "lru-cache";
import { nameKey } from "../accounts/names/names.ts";
import { agentNames } from "../agents/speaker.ts";
import { type AppContext, perServer } from "../context.ts";
import { botUserId, personId, SERVICE_ID, usernameOf } from "./ids.ts";
import { findBot, findNames, insertBots, type NameRow } from "./telegram.store.ts";

/** One name of an agent, as the Bot API sees it. */
export interface Bot {
  /** The id of the name, from 1. */
  readonly id: number;
  readonly name: string;
  readonly agentId: number;
}

/** Names never pass to another agent, so an entry stays right. */
const bots = perServer(() => new LRUCache<number, Bot>({ max: 10_000 }));

/** Returns a bot by the id of its name; null if there is none. */
export async function botOf(ctx: AppContext, id: number): Promise<Bot | null> {
  const known = bots(ctx).get(id);
  if (known !== undefined) return known;
  const row = await findBot(ctx.db, id);
  if (row === undefined) return null;
  const bot = { id, name: row.name, agentId: row.agent_id };
  bots(ctx).set(id, bot);
  return bot;
}

/** Returns who has these names, by `nameKey`. Changes nothing: names of agents may have no ids yet. */
export async function knownHolders(ctx: AppContext, names: readonly string[]): Promise<Map<string, NameRow>> {
  const found = await findNames(ctx.root.db, [...new Set(names.map(nameKey))]);
  return new Map(found.map((row) => [row.name_key, row]));
}

/** Returns who has these names, by `nameKey`. Names of agents get their ids. */
export async function holdersOf(ctx: AppContext, names: readonly string[]): Promise<Map<string, NameRow>> {
  const keys = [...new Set(names.map(nameKey))];
  const found = await findNames(ctx.root.db, keys);
  const without = found.filter(({ agent_id, bot_id }) => agent_id !== null && bot_id === null);
  if (without.length === 0) return new Map(found.map((row) => [row.name_key, row]));
  const unnumbered = without.map(({ name_key }) => name_key);
  await insertBots(ctx.root.db, unnumbered);
  const numbered = await findNames(ctx.root.db, unnumbered);
  return new Map([...found, ...numbered].map((row) => [row.name_key, row]));
}

/** Returns the bots of an agent, one for each of its names. */
export async function botsOf(ctx: AppContext, agentId: number): Promise<Bot[]> {
  const holders = await holdersOf(ctx, await agentNames(ctx, agentId));
  return [...holders.values()].flatMap(({ bot_id: id, name }) => (id === null ? [] : [{ id, name, agentId }]));
}

/** A `User` of the Bot API. */
export interface TelegramUser {
  id: number;
  is_bot: boolean;
  first_name: string;
  username?: string;
}

/** Returns the `User` of a name. Those of erased accounts, webhooks and the system share one id. */
export function userOf(name: string, holder: NameRow | undefined, isService = false): TelegramUser {
  if (holder?.user_id != null)
    return {
      id: personId(holder.user_id),
      is_bot: false,
      first_name: holder.name,
      username: usernameOf(holder.name, null),
    };
  if (holder?.bot_id != null) return botUser({ id: holder.bot_id, name: holder.name });
  return isService
    ? { id: SERVICE_ID, is_bot: true, first_name: name }
    : { id: SERVICE_ID, is_bot: false, first_name: name };
}

export const botUser = ({ id, name }: Pick<Bot, "id" | "name">): TelegramUser => ({
  id: botUserId(id),
  is_bot: true,
  first_name: name,
  username: usernameOf(name, id),
});
