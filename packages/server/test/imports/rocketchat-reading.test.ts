import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openArchive } from "../../src/imports/archive/open-archive.ts";
import { type OpenSource, SourceError } from "../../src/imports/source.ts";
import { openSource } from "../../src/imports/sources/open-source.ts";
import { rocketChat } from "../../src/imports/sources/rocketchat/format.ts";
import { wordsOf } from "../../src/imports/tree-words.ts";
import { temporaryFolder } from "../support/config.ts";
import { openExportAt } from "../support/imports/open-export.ts";
import {
  BEGIN,
  bsonOf,
  DAY,
  NOW,
  type RocketChatDump,
  room,
  said,
  sampleDump,
  writeDump,
  writeDumpArchive,
} from "../support/imports/rocketchat-export.ts";
import { PIXEL } from "../support/imports/slack-export.ts";
import { all, reasons, taken } from "../support/imports/slack-reader.ts";

const folder = temporaryFolder();
let written = 0;

async function openDump(dump: RocketChatDump): Promise<OpenSource> {
  written += 1;
  return openExportAt(await writeDump(join(folder, `dump-${written}`), dump), rocketChat, NOW);
}

const SAMPLE = sampleDump();

test("reads people and bots, and no password", async () => {
  await using source = await openDump(SAMPLE);
  expect(source.workspace).toEqual({ id: `rocketchat-${BEGIN - 2 * DAY}`, name: "Acme" });
  expect(source.lacks).toEqual([]);
  const users = taken(await all(source.users()));
  expect(users).toMatchObject([
    { id: "rocket.cat", kind: "bot", email: null },
    { id: "u1", name: "ada", displayName: "Ada Berg", email: "ada@example.org", avatar: { name: "ada" } },
    { id: "u2", kind: "person", isGone: false },
    { id: "u3", isGone: true },
  ]);
  expect(JSON.stringify(users)).not.toContain("secret");
});

test("reads rooms with their members", async () => {
  await using source = await openDump(SAMPLE);
  const items = await all(source.channels());
  expect(taken(items)).toMatchObject([
    { id: "GENERAL", name: "general", kind: "public", topic: "Everything & more", memberIds: ["u1", "u2"] },
    { id: "news", isArchived: true, creatorId: "u1", createdAt: BEGIN - DAY },
    { id: "secret", kind: "private", memberIds: ["u1"] },
    { id: "disc", name: "About it", kind: "private" },
    { id: "u1u2", kind: "direct", name: "", memberIds: ["u1", "u2"] },
    { id: "g3", kind: "group", memberIds: ["u1", "u2", "u3"] },
  ]);
  expect(reasons(items)).toEqual(["direct with_oneself u1u1", "channel livechat live"]);
});

test("a channel with a password is private, and an old room of two has its people in its id", async () => {
  await using source = await openDump({
    ...SAMPLE,
    "rocketchat_room.bson": [room("c1", "c", "locked", { joinCodeRequired: true }), room("u1u2", "d", "")],
  });
  expect(taken(await all(source.channels()))).toMatchObject([
    { kind: "private" },
    { kind: "direct", memberIds: ["u1", "u2"] },
  ]);
});

test("reads messages with threads, edits, quotes, pins, reactions and tombstones", async () => {
  await using source = await openDump(SAMPLE);
  const messages = taken(await all(source.messages(new Set(["GENERAL"]))));
  const byId = Object.fromEntries(messages.map((message) => [message.id, message]));
  expect(byId.m2).toMatchObject({
    senderId: "u1",
    at: BEGIN + 2000,
    isPinned: true,
    reactions: [
      { reaction: "👍", userIds: ["u2", "u3", "u1"] },
      { reaction: "parrot", userIds: ["u1"] },
    ],
  });
  expect(wordsOf(byId.m2?.text ?? { type: "root", children: [] })).toBe(
    "Hello everybody, @ben: see #news and this 👋🏼",
  );
  expect(byId.m4).toMatchObject({ threadId: "m3", isAlsoInChannel: false, editedAt: BEGIN + 60_000 });
  expect(byId.m5).toMatchObject({ threadId: "m3", isAlsoInChannel: true, editedAt: null });
  expect(byId.m6).toMatchObject({ replyToId: "m2", text: { children: [{ type: "paragraph" }] } });
  expect(wordsOf(byId.m6?.text ?? { type: "root", children: [] })).toBe("Agreed");
  expect(byId.m8).toMatchObject({ isTombstone: true, senderId: null, text: { children: [] } });
  expect(wordsOf(byId.m10?.text ?? { type: "root", children: [] })).toBe("Disk full\non db1\nHost db1");
  expect(JSON.stringify(byId.m20?.text)).toContain('"target":{"channelId":"secret","messageId":"m14"}');
});

test("says what is left out, and who is in no list", async () => {
  await using source = await openDump(SAMPLE);
  expect(reasons(await all(source.messages()))).toEqual([
    "system_message uj n1",
    "encrypted e2e m9",
    "edit_history earlier_text m11",
    "message channel_missing m12",
    "message no_time m13",
  ]);
  expect([...source.strangers()]).toMatchObject([
    { id: "bot:alerts", name: "alerts", kind: "bot" },
    { id: "u9", name: "gone", kind: "person", isGone: true },
  ]);
});

const bytesAt = async (source: OpenSource, path: string | null | undefined): Promise<Uint8Array> =>
  new Response(await source.file(path ?? "")).bytes();

test.each(["folder", "packed", "zip", "tar.gz"] as const)("reads files in the database, of a %s", async (form) => {
  const path = join(folder, `form.${form}`);
  if (form === "folder" || form === "packed") await writeDump(path, SAMPLE, form === "packed");
  else await writeDumpArchive(path, SAMPLE, form);
  const temporary = join(folder, "temporary");
  const archive = await openArchive(path, { maxBytes: null, temporaryFolder: temporary });
  const options = { clock: { now: () => NOW }, zone: "UTC", open: new Set<string>() };
  await using source = await openSource(archive, rocketChat, options);
  const [message] = taken(await all(source.messages())).filter(({ files }) => files.length > 0);
  expect(message?.files).toMatchObject([
    { id: "f1", name: "pixel.png", mimeType: "image/png", size: PIXEL.length, alt: "A white dot", url: null },
  ]);
  expect(Buffer.from(await bytesAt(source, message?.files[0]?.path)).equals(PIXEL)).toBe(true);
  const emoji = taken(await all(source.emoji?.() ?? (async function* () {})()));
  expect(emoji.map(({ name }) => name)).toEqual(["parrot", "bird"]);
  expect(Buffer.from(await bytesAt(source, emoji[0]?.picture.path)).equals(PIXEL)).toBe(true);
  if (form === "zip") expect(readdirSync(temporary)).toEqual([]);
});

test("reads files of the folder in which a server keeps them", async () => {
  const { "rocketchat_uploads.chunks.bson": _, "rocketchat_uploads.files.bson": __, ...rest } = SAMPLE;
  await using none = await openDump(rest);
  expect(none.lacks.join()).toContain("The dump has no files");
  await using source = await openDump({ ...rest, "uploads/f1.png": PIXEL });
  const [message] = taken(await all(source.messages())).filter(({ files }) => files.length > 0);
  expect(message?.files[0]?.path).toBe("rocketchat/uploads/f1.png");
});

test("a file of which a chunk is missing is refused, and not stored in part", async () => {
  const chunks = SAMPLE["rocketchat_uploads.chunks.bson"] as unknown[];
  await using source = await openDump({ ...SAMPLE, "rocketchat_uploads.chunks.bson": chunks.slice(1) });
  await expect(bytesAt(source, "gridfs:rocketchat_uploads/f1")).rejects.toThrow("has only a part of the file");
});

test("one bad document never ends the reading", async () => {
  const broken = Buffer.from(bsonOf([{ _id: "x", rid: "GENERAL", msg: "text" }]));
  broken[4] = 0x77;
  await using source = await openDump({
    ...SAMPLE,
    "rocketchat_message.bson": [
      broken,
      {},
      said("m1", "GENERAL", "1", "future", { ts: new Date(NOW + 2 * DAY) }),
      said("m2", "GENERAL", "1", "text", { ts: "yesterday" }),
      said("m3", "GENERAL", "1", "", {}),
      { ...said("m4", "GENERAL", "1", ""), msg: 7 },
      said("m5", "GENERAL", "1", "a\0b", { u: 5, reactions: [1], attachments: { a: 1 }, files: "x", mentions: {} }),
    ],
  });
  const items = await all(source.messages());
  expect(taken(items).map(({ id, senderId, text }) => [id, senderId, wordsOf(text)])).toEqual([
    ["m5", null, "a\u{fffd}b"],
  ]);
  expect(reasons(items)).toEqual([
    "message damaged rocketchat_message.bson#0",
    "message no_id rocketchat_message.bson#1",
    "message in_future m1",
    "message wrong_time m2",
    "message empty m3",
    "message wrong_type m4",
  ]);
  expect(source.replacedCharacters).toBe(1);
});

test("a quote of which the dump has only the link stays a link", async () => {
  const link = "[ ](https://chat.example.org/channel/general?msg=m1) ";
  await using source = await openDump({
    ...SAMPLE,
    "rocketchat_message.bson": [said("q1", "GENERAL", "1", link), said("q2", "GENERAL", "1", `${link}yes`)],
  });
  expect(taken(await all(source.messages())).map(({ text }) => wordsOf(text))).toEqual([
    "https://chat.example.org/channel/general?msg=m1",
    "https://chat.example.org/channel/general?msg=m1 yes",
  ]);
});

test("the words of an app's blocks are text", async () => {
  const blocks = [
    { type: "section", text: { type: "plain_text", text: "When?" } },
    { type: "divider" },
    { type: "section", text: { type: "mrkdwn", text: "*Now*" }, accessory: { type: "button", text: { text: "Vote" } } },
    { type: "context", elements: [{ type: "mrkdwn", text: "2 votes" }, { type: "image" }] },
    { type: "actions", elements: [{ type: "button", text: { type: "plain_text", text: "Close" } }] },
    7,
  ];
  await using source = await openDump({
    ...SAMPLE,
    "rocketchat_message.bson": [said("p1", "GENERAL", "1", "", { blocks })],
  });
  const [message] = taken(await all(source.messages()));
  expect(wordsOf(message?.text ?? { type: "root", children: [] })).toBe("When?\nNow\n2 votes");
});

/** A document in a document, and so on, 100,000 times. */
function deepDocument(): Uint8Array {
  const levels = 100_000;
  const bytes = Buffer.alloc(5 + levels * 8);
  for (let level = 0; level < levels; level += 1) {
    bytes.writeInt32LE(bytes.length - level * 8, level * 7);
    bytes.write("\u0003a\0", level * 7 + 4);
  }
  bytes.writeInt32LE(5 + levels, levels * 7);
  return bytes;
}

test("a document that is nested too deep is left out", async () => {
  const deep = deepDocument();
  await using source = await openDump({
    ...SAMPLE,
    "rocketchat_message.bson": [deep, said("m1", "GENERAL", "1", "text")],
  });
  const items = await all(source.messages());
  expect(taken(items).map(({ id }) => id)).toEqual(["m1"]);
  expect(reasons(items)).toEqual(["message damaged rocketchat_message.bson#0"]);
});

test.each<[string, Uint8Array, string]>([
  ["a dump that is cut off", bsonOf([said("m1", "GENERAL", "1", "text")]).subarray(0, -3), "is cut off (byte 0)"],
  ["what is no BSON", Buffer.from("hello, this is a text"), "has a document of more than 32 MiB at byte 0"],
  ["a length that is none", Buffer.from([3, 0, 0, 0, 0]), "is no valid BSON (byte 0)"],
])("refuses %s", async (_, bytes, reason) => {
  await using source = await openDump({ ...SAMPLE, "rocketchat_message.bson": bytes });
  const refused = all(source.messages());
  await expect(refused).rejects.toThrow(SourceError);
  await expect(refused).rejects.toThrow(reason);
});
