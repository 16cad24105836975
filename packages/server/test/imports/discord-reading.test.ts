import { expect, test } from "bun:test";
import { SourceError } from "../../src/imports/source.ts";
import { wordsOf } from "../../src/imports/tree-words.ts";
import {
  ADA,
  author,
  BEGIN,
  BEN,
  CREW,
  channel,
  DAN,
  fileOf,
  GENERAL,
  idAt,
  reacted,
  said,
  sampleExport,
  timeAt,
} from "../support/imports/discord-export.ts";
import { messageOf, messagesIn, openDiscordExport } from "../support/imports/discord-reader.ts";
import { all, reasons, taken } from "../support/imports/slack-reader.ts";

const emoji = (name: string, id = "") => ({ id, name, code: name, isAnimated: false, imageUrl: "" });
const direct = { id: "920000000000000001", type: "DirectTextChat", name: "ben" };

test("reads channels, conversations and private threads, with those who wrote in them", async () => {
  await using source = await openDiscordExport(sampleExport(), new Set(["general", "910000000000000004"]));
  const items = await all(source.channels());
  const shown = taken(items).map(({ name, kind, memberIds, topic }) => [name, kind, memberIds.length, topic]);
  expect(shown.toSorted()).toEqual([
    ["", "direct", 2, ""],
    ["", "group", 3, ""],
    ["crew", "private", 1, ""],
    ["general", "public", 4, "Everything & more"],
    ["help", "public", 2, ""],
    ["hush", "private", 1, ""],
  ]);
  expect(reasons(items)).toEqual(["channel voice 910000000000000003"]);
  expect(source.workspace).toEqual({ id: "900000000000000001", name: "Harbour" });
});

test("--open all opens the server's channels, but no private thread or conversation", async () => {
  await using source = await openDiscordExport(sampleExport(), "all");
  const kinds = taken(await all(source.channels())).map(({ name, kind }) => `${name} ${kind}`);
  expect(kinds.toSorted()).toEqual([
    " direct",
    " group",
    "crew public",
    "general public",
    "help public",
    "hush private",
  ]);
});

test("refuses to open a channel that the export does not have, or that is a conversation", async () => {
  for (const name of ["generel", direct.id])
    await expect(openDiscordExport(sampleExport(), new Set([name]))).rejects.toThrow(
      `The export has no channel named "${name}". Check --open.`,
    );
});

test("refuses to open one of two channels by their name, and opens a private thread only by its id", async () => {
  const twin = channel("910000000000000099", "general");
  const secret = channel("910000000000000098", "crew", { type: "GuildPrivateThread", categoryId: GENERAL.id });
  const files = {
    "1.json": fileOf(GENERAL, []),
    "2.json": fileOf(twin, []),
    "3.json": fileOf(CREW, []),
    "4.json": fileOf(secret, []),
  };
  await expect(openDiscordExport(files, new Set(["general"]))).rejects.toThrow(
    /has 2 of the name "general"\. Name them by id with --open: 9100000000000000\d\d, 9100000000000000\d\d\./,
  );
  const kindsOf = async (...open: string[]) => {
    await using source = await openDiscordExport(files, new Set(open));
    return taken(await all(source.channels())).flatMap(({ id, kind }) => (kind === "public" ? [id] : []));
  };
  expect(await kindsOf("crew")).toEqual([String(CREW.id)]);
  expect(await kindsOf(String(twin.id))).toEqual([String(twin.id)]);
});

test("makes people only of those who wrote in what is read", async () => {
  await using source = await openDiscordExport(sampleExport());
  expect(await all(source.users())).toEqual([]);
  await all(source.messages());
  expect([...source.strangers()].toSorted((one, other) => one.id.localeCompare(other.id))).toMatchObject([
    { name: "ada", displayName: "Ada B.", kind: "person", isGone: false, avatar: { path: "media/ada-00001.png" } },
    { name: "ben", displayName: "Ben Castle", isGone: false },
    { name: "Deleted User", isGone: true },
    { name: "deploybot", kind: "bot" },
  ]);
  await all(source.messages(new Set([String(CREW.id)])));
  expect([...source.strangers()].map(({ name }) => name)).toEqual(["ada"]);
});

test("a thread begins with the message of its id, the notice, or a tombstone; a post with its own first message", async () => {
  await using source = await openDiscordExport(sampleExport());
  const messages = taken(await all(source.messages()));
  const find = (words: string) => messages.find(({ text }) => wordsOf(text).endsWith(words));
  expect(find("An answer")).toMatchObject({ threadId: idAt(120), channelId: GENERAL.id });
  expect(find("Ideas")).toMatchObject({ id: idAt(201), threadId: null, senderId: ADA.id });
  expect(find("The first idea")).toMatchObject({ threadId: idAt(201), channelId: GENERAL.id });
  expect(find("Its root is gone")).toMatchObject({ threadId: idAt(310) });
  expect(messages.find(({ id }) => id === idAt(310))).toBeUndefined();
  expect(find("With a rope?")).toMatchObject({ threadId: null, channelId: "910000000000000004" });
  expect(wordsOf(find("With a rope?")?.text ?? { type: "root", children: [] })).toBe("How do I moor?\nWith a rope?");
  expect(find("Yes")).toMatchObject({ threadId: idAt(400) });
  expect(find("between us")).toMatchObject({ threadId: null, channelId: idAt(500) });
});

test("takes the newest form of a message that overlapping parts have", async () => {
  await using source = await openDiscordExport(sampleExport());
  const [first] = taken(await all(source.messages())).filter(({ id }) => id === idAt(120));
  expect(first).toMatchObject({ editedAt: BEGIN + 600_000_000 });
});

test("reads quotes, files, reactions, edits and pins", async () => {
  await using source = await openDiscordExport(sampleExport());
  const [hello, signed] = taken(await all(source.messages())).filter(({ id }) => [idAt(60), idAt(90)].includes(id));
  expect(hello).toMatchObject({
    at: BEGIN + 60_000,
    editedAt: BEGIN + 70_000,
    isPinned: true,
    reactions: [
      { reaction: "👍", userIds: [BEN.id, DAN.id] },
      { reaction: "Parrot", userIds: [BEN.id] },
    ],
  });
  expect(signed).toMatchObject({
    replyToId: idAt(60),
    files: [
      { name: "plan.pdf", size: 12, path: null },
      { name: "pixel.png", size: 70, path: "media/pixel-00003.png" },
    ],
  });
  expect(taken(await all(source.emoji?.() ?? (async function* () {})()))).toMatchObject([
    { name: "Parrot", picture: { path: "media/parrot-00002.png" } },
  ]);
});

test("no text has the signature of a link", async () => {
  await using source = await openDiscordExport(sampleExport());
  const messages = taken(await all(source.messages())).map(({ files, ...message }) => ({
    ...message,
    files: files.map(({ url: _, ...file }) => file),
  }));
  expect(JSON.stringify(messages)).not.toMatch(/hm=|0123abcd/);
});

test("counts reactions of which the export names nobody", async () => {
  const { messages, leftOut } = await messagesIn([
    said(ADA, 1, "x", { reactions: [{ emoji: emoji("👆"), count: 42 }, reacted(emoji("❤"), 1, [BEN])] }),
  ]);
  expect(messages[0]?.reactions).toEqual([{ reaction: "❤", userIds: [String(BEN.id)] }]);
  expect(leftOut).toEqual([`reaction people_not_named ${idAt(1)}`]);
});

test("who reacted in a conversation is in it, and a conversation of one is a private channel", async () => {
  const answered = await messagesIn([said(ADA, 1, "hi", { reactions: [reacted(emoji("👍"), 1, [BEN])] })], direct);
  expect(answered.channels).toMatchObject([{ kind: "direct", memberIds: [ADA.id, BEN.id] }]);
  expect(answered.strangers.map(({ name }) => name)).toEqual(["ada", "ben"]);
  const alone = await messagesIn([said(ADA, 1, "hi")], direct);
  expect(alone.channels).toMatchObject([{ kind: "group", memberIds: [ADA.id] }]);
});

test.each([
  [{ type: "RecipientAdd" }, "system_message recipient_add"],
  [{ type: "8" }, "system_message type_8"],
  [{ type: 7 }, "system_message type_7"],
  [{ type: "<script>" }, "system_message unknown"],
  [{ timestamp: "soon" }, "message wrong_time"],
  [{ timestamp: 17 }, "message no_time"],
  [{ timestamp: "1969-12-31T23:59:59.999+00:00" }, "message before_1970"],
  [{ timestamp: timeAt(40 * 86_400) }, "message in_future"],
  [{ content: { a: 1 } }, "message wrong_type"],
  [{ content: " \n " }, "message empty"],
])("leaves out a message with %p", async (fields, reason) => {
  const { messages, leftOut } = await messagesIn([
    said(ADA, 1, "x", fields as Record<string, unknown>),
    said(ADA, 2, "y"),
  ]);
  expect(messages).toHaveLength(1);
  expect(leftOut).toEqual([`${reason} ${idAt(1)}`]);
});

test("leaves out a text that is longer than any", async () => {
  const { messages, leftOut } = await messagesIn([said(ADA, 1, "a".repeat(400_001))]);
  expect([messages, leftOut]).toEqual([[], [`message too_long ${idAt(1)}`]]);
});

test("leaves out records that are no messages, and says where they are", async () => {
  const { leftOut } = await messagesIn([17, null, [], { id: "../x" }, {}]);
  expect(leftOut).toEqual([
    "message wrong_type channel.json#0",
    "message wrong_type channel.json#1",
    "message wrong_type channel.json#2",
    "message no_id channel.json#3",
    "message no_id channel.json#4",
  ]);
});

test("reads times with any offset, and rounds them down to the millisecond", async () => {
  expect(await messageOf(said(ADA, 1, "x", { timestamp: "2024-03-01T11:00:00.1239999+02:00" }))).toMatchObject({
    at: BEGIN + 123,
  });
});

test("everything that a message may not have can be absent", async () => {
  const { messages, leftOut } = await messagesIn([
    { id: idAt(1), timestamp: timeAt(1), content: "bare" },
    said(author("", "nobody"), 2, "x", { reactions: 7, attachments: "x", mentions: [3], embeds: {}, reference: [] }),
  ]);
  expect(leftOut).toEqual([]);
  expect(messages).toMatchObject([{ senderId: null }, { senderId: null, reactions: [], files: [], replyToId: null }]);
});

test("a forwarded message is a quote, and one of another channel is not quoted", async () => {
  const forwarded = await messageOf(
    said(ADA, 1, "", {
      reference: { type: "Forward", messageId: idAt(9), channelId: GENERAL.id },
      forwardedMessage: { content: "**there**", attachments: [], embeds: [] },
    }),
  );
  expect(forwarded).toMatchObject({ replyToId: null, text: { children: [{ type: "blockquote" }] } });
  const elsewhere = said(ADA, 1, "x", { type: "Reply", reference: { messageId: idAt(9), channelId: CREW.id } });
  expect(await messageOf(elsewhere)).toMatchObject({ replyToId: null });
});

test("a sticker is a file, and one that is no picture is its name", async () => {
  const stickers = [
    { id: "1", name: "Hi", format: "PngAnimated", sourceUrl: "https://cdn.discordapp.com/stickers/1.png" },
    { id: "2", name: "Wave", format: "Lottie", sourceUrl: "https://cdn.discordapp.com/stickers/2.json" },
  ];
  const { text, files } = await messageOf(said(ADA, 1, "", { stickers }));
  expect([wordsOf(text), files.map(({ name }) => name)]).toEqual(["Wave", ["Hi.png"]]);
});

test("says what an export lacks", async () => {
  await using source = await openDiscordExport({
    "a.json": fileOf(
      GENERAL,
      [said(ADA, 1, "x", { attachments: [{ id: "1", url: "https://x.example/a", fileName: "a" }] })],
      {
        dateRange: { after: timeAt(0), before: null },
      },
    ),
  });
  expect(source.lacks.join("\n")).toMatch(
    /who may read.*no threads.*only links to files.*no pictures of custom emoji.*some days.*no e-mail addresses/s,
  );
});

test("refuses the channels of two servers in one folder", async () => {
  const other = { id: "900000000000000002", name: "Other" };
  const files = {
    "a.json": fileOf(GENERAL, []),
    "b.json": fileOf(channel("910000000000000009", "x"), [], { guild: other }),
  };
  await expect(openDiscordExport(files)).rejects.toThrow(
    'has the channels of 2 servers ("Harbour", "Other"). Put those',
  );
});

test("a file that is cut off ends the reading, with the file and the byte", async () => {
  const cut = JSON.stringify(fileOf(GENERAL, [said(ADA, 1, "x")])).slice(0, -30);
  const files = { "general.json": new TextEncoder().encode(cut) };
  await expect(openDiscordExport(files)).rejects.toThrow(SourceError);
  await expect(openDiscordExport(files)).rejects.toThrow(/"general.json" is no valid JSON: it is cut off \(byte \d+\)/);
});

test("says what it expects of a folder that is no export", async () => {
  await expect(openDiscordExport({ "a.json": { guild: 1 }, "b.txt": "x" })).rejects.toThrow(
    "is no export of Discord: it has no JSON file of DiscordChatExporter.",
  );
});
