import type { InboxItem } from "@parley/protocol/inbox";
import { isAsked } from "../agents/kinds/asked.ts";
import { askFor } from "../agents/kinds/kinds.service.ts";
import type { AppContext } from "../context.ts";
import type { AskedKind } from "../db/tables/agents.ts";
import type { Bot } from "./bots.ts";
import type { TelegramCall } from "./call.ts";
import { badRequest } from "./telegram-error.ts";
import { allowedOf, askingBots, privateOf, storeAllowed } from "./update-kinds.store.ts";

type Kind = InboxItem["kind"];

/** The kinds of updates that the door has, each with the kinds of items that become it (protocol §15.3). */
const ITEMS = {
  message: ["mention", "direct", "reply", "command", "message"],
  edited_message: ["edit"],
  callback_query: ["press"],
  message_reaction: ["reaction"],
  my_chat_member: ["membership"],
} as const satisfies Record<string, readonly Kind[]>;
type UpdateKind = keyof typeof ITEMS;

/** Kinds that come only to a bot that names them. */
const ONLY_IF_NAMED: readonly UpdateKind[] = ["message_reaction"];
const KINDS = Object.keys(ITEMS) as UpdateKind[];
const DEFAULT = KINDS.filter((kind) => !ONLY_IF_NAMED.includes(kind));

/** Kinds of items that an offset confirms. */
export const DELIVERED: readonly Kind[] = KINDS.flatMap((kind): readonly Kind[] => ITEMS[kind]);

/** The names that a list may have: those of the Bot API are fewer. */
const NAMES_MAX = 100;

const isAskedKind = (kind: Kind): kind is AskedKind => isAsked({ kind });

/** Returns what a bot gets by what it allows and by its privacy. */
export function kindsFor(allowed: readonly UpdateKind[], isPrivate: boolean): Kind[] {
  const kinds = allowed.flatMap((kind): readonly Kind[] => ITEMS[kind]);
  return isPrivate ? kinds.filter((kind) => kind !== "message") : kinds;
}

/**
 * Reads `allowed_updates` of a call, keeps it if it was sent, and returns the kinds of items that the bot gets. Asks for
 * those that are made only for agents that ask.
 */
export async function chooseUpdates(call: TelegramCall): Promise<readonly Kind[]> {
  const { ctx, bot } = call;
  const stored = await allowedOf(ctx.db, bot.id);
  const sent = sentKinds(call);
  if (sent !== undefined && sent !== stored) await storeAllowed(ctx.db, bot.id, sent);
  return askForBot(ctx, bot, sent === undefined ? stored : sent);
}

/** Returns the kinds of items that a bot gets, without a call of it. */
export const kindsOfBot = async (ctx: AppContext, bot: Bot): Promise<readonly Kind[]> =>
  kindsFor(allowedIn(await allowedOf(ctx.db, bot.id)), await privateOf(ctx.db, bot.agentId));

/** Returns the field of `getWebhookInfo`: the kinds that the bot named; nothing if it has the default set. */
export async function allowedUpdates(ctx: AppContext, bot: Bot): Promise<{ allowed_updates?: readonly UpdateKind[] }> {
  const stored = await allowedOf(ctx.db, bot.id);
  return stored === null ? {} : { allowed_updates: allowedIn(stored) };
}

/** Asks anew for the bots of an agent whose privacy has changed. Those that never asked for updates still get none. */
export async function privacyChanged(ctx: AppContext, agentId: number): Promise<void> {
  for (const { id, name, allowed } of await askingBots(ctx.db, agentId))
    await askForBot(ctx, { id, name, agentId }, allowed);
}

async function askForBot(ctx: AppContext, bot: Bot, allowed: string | null): Promise<readonly Kind[]> {
  const kinds = kindsFor(allowedIn(allowed), await privateOf(ctx.db, bot.agentId));
  const asked = kinds.filter(isAskedKind);
  await askFor(ctx, { agentId: bot.agentId, agentName: bot.name }, "telegram_kinds", asked);
  return kinds;
}

const allowedIn = (stored: string | null): readonly UpdateKind[] =>
  stored === null ? DEFAULT : (JSON.parse(stored) as UpdateKind[]);

/** Returns the kinds that a call names, as they are stored; null: the default set; undefined: it names none. */
function sentKinds({ fields }: TelegramCall): string | null | undefined {
  const given = fields.object("allowed_updates");
  if (given === undefined) return undefined;
  if (!Array.isArray(given) || given.length > NAMES_MAX || given.some((name) => typeof name !== "string"))
    throw badRequest("can't parse allowed_updates: expected an Array of String");
  return given.length === 0 ? null : JSON.stringify(KINDS.filter((kind) => given.includes(kind)));
}
