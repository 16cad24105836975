import type { ReplyKeyboard } from "@parley/protocol/cards";
import { readableChannel } from "../../channels/access/access.ts";
import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { isHidden, type MessageRow, type RecordMention, recordJson } from "../../event-log/message-json.ts";
import type { Identity, UserIdentity } from "../../http/identity.ts";
import { actorOf, differingOf, withOwnFields } from "../own-fields.ts";
import {
  forgetKeyboardsBefore,
  insertKeyboard,
  keyboardMessages,
  textsAfter,
  trimKeyboards,
  writtenBy,
} from "./keyboards.store.ts";
import { cardOf } from "./markup.ts";

/** Messages after a keyboard for one use in which its use is looked for; after more of them it is gone. */
const LOOKED_THROUGH = 5_000;

/** Notes the keyboard of a message, in the transaction that stores it. Replies that only their thread shows have none for the channel. */
export async function noteKeyboard(ctx: AppContext, row: MessageRow): Promise<void> {
  const keyboard = cardOf(row)?.keyboard;
  if (keyboard === undefined || isHidden(row)) return;
  const place = { channel_id: row.channel_id, message_id: row.id };
  const agent_name = row.sender_name;
  // What is for everybody replaces all that the bot has shown before.
  if (!keyboard.selective) await forgetKeyboardsBefore(ctx.db, { ...place, agent_name });
  if (!keyboard.selective && keyboard.rows.length === 0) return;
  await insertKeyboard(ctx.db, { ...place, agent_name });
  await trimKeyboards(ctx.db, row.channel_id);
}

/** Returns the message whose keyboard the caller sees in a channel, as a JSON list; it is empty if there is none. */
export async function keyboardsFor(
  ctx: AppContext,
  caller: Identity,
  channelId: number,
): Promise<{ channel: Channel; messagesJson: string }> {
  const channel = await readableChannel(ctx, caller, { id: channelId });
  const rows = await keyboardMessages(ctx.db, channel.id);
  const shown = rows.length === 0 ? null : await shownTo(ctx, caller.kind === "user" ? caller : null, rows);
  if (shown === null) return { channel, messagesJson: "[]" };
  const json = `[${recordJson(shown, channel.slug)}]`;
  return { channel, messagesJson: await withOwnFields(ctx, actorOf(caller), { json, ...differingOf([shown]) }) };
}

/** The rules are those of the page (`keyboard-for.ts`). */
async function shownTo(
  ctx: AppContext,
  reader: UserIdentity | null,
  rows: readonly MessageRow[],
): Promise<MessageRow | null> {
  const answered = rows.flatMap(({ reply_to_id }) => reply_to_id ?? []);
  const own = reader === null ? new Set<number>() : await writtenBy(ctx.db, answered, reader.userId);
  const removed = new Set<string>();
  for (const row of rows) {
    const keyboard = cardOf(row)?.keyboard;
    if (keyboard === undefined || removed.has(row.sender_name)) continue;
    if (keyboard.selective && !(isNamed(row, reader) || own.has(row.reply_to_id ?? 0))) continue;
    if (keyboard.rows.length > 0) return (await isUsed(ctx, reader, row, keyboard)) ? null : row;
    removed.add(row.sender_name);
  }
  return null;
}

function isNamed({ mentions }: MessageRow, reader: UserIdentity | null): boolean {
  if (mentions === null || reader === null) return false;
  const named = JSON.parse(mentions) as RecordMention[];
  return named.some(({ type, name, quoted }) => type === "user" && name === reader.username && quoted !== true);
}

async function isUsed(
  ctx: AppContext,
  reader: UserIdentity | null,
  { channel_id: channelId, seq }: MessageRow,
  { one_time, rows }: ReplyKeyboard,
): Promise<boolean> {
  if (!one_time || reader === null) return false;
  const texts = await textsAfter(ctx.db, { channelId, seq, userId: reader.userId }, LOOKED_THROUGH);
  return texts === null || rows.flat().some((text) => texts.has(text));
}
