import type { AgentScope } from "@parley/protocol/key-grants";
import { sayId } from "./say.ts";
import type { Client } from "./servers/test-server.ts";
import type { TestBot } from "./telegram.ts";

/** Where a call of the table is made: the bot has every right there. */
export interface CallPlace {
  readonly bot: TestBot;
  readonly ann: Client;
  /** The channel, by its id. */
  readonly id: number;
  readonly chat_id: number;
}

/** A call of a method that succeeds with all rights. */
export interface TelegramRow {
  /** The scopes that its key needs, and no others. */
  readonly needs: readonly AgentScope[];
  /** `send`: it makes a message. `change`: it changes something in a chat. `read`: it reads a chat. */
  readonly kind: "send" | "change" | "read" | "own";
  /** The fields besides `chat_id`; of `own`, all fields. */
  fields?(place: CallPlace): Promise<Record<string, unknown>>;
  /** Never succeeds: the words with which it is refused. */
  readonly refused?: string;
}

const own = (needs: readonly AgentScope[] = [], fields: Record<string, unknown> = {}): TelegramRow => ({
  needs,
  kind: "own",
  fields: async () => fields,
});
const send = (fields: NonNullable<TelegramRow["fields"]>, needs: readonly AgentScope[] = ["send"]): TelegramRow => ({
  needs,
  kind: "send",
  fields,
});
const change = (fields: NonNullable<TelegramRow["fields"]>, needs: readonly AgentScope[] = ["send"]): TelegramRow => ({
  needs,
  kind: "change",
  fields,
});
const read = (fields: TelegramRow["fields"] = async () => ({})): TelegramRow => ({
  needs: ["read"],
  kind: "read",
  fields,
});

const sent = async ({ bot, chat_id }: CallPlace): Promise<{ message_id: number }> => {
  const { message_id } = await bot.ask("sendMessage", { chat_id, text: `mine ${Math.random()}` });
  return { message_id };
};
const fileId = async ({ bot, chat_id }: CallPlace): Promise<string> => {
  const form = new FormData();
  form.set("chat_id", String(chat_id));
  form.set("document", new File(["some bytes"], "a.txt"));
  const answer = await fetch(`${bot.apiRoot}/bot${bot.token}/sendDocument`, { method: "POST", body: form });
  const { result } = (await answer.json()) as { result: { document: { file_id: string } } };
  return result.document.file_id;
};
const MENU = { inline_keyboard: [[{ text: "Go", callback_data: "go" }]] };
const pressed = async ({ bot, ann, chat_id }: CallPlace): Promise<Record<string, unknown>> => {
  const { message_id } = await bot.ask("sendMessage", { chat_id, text: "Press", reply_markup: MENU });
  await ann.post(`/api/interactions/${message_id}/press`, { action_id: "b0" });
  const updates: { callback_query?: { id: string; message: { message_id: number } } }[] = await bot.ask("getUpdates");
  const query = updates.find(({ callback_query }) => callback_query?.message.message_id === message_id);
  return { callback_query_id: query?.callback_query?.id };
};
const file = (kind: string): TelegramRow => send(async (place) => ({ [kind]: await fileId(place) }), ["send", "read"]);
const topic = async (place: CallPlace) => ({ message_thread_id: (await sent(place)).message_id });
const theirs = async ({ ann, id }: CallPlace) => ({ message_id: await sayId(ann, id, "theirs") });
const lock = (): TelegramRow => ({ ...change(topic, []), refused: "not enough rights to edit the topic" });
/** A message of a person, in a channel that the bot is in. */
const pinnable = async (place: CallPlace) => {
  await sent(place);
  return theirs(place);
};
const pinned = async (place: CallPlace) => {
  const { message_id } = await pinnable(place);
  await place.ann.post(`/api/messages/${message_id}/pin`);
  return { message_id };
};

/** A call of each method, by its name in lower case (protocol §15.5). */
export const TELEGRAM_ROWS: Readonly<Record<string, TelegramRow>> = {
  getme: own(),
  logout: own(),
  close: own(),
  getupdates: own(["inbox"]),
  setwebhook: own(["inbox"]),
  deletewebhook: own(["inbox"]),
  getwebhookinfo: own(["inbox"]),
  setmycommands: own(["send"], { commands: [{ command: "a", description: "b" }] }),
  getmycommands: own(),
  deletemycommands: own(["send"]),
  setmyname: own(),
  getmyname: own(),
  setmydescription: own(),
  getmydescription: own(),
  setmyshortdescription: own(),
  getmyshortdescription: own(),
  getchatmenubutton: own(),
  setchatmenubutton: own(),
  getuserprofilephotos: own(),
  getfile: { ...read(async (place) => ({ file_id: await fileId(place) })), kind: "own" },
  sendmessage: send(async () => ({ text: "hello" })),
  sendrichmessage: send(async () => ({ rich_message: { markdown: "hello" } })),
  sendmessagedraft: send(async () => ({ draft_id: 1, text: "hello" })),
  sendrichmessagedraft: send(async () => ({ draft_id: 1, rich_message: { markdown: "hello" } })),
  copymessage: send(async (place) => ({ from_chat_id: place.chat_id, ...(await sent(place)) }), ["send", "read"]),
  forwardmessage: send(async (place) => ({ from_chat_id: place.chat_id, ...(await sent(place)) }), ["send", "read"]),
  sendphoto: file("photo"),
  senddocument: file("document"),
  sendvideo: file("video"),
  sendaudio: file("audio"),
  sendvoice: file("voice"),
  sendanimation: file("animation"),
  sendvideonote: file("video_note"),
  sendsticker: file("sticker"),
  sendmediagroup: send(
    async (place) => {
      const media = await fileId(place);
      return { media: [1, 2].map(() => ({ type: "document", media })) };
    },
    ["send", "read"],
  ),
  createforumtopic: send(async () => ({ name: "A topic" })),
  editforumtopic: change(async (place) => ({ ...(await topic(place)), name: "Another" })),
  deleteforumtopic: change(topic),
  closeforumtopic: lock(),
  reopenforumtopic: lock(),
  editmessagetext: change(async (place) => ({ ...(await sent(place)), text: "changed" })),
  editmessagereplymarkup: change(async (place) => ({ ...(await sent(place)), reply_markup: MENU }), ["send", "cards"]),
  answercallbackquery: { ...own(["cards"]), fields: pressed },
  editmessagecaption: change(async (place) => ({ ...(await sent(place)), caption: "changed" })),
  deletemessage: change(sent),
  deletemessages: change(async (place) => ({ message_ids: [(await sent(place)).message_id] })),
  setmessagereaction: change(
    async (place) => ({ ...(await theirs(place)), reaction: [{ type: "emoji", emoji: "👍" }] }),
    ["react"],
  ),
  sendchataction: change(async () => ({ action: "typing" })),
  pinchatmessage: change(pinnable),
  unpinchatmessage: change(pinned),
  unpinallchatmessages: change(
    async (place) => {
      await pinned(place);
      return {};
    },
    ["send", "read"],
  ),
  getchat: read(),
  getchatmember: read(async ({ bot }) => ({ user_id: bot.userId })),
  getchatmemberscount: read(),
  getchatmembercount: read(),
  getchatadministrators: read(),
  leavechat: { ...read(async ({ chat_id }) => ({ chat_id })), kind: "own" },
};
