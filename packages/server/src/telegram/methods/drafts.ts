import { DRAFT_KEY } from "../../agents/streams/stream-record.ts";
import type { Channel } from "../../channels/channel.ts";
import { type Method, rest, type TelegramCall } from "../call.ts";
import { chatOf } from "../chats.ts";
import { sentText } from "../text/sent-text.ts";
import { cancelDraft, openDraft } from "./open-drafts.ts";
import { placeOf, richText } from "./send.ts";

/** sendMessageDraft: a text that grows until it is sent (protocol §15.5). */
export const sendMessageDraft: Method = (call) => draft(call, () => sentText(call));
export const sendRichMessageDraft: Method = (call) => draft(call, () => richText(call));

async function draft(call: TelegramCall, read: () => string | Promise<string>): Promise<true> {
  const channel = await chatOf(call);
  // Space at the end is written out, so that the text that goes on would not begin with this one.
  const content = (await read()).replace(/(?:\s|&#x(?:20|A|9);)+$/, "");
  const { thread_root_id: root } = await placeOf(call, channel);
  const open = await openDraft(call, channel, root);
  const goesOn = open !== null && content.startsWith(open.content);
  if (open !== null && !goesOn) await cancelDraft(call, open);
  const [id, held] = goesOn ? [open.id, open.length] : [await start(call, channel, root), 0];
  // Without more text it only says that the bot is still there.
  const body = { offset: held, delta: content.slice(held) };
  if (goesOn || content !== "") await rest(call, "appendToTelegramDraft", { params: { stream_id: id }, body });
  return true;
}

async function start(call: TelegramCall, channel: Channel, root: number | undefined): Promise<number> {
  const key = Buffer.from(call.ctx.clock.random(12)).toString("hex");
  const body = await rest(call, "startStream", {
    body: {
      channel_slug: channel.slug,
      agent_name: call.bot.name,
      client_msg_id: `${DRAFT_KEY}${key}`,
      ...(root === undefined ? {} : { thread_root_id: root }),
    },
  });
  return body.stream_id as number;
}
