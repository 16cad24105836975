/**
 * The ids of the Bot API for what Parley has (protocol §15.2). All are above 2^32 and below 2^53, so clients keep them
 * in 64 bits, and no two kinds overlap.
 */
const PERSON = 5_000_000_000;
const BOT = 7_000_000_000;
const BOT_END = 1_000_000_000_000;
const CHANNEL = 1_000_000_000_000;
const LATER_FILE = 1_000_000_000;
/** The account of webhooks and of the system itself. */
export const SERVICE_ID = 777_000;

/** The subject of an id of the Bot API. */
export type Subject =
  | { readonly kind: "person"; readonly userId: number }
  | { readonly kind: "bot"; readonly botId: number }
  | { readonly kind: "channel"; readonly channelId: number }
  | { readonly kind: "slug"; readonly slug: string };

export const personId = (userId: number): number => PERSON + userId;
/** `botId`: the id of the agent's name. Agents that share the name `PlatformAgent` share 0. */
export const botUserId = (botId: number): number => BOT + botId;
export const channelChatId = (channelId: number): number => -(CHANNEL + channelId);
/** The id of a message's second or later file. */
export const laterFileId = (fileId: number): number => LATER_FILE + fileId;

/** Slugs have hyphens and never an underscore, so each has one ASCII form. */
const slugOf = (form: string): string => form.toLowerCase().replaceAll("_", "-");

/** Returns what a `chat_id` or `user_id` names; null: nothing. A plain `-<channel id>` and `@<slug>` are channels, too. */
export function subjectOf(given: string | number): Subject | null {
  if (typeof given === "string" && given.startsWith("@") && given.length > 1)
    return { kind: "slug", slug: slugOf(given.slice(1)) };
  if (typeof given === "string" && !/^-?\d{1,16}$/.test(given)) return null;
  const id = Number(given);
  if (!Number.isSafeInteger(id)) return null;
  if (id < 0) return { kind: "channel", channelId: -id > CHANNEL ? -id - CHANNEL : -id };
  if (id > PERSON && id < BOT) return { kind: "person", userId: id - PERSON };
  if (id > BOT && id < BOT_END) return { kind: "bot", botId: id - BOT };
  return null;
}

/** Returns a name, or the slug of a channel, as the Bot API allows it; clients look for `/command@(\w+)`. */
export function usernameOf(name: string, botId: number | null): string {
  const username = name.replace(/[^A-Za-z0-9_]/gu, "_");
  return /[A-Za-z0-9]/.test(username) || botId === null ? username : `bot${botId}`;
}
