import type { ChatMessage } from "@parley/protocol/models";
import type { Channel } from "../../channels/channel.ts";
import { agentAdded } from "../../channels/channel-cache.ts";
import { loginsOf } from "../../channels/members/agents-online.ts";
import { joinAsAgent } from "../../channels/members/join.service.ts";
import { AppError } from "../../errors.ts";
import { hasScope } from "../../http/key-scopes.ts";
import { type Method, rest, type TelegramCall } from "../call.ts";
import { chatOf } from "../chats.ts";
import type { MediaKind } from "../media.ts";
import { findMessage, type Source, telegramMessage } from "../messages.ts";
import { sentMarkup } from "../reply-markup.ts";
import type { Copied } from "../send-routes.ts";
import { badRequest } from "../telegram-error.ts";
import { sentText } from "../text/sent-text.ts";
import { stored } from "../text/stored-max.ts";
import { finishDraft } from "./open-drafts.ts";

/** The parts of a message, besides its place. */
export interface Sent {
  readonly content: string;
  readonly fileIds?: readonly number[];
  readonly kind?: MediaKind;
  /** The message whose text it is; `content` is empty then. */
  readonly copied?: Copied;
}

/** sendMessage: text in the form that `parse_mode` or `entities` say; without them as it is. */
export const sendMessage: Method = async (call) => {
  const channel = await chatOf(call);
  return telegramMessage(call.ctx, await send(call, channel, { content: await sentText(call) }));
};

/** sendRichMessage: `rich_message.markdown` is stored as it is, because Parley's own form is CommonMark. */
export const sendRichMessage: Method = async (call) => {
  const channel = await chatOf(call);
  return telegramMessage(call.ctx, await send(call, channel, { content: richText(call) }));
};

/** Returns the Markdown of a rich message. Errors: 400 `unsupported rich message`. */
export function richText({ fields }: TelegramCall): string {
  const given = fields.object("rich_message");
  const markdown = given !== null && typeof given === "object" ? (given as { markdown?: unknown }).markdown : undefined;
  if (typeof markdown !== "string") throw badRequest("unsupported rich message");
  return stored(markdown);
}

/** Sends a message where the call says. Returns it as it is stored. Errors: those of the route `sendAgentMessage`. */
export async function send(call: TelegramCall, channel: Channel, sent: Sent): Promise<Source> {
  const { content, fileIds, kind, copied } = sent;
  const markup = sentMarkup(call.fields);
  const place = await placeOf(call, channel);
  const isText = fileIds === undefined && copied === undefined && call.fields.raw("reply_markup") === undefined;
  const body =
    (await finishDraft(call, channel, { content, place, isText })) ??
    (await rest(call, copied === undefined ? "sendTelegramMessage" : "copyTelegramMessage", {
      body: {
        ...copied,
        channel_slug: channel.slug,
        agent_name: call.bot.name,
        message: content,
        ...place,
        ...(fileIds === undefined ? {} : { file_ids: fileIds }),
        ...(hidesPreviews(call.fields) ? { link_previews: false } : {}),
        ...(markup.menu === null && markup.keyboard === null ? {} : { markup }),
      },
    }));
  await enter(call, channel);
  return { message: body.chat_message as ChatMessage, channel, kind, hidesReply: !hasScope(call.caller, "read") };
}

/** True if the bot wants no previews of links, in the form of today or that of old libraries. */
function hidesPreviews(fields: TelegramCall["fields"]): boolean {
  if (fields.flag("disable_web_page_preview")) return true;
  const given = fields.object("link_preview_options");
  return given !== null && typeof given === "object" && "is_disabled" in given && given.is_disabled === true;
}

/** Returns what a message answers, and its thread: that of what it answers, unless the call names one. */
export async function placeOf(
  { ctx, fields }: TelegramCall,
  channel: Channel,
): Promise<{ reply_to_id?: number; thread_root_id?: number }> {
  const { messageId, mayLack } = replyOf(fields);
  const topic = fields.integer("message_thread_id");
  const named = topic === undefined || topic <= 1 ? undefined : topic;
  const answered = messageId === undefined ? null : await findMessage(ctx, channel, messageId);
  if (messageId !== undefined && answered === null && !mayLack) throw badRequest("message to be replied not found");
  if (named !== undefined && (await findMessage(ctx, channel, named)) === null)
    throw badRequest("message thread not found");
  const root = named ?? answered?.thread_root_id ?? undefined;
  return {
    ...(answered === null ? {} : { reply_to_id: answered.id }),
    ...(root === undefined ? {} : { thread_root_id: root }),
  };
}

function replyOf(fields: TelegramCall["fields"]): { messageId: number | undefined; mayLack: boolean } {
  const old = { messageId: fields.integer("reply_to_message_id"), mayLack: fields.flag("allow_sending_without_reply") };
  const given = fields.object("reply_parameters");
  if (given === undefined) return old;
  if (given === null || typeof given !== "object") throw badRequest("can't parse reply parameters JSON object");
  const { message_id: id, allow_sending_without_reply: mayLack } = given as Record<string, unknown>;
  const messageId = Number(id);
  if (!Number.isSafeInteger(messageId)) throw badRequest("can't parse reply parameters JSON object");
  return { messageId, mayLack: mayLack === true };
}

/** After its first send to a channel, a bot is in it (protocol §15.2). A key that may not read cannot log in. */
async function enter(call: TelegramCall, channel: Channel): Promise<void> {
  const { ctx, bot } = call;
  if (channel.direct !== null) return;
  try {
    if ((await agentAdded(ctx, channel.id, bot.agentId)) === null) await joinAsAgent(ctx, channel.id, bot.agentId);
    if (loginsOf(ctx, channel.id, bot.agentId).some(({ agent_name }) => agent_name === bot.name)) return;
    await rest(call, "loginAgent", { body: { channel_slug: channel.slug, agent_name: bot.name } });
  } catch (error) {
    // The message is sent: what is refused now must not make its sender repeat it.
    if (!(error instanceof AppError)) throw error;
    ctx.log.debug({ err: error, agentId: bot.agentId }, "a bot could not log in where it wrote");
  }
}
