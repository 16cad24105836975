import { writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { bytesOf } from "./export-files.ts";
import { PIXEL } from "./slack-export.ts";
import { tarOf } from "./tar-writer.ts";

type Json = Record<string, unknown>;

/** An export of Zulip, as its files. */
export type ZulipExport = Record<string, unknown>;

/** 2024-03-01 09:00 UTC, in seconds. */
export const BEGIN = 1709283600;
export const DAY = 24 * 60 * 60;
export const NOW = (BEGIN + 30 * DAY) * 1000;

/** Writes an export as the archive that `manage.py export` makes, and returns its path. */
export async function writeZulipTar(path: string, files: ZulipExport): Promise<string> {
  const entries = Object.entries(files).map(([name, value]) => ({
    name: `zulip-export-acme/${name}`,
    bytes: bytesOf(value),
  }));
  await writeFile(path, gzipSync(tarOf(entries)));
  return path;
}

export const zulipUser = (id: number, name: string, more: Json = {}): Json => ({
  id,
  full_name: name,
  email: `user${id}@acme.example.org`,
  delivery_email: `${name.split(" ")[0]?.toLowerCase()}@example.org`,
  is_active: true,
  is_bot: false,
  is_mirror_dummy: false,
  avatar_source: "G",
  realm: 2,
  date_joined: BEGIN - DAY,
  ...more,
});

export const zulipStream = (id: number, name: string, more: Json = {}): Json => ({
  id,
  name,
  description: "",
  invite_only: false,
  history_public_to_subscribers: true,
  deactivated: false,
  date_created: BEGIN - DAY,
  realm: 2,
  ...more,
});

/** The recipients of streams are 100 above these, those of people 200, and those of groups 300. */
export const [TO_STREAM, TO_PERSON, TO_HUDDLE] = [100, 200, 300];

const recipient = (type: number, to: number): Json => ({
  id: to + ([0, TO_PERSON, TO_STREAM, TO_HUDDLE][type] ?? 0),
  type,
  type_id: to,
});

export const sent = (
  id: number,
  sender: number,
  to: number,
  subject: string,
  content: string,
  more: Json = {},
): Json => ({
  id,
  sender,
  recipient: to,
  realm: 2,
  subject,
  content,
  rendered_content: `<p>${content}</p>`,
  date_sent: BEGIN + id + 0.1234,
  last_edit_time: null,
  edit_history: null,
  has_attachment: false,
  sending_client: 1,
  ...more,
});

export const reaction = (message: number, user: number, name: string, code: string, type = "unicode_emoji"): Json => ({
  id: message * 100 + user,
  message,
  user_profile: user,
  emoji_name: name,
  emoji_code: code,
  reaction_type: type,
});

let subscriptions = 0;
const member = (to: number, user: number, active = true): Json => {
  subscriptions += 1;
  return { id: subscriptions, recipient: to, user_profile: user, active };
};

const USERS = [
  zulipUser(10, "Ada Berg", { avatar_source: "U" }),
  zulipUser(11, "Ben Castle"),
  zulipUser(12, "Cora Dunn", { is_active: false }),
  zulipUser(13, "Deploy Bot", { is_bot: true }),
  zulipUser(14, "Ben Castle"),
];

/** Returns the tables of `realm.json`, with others in the place of some. */
export const realmOf = (tables: Json = {}): Json => ({
  zerver_realm: [{ id: 2, string_id: "acme", name: "Acme", date_created: BEGIN - 10 * DAY }],
  zerver_client: [{ id: 1, name: "website" }],
  zerver_userprofile: USERS,
  zerver_userprofile_crossrealm: [
    { id: 1, email: "notification-bot@zulip.com", recipient_id: 201 },
    { id: 2, email: "emailgateway@zulip.com", recipient_id: 202 },
  ],
  zerver_userprofile_mirrordummy: [zulipUser(15, "Gus Hall", { is_active: false, is_mirror_dummy: true })],
  zerver_stream: [
    zulipStream(1, "general", { description: "*Everything* & more" }),
    zulipStream(2, "old news", { deactivated: true }),
    zulipStream(3, "secret", { invite_only: true, history_public_to_subscribers: false }),
    zulipStream(4, "later", { history_public_to_subscribers: false }),
  ],
  zerver_huddle: [{ id: 1 }, { id: 2 }],
  zerver_recipient: [
    ...[1, 2, 3, 4].map((id) => recipient(2, id)),
    ...[10, 11, 12, 13, 14, 15].map((id) => recipient(1, id)),
    recipient(3, 1),
    recipient(3, 2),
  ],
  zerver_subscription: [
    member(101, 10),
    member(101, 11),
    member(101, 12, false),
    member(103, 10),
    member(104, 11),
    ...[10, 11, 12].map((user) => member(301, user)),
    ...[10, 11].map((user) => member(302, user)),
  ],
  zerver_realmemoji: [
    { id: 5, name: "parrot", file_name: "5.png", deactivated: false },
    { id: 6, name: "lost", file_name: "6.png", deactivated: false },
  ],
  zerver_reaction: [
    reaction(4, 11, "thumbs_up", "1f44d"),
    reaction(4, 12, "+1", "1f44d"),
    reaction(4, 11, "heart", "2764"),
    reaction(4, 10, "parrot", "5", "realm_emoji"),
    reaction(4, 15, "zulip", "zulip", "zulip_extra_emoji"),
  ],
  zerver_submessage: [
    { id: 1, message: 14, sender: 11, content: '{"widget_type":"poll","extra_data":{}}' },
    { id: 2, message: 14, sender: 11, content: '{"type":"vote","key":"canned,1","vote":1}' },
    { id: 3, message: 14, sender: 12, content: '{"type":"vote","key":"canned,1","vote":1}' },
    { id: 4, message: 14, sender: 12, content: '{"type":"vote","key":"canned,1","vote":-1}' },
    { id: 5, message: 14, sender: 10, content: '{"type":"new_option","idx":1,"option":"Kiwi"}' },
    { id: 6, message: 14, sender: 10, content: '{"type":"vote","key":"10,1","vote":1}' },
  ],
  import_source: "zulip",
  ...tables,
});

/** The path of a file within the uploads. */
export const UPLOAD = "2/ab/cDeF_1/pixel.png";

const MESSAGES = [
  sent(3, 1, 101, "lunch", "Stream created by @_**Ada Berg|10**."),
  sent(
    4,
    10,
    101,
    "lunch",
    "Hello **everybody**, @**Ben Castle|11**: see #**old news** and #**general>Plans** :smile:",
  ),
  sent(5, 11, 101, "Lunch", "Pizza?\n\n```quote\n@_**Ada Berg|10** said it\n```", {
    last_edit_time: BEGIN + 50,
    edit_history: JSON.stringify([
      { prev_content: "Pasta?", timestamp: BEGIN + 50, user_id: 11 },
      { prev_topic: "food", timestamp: BEGIN + 40, user_id: 11 },
    ]),
  }),
  sent(6, 12, 101, "✔ plans", "Done", {
    last_edit_time: BEGIN + 60,
    edit_history: JSON.stringify([{ prev_topic: "plans", timestamp: BEGIN + 60 }]),
  }),
  sent(7, 13, 101, "plans", "/me deploys `main`"),
  sent(8, 2, 101, "", "An e-mail without a topic"),
];

const MORE = [
  sent(9, 10, 101, "plans", `[pixel.png](/user_uploads/${UPLOAD})`),
  sent(10, 10, 103, "hush", "hush"),
  sent(11, 11, 210, "", "just us"),
  sent(12, 10, 302, "\u0007", "just us, in a newer version"),
  sent(13, 12, 301, "", "the three of us"),
  sent(14, 10, 102, "fruit", "/poll Which fruit?\n* Apple\n* Pear"),
  sent(15, 10, 210, "", "a note to myself"),
  sent(16, 77, 104, "who", "I am in no list"),
  sent(17, 10, 999, "lost", "to nobody"),
  sent(18, 10, 101, "lunch", "no time", { date_sent: null }),
];

const received = (...messages: number[]): Json[] =>
  messages.flatMap((message) => [10, 11].map((user) => ({ id: message * 10 + user, user_profile: user, message })));

/** What is known of `sampleExport`: what a reader must find in it when all of its channels are taken. */
export const SAMPLE_COUNTS = {
  /** Ada, two named Ben, Cora, Gus, and somebody in no list. */
  users: 6,
  /** The bot, and the one of e-mails. */
  agents: 2,
  /** Four streams, a conversation of two and one of three. */
  channels: 6,
  messages: 12,
  /** Of the topics lunch and plans. */
  replies: 2,
  reactions: 5,
  pins: 0,
  files: 1,
  mentions: 1,
} as const;

/** Returns an export that has some of everything, and whose results are known. */
export function sampleExport(): ZulipExport {
  return {
    "realm.json": realmOf(),
    "messages-000001.json": { zerver_message: MESSAGES, zerver_usermessage: received(4, 5, 6, 7, 8) },
    "messages-000002.json": { zerver_message: MORE, zerver_usermessage: received(9, 10) },
    "attachment.json": {
      zerver_attachment: [{ id: 1, file_name: "pixel.png", path_id: UPLOAD, size: PIXEL.length, messages: [9] }],
    },
    "uploads/records.json": [{ path: UPLOAD, s3_path: UPLOAD, realm_id: 2, size: PIXEL.length }],
    [`uploads/${UPLOAD}`]: PIXEL,
    "avatars/records.json": [
      { path: "2/aa.png", user_profile_id: 10 },
      { path: "2/aa.original", user_profile_id: 10 },
    ],
    "avatars/2/aa.png": PIXEL,
    "avatars/2/aa.original": PIXEL,
    "emoji/records.json": [
      { path: "2/emoji/images/5.png", file_name: "5.png", name: "parrot" },
      { path: "2/emoji/images/5.png.original", file_name: "5.png", name: "parrot" },
    ],
    "emoji/2/emoji/images/5.png": PIXEL,
  };
}
