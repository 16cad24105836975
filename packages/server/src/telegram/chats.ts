import { nameKey } from "../accounts/names/names.ts";
import { readableChannel } from "../channels/access/access.ts";
import type { Channel } from "../channels/channel.ts";
import type { TelegramCall } from "./call.ts";
import { channelChatId, personId, subjectOf, usernameOf } from "./ids.ts";
import { directChannelOf } from "./telegram.store.ts";
import { badRequest } from "./telegram-error.ts";

/** A `Chat` of the Bot API. */
export interface TelegramChat {
  id: number;
  type: "private" | "supergroup";
  title?: string;
  username?: string;
  first_name?: string;
  is_forum?: boolean;
}

/**
 * Returns the channel of a call, which the bot may read. A person's id is their conversation with the bot. Errors:
 * 400 `chat_id is empty`, `chat not found`, and those of `readableChannel`.
 */
export async function chatOf(call: TelegramCall, field = "chat_id"): Promise<Channel> {
  const given = call.fields.id(field);
  if (given === undefined) throw badRequest(`${field} is empty`);
  return channelOfId(call, given);
}

/** Returns the channel that an id names. Errors: those of `chatOf`. */
export async function channelOfId({ ctx, caller, bot }: TelegramCall, given: string | number): Promise<Channel> {
  const subject = subjectOf(given);
  if (subject?.kind === "channel") return readableChannel(ctx, caller, { id: subject.channelId });
  if (subject?.kind === "slug") return readableChannel(ctx, caller, { slug: subject.slug });
  if (subject?.kind !== "person") throw badRequest("chat not found");
  const id = await directChannelOf(ctx.db, subject.userId, nameKey(bot.name));
  if (id === undefined) throw badRequest("chat not found");
  return readableChannel(ctx, caller, { id });
}

/** Returns the `Chat` of a channel. A direct conversation has the id of its person, because clients write to that. */
export function chatRecord({ id, name, slug, direct, isPrivate }: Channel): TelegramChat {
  const person = direct?.[0];
  if (person !== undefined) {
    const username = usernameOf(person.username, null);
    return { id: personId(person.userId), type: "private", first_name: person.username, username };
  }
  const public_name = isPrivate ? {} : { username: usernameOf(slug, null) };
  return { id: channelChatId(id), type: "supergroup", title: name, ...public_name, is_forum: true };
}
