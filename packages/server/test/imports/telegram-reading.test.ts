import { expect, test } from "bun:test";
import type { SourceText } from "../../src/imports/source.ts";
import { wordsOf } from "../../src/imports/tree-words.ts";
import { printText } from "../../src/imports/write/text.ts";
import { all, reasons, taken } from "../support/imports/slack-reader.ts";
import {
  ada,
  BEGIN,
  ben,
  messagesIn,
  notice,
  oneChat,
  openTelegramExport,
  said,
  sampleExport,
} from "../support/imports/telegram-export.ts";

const printed = (text: SourceText | undefined): string =>
  printText(text ?? { type: "root", children: [] }, {
    person: (id) => ({ type: "user", name: id }),
    slug: () => null,
    address: (channel, message) => `https://parley.example/#/c/${channel}/${message ?? ""}`,
  }).content;

/** Returns the text that becomes of entities, as Markdown. */
async function textOf(text: unknown, more: Record<string, unknown> = {}): Promise<string> {
  const { messages } = await messagesIn([said(1, ada, text, more)]);
  return printed(messages[0]?.text);
}

test("reads the chats of an account, with those who wrote in them", async () => {
  await using source = await openTelegramExport(sampleExport(), { open: new Set(["Harbour"]) });
  const items = await all(source.channels());
  expect(taken(items)).toMatchObject([
    {
      ...{ id: "9001", name: "Crew", kind: "private", memberIds: ["user111", "user222", "user333"] },
      creatorId: "user111",
      createdAt: (BEGIN + 10) * 1000,
    },
    { id: "9002", name: "Harbour", kind: "public", memberIds: ["user111", "user222"] },
    { id: "222", name: "", kind: "direct", memberIds: ["user222", "user111"] },
    { id: "444", name: "", kind: "direct", memberIds: ["user444", "user111"] },
  ]);
  expect(reasons(items)).toEqual(["direct with_oneself 111"]);
  expect(source.workspace).toEqual({ id: "user111", name: "Ada Berg" });
});

test("--open all opens groups and channels; a name that is none is refused", async () => {
  await using source = await openTelegramExport(sampleExport(), { open: "all" });
  const kinds = taken(await all(source.channels())).map(({ kind }) => kind);
  expect(kinds).toEqual(["public", "public", "direct", "direct"]);
  for (const name of ["Harbor", "Ben Castle"])
    await expect(openTelegramExport(sampleExport(), { open: new Set([name]) })).rejects.toThrow(
      `The export has no group or channel named "${name}". Check --open.`,
    );
});

test("makes people only of those who wrote in what is read", async () => {
  await using source = await openTelegramExport(sampleExport());
  await all(source.messages());
  expect([...source.strangers()]).toMatchObject([
    { id: "user111", name: "Ada Berg", displayName: "Ada Berg", kind: "person", isGone: false },
    { id: "user222", name: "Ben Castle", isGone: false },
    { id: "user333", name: "unknown-user333", displayName: null, isGone: true },
    { id: "channel9002", name: "Harbour", kind: "bot" },
    { id: "user444", name: "Weather", kind: "bot" },
  ]);
  await all(source.messages(new Set(["444"])));
  expect([...source.strangers()].map(({ id }) => id)).toEqual(["user444", "user111"]);
});

test("reads quotes, edits, pins, reactions and files", async () => {
  await using source = await openTelegramExport(sampleExport());
  const messages = taken(await all(source.messages(new Set(["9001"]))));
  expect(messages.find(({ id }) => id === "9001/2")).toMatchObject({
    at: (BEGIN + 20) * 1000,
    editedAt: (BEGIN + 60) * 1000,
    isPinned: true,
    reactions: [{ reaction: "👍", userIds: ["user222"] }],
  });
  expect(messages.find(({ id }) => id === "9001/3")).toMatchObject({ replyToId: "9001/2", threadId: null });
  expect(messages.flatMap(({ files }) => files)).toMatchObject([
    { name: "photo_1.png", path: "photos/photo_1.png" },
    { name: "plan.pdf", path: null },
  ]);
  expect(messages.map(({ text }) => printed(text))).toEqual([
    "**Hello** @user222, see https://parley.example/#/c/9002/9002/3",
    "An answer",
    "I was here",
    "",
    "",
    "**When?**\n\n- Now – 2\n- Later – 1",
    "🎉",
    "> **Dora**\n>\n> Read this\n\n_via @gif_",
  ]);
});

test("a topic is a thread that begins with its name", async () => {
  await using source = await openTelegramExport(sampleExport());
  const messages = taken(await all(source.messages(new Set(["9002"]))));
  expect(messages.map(({ id, threadId, replyToId }) => [id, threadId, replyToId])).toEqual([
    ["9002/1", null, null],
    ["9002/2", "9002/1", null],
    ["9002/3", "9002/1", "9002/2"],
    ["9002/4", null, null],
    ["9002/5", null, null],
  ]);
  expect(wordsOf(messages[0]?.text ?? { type: "root", children: [] })).toBe("Boats");
});

test("a reply outside of topics is a quote, and one to a message that is not there belongs to its thread", async () => {
  const { messages } = await messagesIn([
    notice(1, ada, "topic_created", { title: "Boats" }),
    said(5, ada, "General"),
    said(6, ben, "A quote", { reply_to_message_id: 5 }),
    said(7, ben, "Long ago", { reply_to_message_id: 4 }),
  ]);
  expect(messages.slice(2)).toMatchObject([
    { threadId: null, replyToId: "9001/5" },
    { threadId: "9001/4", replyToId: "9001/4" },
  ]);
});

test.each([
  [
    [
      { type: "italic", text: " a " },
      { type: "underline", text: "b" },
    ],
    "_a_ _b_",
  ],
  [
    [
      { type: "strikethrough", text: "a" },
      { type: "spoiler", text: " b" },
    ],
    "~~a~~ b",
  ],
  [[{ type: "bold", text: "a\n\nb" }], "**a**\n\n**b**"],
  [["x ", { type: "code", text: "*a*" }, " y"], "x `*a*` y"],
  [
    [
      { type: "pre", text: "let a;\n", language: "js" },
      { type: "plain", text: "\n\nend" },
    ],
    "```js\nlet a;\n```\n\nend",
  ],
  [
    [
      { type: "blockquote", text: "a\nb" },
      { type: "plain", text: "c" },
    ],
    "> a\n> b\n\nc",
  ],
  [[{ type: "text_link", text: "here", href: "https://example.org/a" }], "[here](https://example.org/a)"],
  [[{ type: "text_link", text: "here", href: "javascript:alert(1)" }], "here"],
  [[{ type: "link", text: "example.org" }], "http://example.org"],
  [
    [{ type: "mention", text: "@ada" }, " ", { type: "hashtag", text: "#a" }, { type: "constructor", text: "!" }],
    "@ada #a!",
  ],
  ["# plain *text*\n  1. <b>", "\\# plain \\*text\\*\n1\\. \\<b>"],
  [[7, null, { text: 3 }, { type: "bold" }, ["a"]], ""],
])("reads the text %j", async (text, wanted) => {
  // Without anything to show, the message is left out.
  expect(await textOf(text, { text_entities: undefined })).toBe(wanted);
});

test.each([
  [
    { place_name: "Pier 4", address: "Quay", location_information: { latitude: 1.5, longitude: -2 } },
    "Pier 4\nQuay\n1.5, -2",
  ],
  [{ contact_information: { first_name: "Ben", last_name: "", phone_number: "+1 2" } }, "Ben, +1 2"],
  [{ forwarded_from: null, text: "x", text_entities: [] }, "> x"],
])("shows %j as text", async (more, wanted) => {
  expect(await textOf("", more)).toBe(wanted);
});

test("times without a zone are those of --zone, also when clocks change", async () => {
  const at = async (date: string, zone: string) => {
    const { messages } = await messagesIn([said(1, ada, "x", { date, date_unixtime: undefined })], {}, zone);
    return new Date(messages[0]?.at ?? 0).toISOString().slice(0, 16);
  };
  expect(await at("2023-01-15T12:00:00", "UTC")).toBe("2023-01-15T12:00");
  expect(await at("2023-01-15T12:00:00", "Europe/Berlin")).toBe("2023-01-15T11:00");
  expect(await at("2023-07-15T12:00:00", "Europe/Berlin")).toBe("2023-07-15T10:00");
  expect(await at("2023-07-15T23:30:00", "America/New_York")).toBe("2023-07-16T03:30");
  // The clocks went from 2 to 3, and later from 3 back to 2.
  expect(await at("2023-03-26T02:30:00", "Europe/Berlin")).toBe("2023-03-26T01:30");
  expect(await at("2023-10-29T02:30:00", "Europe/Berlin")).toBe("2023-10-29T00:30");
  expect(await at("2023-07-15T12:00:00.250Z", "Europe/Berlin")).toBe("2023-07-15T12:00");
});

test.each([
  [{ type: "service", action: "invite_members" }, "system_message invite_members"],
  [{ type: "service", action: "<b>" }, "system_message unknown"],
  [{ type: 7 }, "message wrong_type"],
  [{ date: "", date_unixtime: "" }, "message no_time"],
  [{ date_unixtime: "-5" }, "message before_1970"],
  [{ date_unixtime: "9999999999" }, "message in_future"],
  [{ date: "soon", date_unixtime: null }, "message wrong_time"],
])("leaves out a record with %j", async (fields, reason) => {
  const { messages, leftOut } = await messagesIn([said(1, ada, "x", fields), said(2, ada, "y")]);
  expect(messages).toHaveLength(1);
  expect(leftOut).toEqual([`${reason} 9001/1`]);
});

test("reads old exports, in which people are numbers, and records that are no messages", async () => {
  const { messages, leftOut, strangers } = await messagesIn([
    { id: 1, date: "2017-01-01T06:20:09.248Z", type: "message", from: "Coy99", from_id: 6, text: "old" },
    { id: "2", date: "2017-01-01T06:20:10", type: "message", text: "nobody" },
    17,
    { id: "x" },
  ]);
  expect(messages).toMatchObject([{ at: 1483251609248, senderId: "user6" }, { senderId: null }]);
  expect(strangers).toMatchObject([{ id: "user6", name: "Coy99" }]);
  expect(leftOut).toEqual(["message wrong_type result.json#/2", "message no_id result.json#/3"]);
});

test("a message of an old export was not edited if the time of the edit is the year 1970", async () => {
  const old = { date: "2019-05-01T10:00:00", date_unixtime: undefined };
  const { messages } = await messagesIn([
    said(1, ada, "x", { ...old, edited: "1970-01-01T01:00:00" }),
    said(2, ada, "y", { ...old, edited: "2019-05-01T10:00:00" }),
  ]);
  expect(messages.map(({ editedAt }) => editedAt)).toEqual([null, Date.UTC(2019, 4, 1, 10)]);
});

test("messages of the group that a larger one came from keep their order within a second", async () => {
  const sentAt = { date_unixtime: String(BEGIN) };
  const { messages } = await messagesIn([
    said(-999999999, ada, "first", sentAt),
    said(-999999998, ben, "second", sentAt),
    said(1, ada, "third", sentAt),
  ]);
  const sorted = messages.toSorted((one, other) => one.order - other.order);
  expect(sorted.map(({ id }) => id)).toEqual(["9001/-999999999", "9001/-999999998", "9001/1"]);
});

test("a post of a channel says who signed it", async () => {
  expect(await textOf("News", { from: "Harbour", from_id: "channel9002", author: "Ada B." })).toBe("News\n\n_Ada B._");
});

test("a quote of another chat, and a pin that nobody has, become nothing", async () => {
  const { messages } = await messagesIn([
    said(2, ada, "x", { reply_to_message_id: 1, reply_to_peer_id: "channel7" }),
    said(3, ada, "y", { reply_to_message_id: 2, reply_to_peer_id: "channel9001" }),
    notice(4, ben, "pin_message"),
  ]);
  expect(messages).toMatchObject([{ replyToId: null }, { replyToId: "9001/2", isPinned: false }]);
});

test("the other one of a conversation is known, who exported it may not be", async () => {
  const { channels, strangers } = await messagesIn([said(1, ada, "x")], {
    type: "personal_chat",
    id: 222,
    name: "Ben",
  });
  expect(channels).toMatchObject([{ kind: "direct", memberIds: ["user222", "user111"] }]);
  expect(strangers.map(({ name }) => name)).toEqual(["Ben", "Ada Berg"]);
  const unknown = await messagesIn([said(1, ben, "x")], { type: "personal_chat", id: 222, name: "Ben" });
  expect(unknown.channels).toMatchObject([{ kind: "group", memberIds: ["user222"] }]);
});

test("reads the control characters of older versions, which are no JSON", async () => {
  const json = JSON.stringify(oneChat([said(1, ada, "a~b \\x41")])["result.json"]).replaceAll("~", "\\x0B");
  await using source = await openTelegramExport({ "result.json": new TextEncoder().encode(json) });
  const [message] = taken(await all(source.messages()));
  expect(wordsOf(message?.text ?? { type: "root", children: [] })).toBe("a\u000bb \\x41");
});

test("says what it expects of a folder that is no export, and refuses two", async () => {
  await expect(openTelegramExport({ "result.json": { a: 1 } })).rejects.toThrow(
    "is no export of Telegram: it has no result.json with messages.",
  );
  const two = { "a/result.json": oneChat([])["result.json"], "b/result.json": oneChat([])["result.json"] };
  await expect(openTelegramExport(two)).rejects.toThrow("has 2 exports of Telegram. Name the folder of one of them.");
});
