import { Buffer } from "node:buffer";
import { PIXEL } from "./slack-export.ts";

type Json = Record<string, unknown>;

/** 2024-03-01 09:00 UTC. */
export const BEGIN = Date.UTC(2024, 2, 1, 9);
const EPOCH = Date.UTC(2015, 0, 1);

/** Returns the id of what was made so many seconds after the beginning. */
export const idAt = (seconds: number, last = 0): string =>
  String((BigInt(BEGIN + seconds * 1000 - EPOCH) << 22n) + BigInt(last));
export const timeAt = (seconds: number): string =>
  new Date(BEGIN + seconds * 1000).toISOString().replace("Z", "+00:00");

export const GUILD = { id: "900000000000000001", name: "Harbour", iconUrl: "" };
const NO_GUILD = { id: "0", name: "Direct Messages", iconUrl: "" };

export const author = (id: string, name: string, more: Json = {}): Json => ({
  id,
  name,
  discriminator: "0000",
  nickname: name,
  color: null,
  isBot: false,
  roles: [],
  avatarUrl: `https://cdn.discordapp.com/avatars/${id}/a.png?size=512`,
  ...more,
});

export const ADA = author("100000000000000001", "ada", {
  nickname: "Ada B.",
  roles: [{ id: "700000000000000001", name: "Crew", color: null, position: 1 }],
  avatarUrl: "media\\ada-00001.png",
});
export const BEN = author("100000000000000002", "ben", { nickname: "Ben Castle" });
export const CORA = author("100000000000000003", "Deleted User", { nickname: "Deleted User" });
export const BOT = author("100000000000000004", "deploybot", { isBot: true, discriminator: "4321" });
/** Reacts, but writes nothing. */
export const DAN = author("100000000000000005", "dan");

/** Returns a message that was sent so many seconds after the beginning. */
export const said = (by: Json, seconds: number, content: string, more: Json = {}): Json => ({
  id: idAt(seconds),
  type: "Default",
  timestamp: timeAt(seconds),
  timestampEdited: null,
  callEndedTimestamp: null,
  isPinned: false,
  content,
  author: by,
  attachments: [],
  embeds: [],
  stickers: [],
  reactions: [],
  mentions: [],
  inlineEmojis: [],
  ...more,
});

export const channel = (id: string, name: string, more: Json = {}): Json => ({
  id,
  type: "GuildTextChat",
  categoryId: "800000000000000001",
  category: "Text Channels",
  name,
  topic: null,
  ...more,
});

/** Returns a file of DiscordChatExporter. */
export const fileOf = (of: Json, messages: readonly unknown[], more: Json = {}): Json => ({
  guild: String(of.type).startsWith("Direct") ? NO_GUILD : GUILD,
  channel: of,
  dateRange: { after: null, before: null },
  exportedAt: timeAt(1_000_000),
  messages,
  messageCount: messages.length,
  ...more,
});

const emoji = (name: string, id = "", more: Json = {}): Json => ({
  id,
  name,
  code: id === "" ? "code" : name,
  isAnimated: false,
  imageUrl: "https://cdn.discordapp.com/emojis/1.png",
  ...more,
});
export const reacted = (of: Json, count: number, users: readonly Json[]): Json => ({ emoji: of, count, users });
export const PARROT = emoji("Parrot", "600000000000000001", { imageUrl: "media\\parrot-00002.png" });

const FILES = { signed: "https://cdn.discordapp.com/attachments/1/2/plan.pdf?ex=66aa&is=66bb&hm=0123abcd&" };

export const GENERAL = channel("910000000000000001", "general", { topic: "Everything & more" });
export const CREW = channel("910000000000000002", "crew");
export const VOICE = channel("910000000000000003", "Lounge", { type: "GuildVoiceChat" });
const QUESTION = idAt(120);
const thread = (id: string, name: string, type = "GuildPublicThread", parent = GENERAL): Json =>
  channel(id, name, { type, categoryId: parent.id, category: parent.name });
const FORUM = channel("910000000000000004", "help", { type: "GuildForum" });
const [NOTICED, LOST, POST, HIDDEN] = [idAt(200), idAt(310), idAt(400), idAt(500)];

const GENERAL_MESSAGES = [
  said(DAN, 10, "Joined the server.", { type: "GuildMemberJoin" }),
  said(ADA, 60, "**Hello** @Ben Castle, see #crew :Parrot: :thumbsup:", {
    isPinned: true,
    timestampEdited: timeAt(70),
    mentions: [BEN],
    inlineEmojis: [PARROT],
    reactions: [reacted(emoji("👍"), 3, [BEN, DAN]), reacted(PARROT, 1, [BEN])],
  }),
  said(BEN, 90, `Signed: ${FILES.signed}`, {
    type: "Reply",
    reference: { type: "Default", messageId: idAt(60), channelId: GENERAL.id, guildId: GUILD.id },
    attachments: [
      { id: "500000000000000001", url: FILES.signed, fileName: "plan.pdf", fileSizeBytes: 12 },
      { id: "500000000000000002", url: "media/pixel-00003.png", fileName: "pixel.png", fileSizeBytes: 70 },
    ],
  }),
  said(ADA, 120, "A question"),
  said(ADA, 190, "Started a thread.", { type: "ThreadCreated", reference: { channelId: idAt(9_999) } }),
  said(ADA, 201, "Started a thread.", {
    type: "ThreadCreated",
    reference: { messageId: null, channelId: NOTICED, guildId: GUILD.id },
  }),
  said(BOT, 250, "", {
    embeds: [
      {
        title: "Build 7",
        url: "https://ci.example.org/7",
        description: "It __works__",
        footer: { text: "CI" },
        fields: [{ name: "Branch", value: "`main`", isInline: true }],
      },
    ],
  }),
  said(CORA, 260, "I was here", { embeds: [{ title: "A preview", url: "https://example.org" }] }),
  said(ADA, 270, "Pinned a message.", { type: "ChannelPinnedMessage" }),
  said(ADA, 280, "", {}),
  { ...said(ADA, 290, "no time"), timestamp: null },
];

/** What is known of `sampleExport` when all of its channels are taken. */
export const SAMPLE_COUNTS = {
  /** ada, ben, and the one who is deleted. dan wrote nothing. */
  users: 3,
  agents: 1,
  /** general, crew, the forum, the private thread, a direct conversation and a group. */
  channels: 6,
  /** general: 5, the notice of a thread; threads: 2, 1, 1; the post: 2; crew, private thread, two conversations: 1, 1, 2, 3. */
  messages: 19,
  replies: 5,
  reactions: 2,
  pins: 1,
  files: 1,
  mentions: 1,
} as const;

/** What is left out of it, by kind and reason. */
export const SAMPLE_LEFT_OUT = {
  "system_message guild_member_join": 1,
  "system_message thread_created": 2,
  "system_message channel_pinned_message": 1,
  "system_message call": 1,
  "system_message thread_starter_message": 1,
  "channel voice": 1,
  "message empty": 1,
  "message no_time": 1,
  "message duplicate": 2,
  "reaction people_not_named": 1,
  "reaction person_unknown": 1,
} as const;

/** Returns an export that has some of everything, as its files. Its results are known (`SAMPLE_COUNTS`). */
export function sampleExport(): Record<string, unknown> {
  const [direct, group] = [
    {
      id: "920000000000000001",
      type: "DirectTextChat",
      categoryId: "0",
      category: "Private",
      name: "Ben Castle",
      topic: null,
    },
    {
      id: "920000000000000002",
      type: "DirectGroupTextChat",
      categoryId: "0",
      category: "Group",
      name: "The three",
      topic: null,
    },
  ];
  const name = (of: Json, more = ""): string => `Harbour - ${of.name} [${of.id}]${more}.json`;
  return {
    [name(GENERAL)]: fileOf(GENERAL, GENERAL_MESSAGES.slice(0, 5)),
    // Parts overlap, and the newer one has an edited text.
    [name(GENERAL, " [part 2]")]: fileOf(
      GENERAL,
      [said(ADA, 120, "A question?", { timestampEdited: timeAt(600_000) }), ...GENERAL_MESSAGES.slice(3)],
      { exportedAt: timeAt(1_000_060) },
    ),
    [name(thread(QUESTION, "A question"))]: fileOf(thread(QUESTION, "A question"), [
      {
        ...said(ADA, 121, ""),
        type: "ThreadStarterMessage",
        reference: { messageId: QUESTION, channelId: GENERAL.id },
      },
      said(BEN, 130, "An answer"),
      said(ADA, 140, "Thanks", { type: "Reply", reference: { messageId: idAt(130), channelId: QUESTION } }),
    ]),
    [`threads/${name(thread(NOTICED, "Ideas"))}`]: fileOf(thread(NOTICED, "Ideas"), [said(BEN, 210, "The first idea")]),
    [`threads/${name(thread(LOST, "Lost"))}`]: fileOf(thread(LOST, "Lost"), [said(BEN, 320, "Its root is gone")]),
    [`threads/${name(thread(POST, "How do I moor?", "GuildPublicThread", FORUM))}`]: fileOf(
      thread(POST, "How do I moor?", "GuildPublicThread", FORUM),
      [said(BEN, 400, "With a rope?"), said(ADA, 410, "Yes")],
    ),
    [`threads/${name(thread(HIDDEN, "hush", "GuildPrivateThread"))}`]: fileOf(
      thread(HIDDEN, "hush", "GuildPrivateThread"),
      [said(ADA, 510, "between us")],
    ),
    [name(CREW)]: fileOf(CREW, [said(ADA, 65, "first <here>")]),
    [name(VOICE)]: fileOf(VOICE, []),
    [name(direct)]: fileOf(direct, [
      said(BEN, 75, "just us"),
      said(ADA, 76, "yes"),
      said(ADA, 77, "Started a call.", { type: "Call" }),
    ]),
    [name(group)]: fileOf(group, [said(ADA, 80, "one"), said(BEN, 81, "two"), said(CORA, 82, "three")]),
    "media/ada-00001.png": PIXEL,
    "media/parrot-00002.png": PIXEL,
    "media/pixel-00003.png": PIXEL,
    "media/note.json": Buffer.from('{"guild":1}'),
  };
}
