import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { ObjectId, serialize } from "bson";
import { PIXEL } from "./slack-export.ts";
import { tarOf } from "./tar-writer.ts";
import { zipOf } from "./zip-writer.ts";

type Json = Record<string, unknown>;

/** A dump of Rocket.Chat's database: documents of collections, or bytes of files, by their names. */
export type RocketChatDump = Record<string, readonly unknown[] | Uint8Array>;

/** 2024-03-01 09:00 UTC. */
export const BEGIN = Date.UTC(2024, 2, 1, 9);
export const DAY = 24 * 60 * 60 * 1000;
export const NOW = BEGIN + 30 * DAY;

/** Returns the bytes of a collection as `mongodump` writes it. Bytes among the documents stay as they are. */
export const bsonOf = (documents: readonly unknown[]): Uint8Array =>
  Buffer.concat(documents.map((each) => (each instanceof Uint8Array ? each : serialize(each as Json))));

const filesOf = (dump: RocketChatDump): [string, Uint8Array][] =>
  Object.entries(dump).map(([name, value]) => [name, value instanceof Uint8Array ? value : bsonOf(value)]);

/** Writes a dump as the folder that `mongodump` makes, and returns its path. */
export async function writeDump(folder: string, dump: RocketChatDump, isPacked = false): Promise<string> {
  for (const [name, bytes] of filesOf(dump)) {
    const isCollection = isPacked && name.endsWith(".bson");
    const path = join(folder, "rocketchat", isCollection ? `${name}.gz` : name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, isCollection ? gzipSync(bytes) : bytes);
  }
  return folder;
}

/** Writes a dump as an archive, and returns its path. */
export async function writeDumpArchive(path: string, dump: RocketChatDump, kind: "zip" | "tar.gz"): Promise<string> {
  const entries = filesOf(dump).map(([name, bytes]) => ({ name: `dump/rocketchat/${name}`, bytes }));
  await writeFile(path, kind === "zip" ? zipOf(entries) : gzipSync(tarOf(entries)));
  return path;
}

export const rocketUser = (id: string, username: string, more: Json = {}): Json => ({
  _id: id,
  username,
  name: username,
  type: "user",
  active: true,
  createdAt: new Date(BEGIN - DAY),
  emails: [{ address: `${username}@example.org`, verified: false }],
  services: { password: { bcrypt: "$2b$10$secret" } },
  ...more,
});

export const room = (id: string, t: string, name: string, more: Json = {}): Json => ({
  _id: id,
  t,
  name,
  ts: new Date(BEGIN - DAY),
  u: { _id: "u1", username: "ada" },
  ...more,
});

export const said = (id: string, rid: string, user: string, msg: string, more: Json = {}): Json => ({
  _id: id,
  rid,
  msg,
  ts: new Date(BEGIN + 1000 * Number(/\d+$/.exec(id)?.[0] ?? 0)),
  u: { _id: `u${user}`, username: ["", "ada", "ben", "cora"][Number(user)] ?? "gone", name: "Somebody" },
  mentions: [],
  channels: [],
  _updatedAt: new Date(BEGIN),
  ...more,
});

const notice = (id: string, t: string): Json => said(id, "GENERAL", "1", "ada", { t });

const cutInTwo = (bucket: string, id: string, bytes: Uint8Array): RocketChatDump => ({
  [`${bucket}.files.bson`]: [{ _id: id, filename: id, length: bytes.length, chunkSize: 40, contentType: "image/png" }],
  [`${bucket}.chunks.bson`]: [
    { _id: new ObjectId(), files_id: id, n: 1, data: bytes.subarray(40) },
    { _id: new ObjectId(), files_id: "other", n: 0, data: Buffer.from("x") },
    { _id: new ObjectId(), files_id: id, n: 0, data: bytes.subarray(0, 40) },
  ],
});

const SITE = "https://chat.acme.example";

const MESSAGES = [
  notice("n1", "uj"),
  said("m2", "GENERAL", "1", "Hello *everybody*, @ben: see #news and [this](https://example.org/a_b_c) :wave_tone2:", {
    mentions: [{ _id: "u2", username: "ben", type: "user" }],
    pinned: true,
    reactions: {
      ":thumbsup:": { usernames: ["ben", "cora"] },
      ":+1:": { usernames: ["ada"] },
      ":parrot:": { usernames: ["ada"] },
    },
  }),
  said("m3", "GENERAL", "2", "A question", { tcount: 2, tlm: new Date(BEGIN) }),
  said("m4", "GENERAL", "1", "An answer", { tmid: "m3", editedAt: new Date(BEGIN + 60_000), editedBy: { _id: "u1" } }),
  said("m5", "GENERAL", "3", "For everybody", { tmid: "m3", tshow: true }),
  said("m6", "GENERAL", "2", `[ ](${SITE}/channel/general?msg=m2) Agreed`, {
    attachments: [{ text: "Hello", author_name: "ada", message_link: `${SITE}/channel/general?msg=m2` }],
  }),
  said("m7", "GENERAL", "2", "", {
    file: { _id: "f1", name: "pixel.png", type: "image/png" },
    files: [
      { _id: "f1", name: "pixel.png", type: "image/png" },
      { _id: "f1t", name: "thumb-pixel.png", typeGroup: "thumb" },
    ],
    attachments: [
      { title: "pixel.png", title_link: "/file-upload/f1/pixel.png", description: "A white dot", type: "file" },
    ],
  }),
  said("m8", "GENERAL", "1", "", { t: "rm" }),
  said("m9", "GENERAL", "1", "abcdef", { t: "e2e" }),
  said("m10", "GENERAL", "1", "", {
    alias: "alerts",
    bot: { i: "integration" },
    attachments: [
      {
        title: "Disk full",
        title_link: "https://example.org/disk",
        text: "on *db1*",
        fields: [{ title: "Host", value: "db1", short: true }],
      },
    ],
  }),
  said("m11", "GENERAL", "1", "An answer before", { _hidden: true, parent: "m4" }),
  said("m12", "gone", "1", "nowhere"),
  { ...said("m13", "GENERAL", "1", "no time"), ts: undefined },
  said("m14", "secret", "1", "hush"),
  said("m15", "u1u2", "2", "just us"),
  said("m16", "g3", "3", "the three of us"),
  said("m17", "disc", "1", "about it"),
  said("m18", "u1u1", "1", "to myself"),
  said("m19", "live", "1", "can I help?"),
  said("m20", "GENERAL", "9", `I am in no list: ${SITE}/group/secret?msg=m14`),
];

/** What is known of `sampleDump`: what a reader must find in it when all of its channels are taken. */
export const SAMPLE_COUNTS = {
  /** ada, ben, cora, and somebody in no list. */
  users: 4,
  /** rocket.cat, and what wrote as alerts. */
  agents: 2,
  /** general, news, secret, a discussion, a group, and a direct conversation. */
  channels: 6,
  messages: 13,
  replies: 2,
  reactions: 4,
  pins: 1,
  files: 1,
  mentions: 1,
} as const;

/** Returns a dump that has some of everything, and whose results are known. */
export function sampleDump(): RocketChatDump {
  return {
    "users.bson": [
      rocketUser("rocket.cat", "rocket.cat", { type: "bot", emails: undefined, createdAt: new Date(BEGIN - 2 * DAY) }),
      rocketUser("u1", "ada", { name: "Ada Berg", roles: ["admin"], __rooms: ["GENERAL"] }),
      rocketUser("u2", "ben", { name: "Ben Castle" }),
      rocketUser("u3", "cora", { active: false }),
    ],
    "rocketchat_settings.bson": [
      { _id: "Site_Url", value: SITE },
      { _id: "Site_Name", value: "Acme" },
      { _id: "SMTP_Password", value: "secret" },
    ],
    "rocketchat_room.bson": [
      room("GENERAL", "c", "general", { u: undefined, topic: "*Everything* & more" }),
      room("news", "c", "news", { archived: true }),
      room("secret", "p", "secret", { teamMain: true }),
      room("disc", "p", "Xy2kQ", { fname: "About it", prid: "GENERAL" }),
      room("u1u2", "d", "", { uids: ["u1", "u2"], usernames: ["ada", "ben"] }),
      room("u1u1", "d", "", { uids: ["u1"], usernames: ["ada"] }),
      room("g3", "d", "", { uids: ["u1", "u2", "u3"], usernames: ["ada", "ben", "cora"] }),
      room("live", "l", "", { v: { _id: "visitor" } }),
    ],
    "rocketchat_subscription.bson": [
      { _id: "s1", rid: "GENERAL", u: { _id: "u2", username: "ben" } },
      { _id: "s2", rid: "secret", u: { _id: "u1", username: "ada" } },
    ],
    "rocketchat_message.bson": MESSAGES,
    "rocketchat_uploads.bson": [
      { _id: "f1", name: "pixel.png", type: "image/png", size: PIXEL.length, rid: "GENERAL", url: `${SITE}/ufs/f1` },
    ],
    ...cutInTwo("rocketchat_uploads", "f1", PIXEL),
    "rocketchat_avatars.bson": [{ _id: "a1", name: "ada", type: "image/png" }],
    ...cutInTwo("rocketchat_avatars", "a1", PIXEL),
    "rocketchat_custom_emoji.bson": [{ _id: "e1", name: "parrot", aliases: ["bird"], extension: "png" }],
    ...cutInTwo("custom_emoji", "parrot.png", PIXEL),
  };
}
