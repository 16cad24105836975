import { join } from "node:path";
import type { OpenSource } from "../../../src/imports/source.ts";
import type { SourceOptions } from "../../../src/imports/sources/format.ts";
import { telegram } from "../../../src/imports/sources/telegram/format.ts";
import { temporaryFolder } from "../config.ts";
import { writeExportFolder } from "./export-files.ts";
import { openExportAt } from "./open-export.ts";
import { PIXEL } from "./slack-export.ts";
import { all, reasons, taken } from "./slack-reader.ts";

type Json = Record<string, unknown>;

/** 2024-03-01 09:00 UTC, in seconds. */
export const BEGIN = 1709283600;
export const NOW = (BEGIN + 30 * 24 * 60 * 60) * 1000;
const [ADA, BEN, CORA] = [111, 222, 333];

const dates = (seconds: number): Json => ({
  date: new Date((BEGIN + seconds) * 1000).toISOString().slice(0, 19),
  date_unixtime: String(BEGIN + seconds),
});

/** Returns a message of a person by number, so many seconds after the beginning. */
export const said = (id: number, by: readonly [number, string | null], text: unknown, more: Json = {}): Json => ({
  id,
  type: "message",
  ...dates(id * 10),
  from: by[1],
  from_id: `user${by[0]}`,
  text,
  text_entities: typeof text === "string" ? (text === "" ? [] : [{ type: "plain", text }]) : text,
  ...more,
});

export const notice = (id: number, by: readonly [number, string], action: string, more: Json = {}): Json => ({
  id,
  type: "service",
  ...dates(id * 10),
  actor: by[1],
  actor_id: `user${by[0]}`,
  action,
  text: "",
  text_entities: [],
  ...more,
});

export const ada = [ADA, "Ada Berg"] as const;
export const ben = [BEN, "Ben Castle"] as const;
export const gone = [CORA, null] as const;

const NOT_INCLUDED = "(File not included. Change data exporting settings to download.)";

const CREW = [
  notice(1, ada, "create_group", { title: "Crew", members: ["Ben Castle"] }),
  said(
    2,
    ada,
    [
      { type: "bold", text: "Hello " },
      { type: "mention_name", text: "Ben Castle", user_id: BEN },
      { type: "plain", text: ", see " },
      { type: "link", text: "https://t.me/c/9002/3" },
    ],
    {
      edited_unixtime: String(BEGIN + 60),
      reactions: [{ type: "emoji", count: 3, emoji: "👍", recent: [{ from: "Ben Castle", from_id: `user${BEN}` }] }],
    },
  ),
  said(3, ben, "An answer", { reply_to_message_id: 2 }),
  said(4, gone, "I was here"),
  notice(5, ben, "pin_message", { message_id: 2 }),
  said(6, ben, "", { photo: "photos/photo_1.png", photo_file_size: PIXEL.length, width: 1, height: 1 }),
  said(7, ben, "", { file: NOT_INCLUDED, file_name: "plan.pdf", mime_type: "application/pdf" }),
  said(8, ada, "", {
    poll: {
      question: "When?",
      closed: true,
      total_voters: 3,
      answers: [
        { text: "Now", voters: 2 },
        { text: "Later", voters: 1 },
      ],
    },
  }),
  said(9, ada, "", { file: NOT_INCLUDED, media_type: "sticker", sticker_emoji: "🎉" }),
  said(10, ben, "Read this", { forwarded_from: "Dora", via_bot: "@gif" }),
  said(11, ben, ""),
  { id: 12, type: "unsupported" },
];

const FORUM = [
  notice(1, ada, "topic_created", { title: "Boats" }),
  said(2, ben, "In the topic", { reply_to_message_id: 1 }),
  said(3, ada, "Quoted in the topic", { reply_to_message_id: 2 }),
  said(4, ada, "General"),
  { ...said(5, ada, "Post"), from: "Harbour", from_id: "channel9002" },
];

/** What is known of `sampleExport` when all of its chats are taken. */
export const SAMPLE_COUNTS = {
  /** ada, ben, and the one whose account is deleted. */
  users: 3,
  /** The program of a chat, and the channel that writes in its own name. */
  agents: 2,
  /** The group, the forum, a conversation, and the chat with a program. */
  channels: 4,
  /** Of the group 8, the forum 5, the conversation 2, the program 1. */
  messages: 16,
  replies: 2,
  reactions: 1,
  pins: 1,
  files: 1,
  mentions: 1,
} as const;

/** What is left out of it, by kind and reason. */
export const SAMPLE_LEFT_OUT = {
  "direct with_oneself": 1,
  "system_message create_group": 1,
  "system_message pin_message": 1,
  "system_message phone_call": 1,
  "message empty": 1,
  "message unsupported": 1,
  "reaction people_not_named": 2,
} as const;

/** Returns the export of an account that has some of everything, and whose results are known (`SAMPLE_COUNTS`). */
export const sampleExport = (): Record<string, unknown> => ({
  "result.json": {
    about: "Here is the data you requested.",
    personal_information: { user_id: ADA, first_name: "Ada", last_name: "Berg", phone_number: "+1", username: "@ada" },
    contacts: { about: "", list: [{ user_id: BEN, first_name: "Ben" }] },
    chats: {
      about: "",
      list: [
        { name: "Crew", type: "private_group", id: 9001, messages: CREW },
        { name: "Harbour", type: "public_supergroup", id: 9002, messages: FORUM },
        {
          ...{ name: "Ben Castle", type: "personal_chat", id: BEN },
          messages: [said(1, ben, "just us"), said(2, ada, "yes"), notice(3, ada, "phone_call")],
        },
        { type: "saved_messages", id: ADA, messages: [said(1, ada, "a note")] },
      ],
    },
    left_chats: {
      about: "",
      list: [{ name: "Weather", type: "bot_chat", id: 444, messages: [said(1, [444, "Weather"], "Rain")] }],
    },
  },
  "photos/photo_1.png": PIXEL,
});

/** Returns the export of one chat. */
export const oneChat = (messages: readonly unknown[], more: Json = {}): Record<string, unknown> => ({
  "result.json": { name: "Crew", type: "private_group", id: 9001, messages, ...more },
});

/** Writes an export as a folder, and opens it. */
export async function openTelegramExport(
  files: Record<string, unknown>,
  options: Partial<Pick<SourceOptions, "open" | "zone">> = {},
): Promise<OpenSource> {
  return openExportAt(await writeExportFolder(join(temporaryFolder(), "export"), files), telegram, NOW, options);
}

/** Reads the messages of one chat that has these records. */
export async function messagesIn(records: readonly unknown[], more: Json = {}, zone = "UTC") {
  await using source = await openTelegramExport(oneChat(records, more), { zone });
  const channels = taken(await all(source.channels()));
  const items = await all(source.messages());
  return { source, channels, messages: taken(items), leftOut: reasons(items), strangers: [...source.strangers()] };
}
