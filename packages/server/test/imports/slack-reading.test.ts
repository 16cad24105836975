import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { openArchive } from "../../src/imports/archive/archive.ts";
import { openSlack } from "../../src/imports/slack/open-slack.ts";
import { type Item, type OpenSource, SourceError, type SourceMessage } from "../../src/imports/source.ts";
import { wordsOf } from "../../src/imports/tree-words.ts";
import { temporaryFolder } from "../support/config.ts";
import {
  BEGIN,
  DAY,
  dayOf,
  PIXEL,
  type SlackExport,
  said,
  sampleExport,
  slackChannel,
  slackFile,
  slackUser,
  ts,
  writeSlackFolder,
  writeSlackZip,
} from "../support/imports/slack-export.ts";

const folder = temporaryFolder();
afterAll(() => rm(folder, { recursive: true }));
const NOW = (BEGIN + 30 * DAY) * 1000;

let written = 0;
async function open(files: SlackExport, name?: string): Promise<OpenSource> {
  written += 1;
  return openSlack(await openArchive(await writeSlackZip(join(folder, name ?? `${written}.zip`), files)), {
    now: () => NOW,
  });
}

const all = async <T>(items: AsyncIterable<Item<T>>): Promise<Item<T>[]> => Array.fromAsync(items);
const taken = <T>(items: readonly Item<T>[]): T[] => items.flatMap((each) => ("item" in each ? [each.item] : []));
const reasons = (items: readonly Item<unknown>[]): string[] =>
  items.flatMap((each) =>
    "leftOut" in each ? [`${each.leftOut.kind} ${each.leftOut.reason} ${each.leftOut.example}`] : [],
  );

/** Reads the messages of one channel that has these records on one day. */
async function messagesOf(records: readonly unknown[], more: SlackExport = {}, channel: object = {}) {
  await using source = await open({
    "users.json": [slackUser("U1", "ada"), slackUser("U2", "ben", { is_bot: true }, { bot_id: "B2" })],
    "channels.json": [slackChannel("C1", "general", ["U1"], { ...channel })],
    [`general/${dayOf(0)}`]: records,
    ...more,
  });
  const items = await all(source.messages());
  return { items, messages: taken(items), leftOut: reasons(items), strangers: [...source.strangers()] };
}

async function oneOf(record: object, more: SlackExport = {}): Promise<SourceMessage> {
  const { messages } = await messagesOf([record], more);
  const [message] = messages;
  if (message === undefined || messages.length > 1) throw new Error(`there are ${messages.length} messages`);
  return message;
}

test("reads people, bots and the deactivated", async () => {
  await using source = await open(sampleExport());
  expect(taken(await all(source.users()))).toMatchObject([
    { id: "U1ADA", name: "ada", displayName: "Ada B.", email: "ada@example.org", kind: "person", isGone: false },
    { id: "U2BEN", name: "ben", displayName: "Ben Castle", kind: "person", isGone: false },
    { id: "U3CORA", name: "cora", displayName: "Cora Dunn", email: null, isGone: true },
    { id: "U4BOT", name: "deploybot", kind: "bot" },
  ]);
  expect(source.workspace).toEqual({ id: "T024ACME", name: "T024ACME" });
});

test("reads channels and conversations, and leaves out the one with oneself", async () => {
  await using source = await open(sampleExport());
  const items = await all(source.channels());
  expect(taken(items)).toMatchObject([
    {
      id: "C1GENERAL",
      name: "general",
      kind: "public",
      topic: "Everything & more",
      creatorId: "U1ADA",
      isArchived: false,
    },
    { id: "C2RANDOM", kind: "public", isArchived: true, createdAt: (BEGIN - DAY) * 1000 },
    { id: "G1SECRET", name: "secret", kind: "private", memberIds: ["U1ADA"] },
    { id: "D1AB", name: "", kind: "direct", memberIds: ["U1ADA", "U2BEN"] },
    { id: "G2GROUP", kind: "group", memberIds: ["U1ADA", "U2BEN", "U3CORA"] },
  ]);
  expect(reasons(items)).toEqual(["direct with_oneself D2SELF"]);
});

test("a channel that is shared with another workspace is private", async () => {
  const shared = [
    slackChannel("C1", "ext", ["U1"], { is_ext_shared: true }),
    slackChannel("C2", "old", ["U1"], { is_shared: true }),
    slackChannel("C3", "org", ["U1"], { is_shared: true, is_org_shared: true }),
  ];
  await using source = await open({ "channels.json": shared });
  expect(taken(await all(source.channels())).map(({ kind }) => kind)).toEqual(["private", "private", "public"]);
});

test("reads a message with its reactions, pin and text", async () => {
  await using source = await open(sampleExport());
  const [hello] = taken(await all(source.messages(new Set(["C1GENERAL"]))));
  expect(hello).toMatchObject({
    id: `C1GENERAL/${ts(60)}`,
    senderId: "U1ADA",
    at: (BEGIN + 60) * 1000,
    isPinned: true,
    reactions: [
      { reaction: "👍", userIds: ["U2BEN", "U3CORA"] },
      { reaction: "party_parrot", userIds: ["U2BEN"] },
    ],
  });
  expect(wordsOf(hello?.text ?? { type: "root", children: [] })).toBe(
    "Hello everybody, @ben: see the page & #random 👋🏼",
  );
});

test("reads threads, edits, tombstones and what a channel shows of a thread", async () => {
  await using source = await open(sampleExport());
  const messages = taken(await all(source.messages(new Set(["C1GENERAL"]))));
  const root = `C1GENERAL/${ts(120)}`;
  expect(messages.find(({ id }) => id === root)?.threadId).toBeNull();
  expect(messages.filter(({ threadId }) => threadId === root)).toMatchObject([
    { isAlsoInChannel: false, editedAt: (BEGIN + 140) * 1000 },
    { isAlsoInChannel: true, editedAt: null },
  ]);
  const gone = `C1GENERAL/${ts(DAY + 30)}`;
  expect(messages.find(({ id }) => id === gone)).toMatchObject({ isTombstone: true, text: { children: [] } });
  expect(messages.find(({ threadId }) => threadId === gone)).toMatchObject({ senderId: "U2BEN" });
});

test("finds bots by their other id, and people whom only messages name", async () => {
  await using source = await open(sampleExport());
  const messages = taken(await all(source.messages(new Set(["C1GENERAL"]))));
  expect(messages.find(({ at }) => at === (BEGIN + 200) * 1000)?.senderId).toBe("U4BOT");
  expect([...source.strangers()]).toMatchObject([
    { id: "B9HOOK", name: "alerts", kind: "bot", isGone: false },
    { id: "U7GONE", name: "gus", displayName: "gus", kind: "person", isGone: true },
  ]);
});

test("finds the bytes of files where the two exporting programs put them", async () => {
  const message = said("U1", 5, "", { files: [slackFile("F1", "a.png", 9, { alt_txt: "A dot" })] });
  const link = { id: "F1", name: "a.png", size: 9, mimeType: "image/png", alt: "A dot" };
  expect((await oneOf(message)).files).toMatchObject([
    { ...link, path: null, url: expect.stringContaining("files.slack.com") },
  ]);
  const uploads = { "__uploads/F1/a b.png": PIXEL };
  expect((await oneOf(message, uploads)).files).toMatchObject([{ ...link, path: "__uploads/F1/a b.png" }]);
  const beside = { "general/attachments/F1-a.png": PIXEL };
  expect((await oneOf(message, beside)).files).toMatchObject([{ path: "general/attachments/F1-a.png" }]);
});

test("gives the bytes of a file of the export", async () => {
  await using source = await open(sampleExport());
  const bytes = await new Response(await source.file("__uploads/F1PIXEL/pixel.png")).bytes();
  expect(Buffer.from(bytes).equals(PIXEL)).toBe(true);
  await expect(source.file("__uploads/none")).rejects.toThrow(SourceError);
});

test("files that Slack no longer shows leave their name, and are counted", async () => {
  const files = [
    { id: "F1", mode: "tombstone" },
    { id: "F2", mode: "hidden_by_limit", name: "plan.pdf" },
  ];
  const { messages, leftOut } = await messagesOf([said("U1", 5, "see", { files })]);
  expect(leftOut).toEqual(["file tombstone F1", "file hidden_by_limit F2"]);
  expect(messages.map(({ text }) => wordsOf(text))).toEqual(["see\nA file that Slack no longer shows\nplan.pdf"]);
  expect(messages[0]?.files).toEqual([]);
});

test("reads a file of the time when a message had one, without Slack's own words", async () => {
  const text = "<@U1|ada> uploaded a file: <https://acme.slack.com/files/U1/F1/a.png|a.png> and commented: *Look*";
  const message = await oneOf(said("U1", 5, text, { subtype: "file_share", file: slackFile("F1", "a.png", 9) }));
  expect(wordsOf(message.text)).toBe("Look");
  expect(message.files).toMatchObject([{ id: "F1" }]);
});

test("writes what /me says in italics", async () => {
  const { text } = await oneOf(said("U1", 5, "waves", { subtype: "me_message" }));
  expect(text.children).toEqual([
    { type: "paragraph", children: [{ type: "emphasis", children: [{ type: "text", value: "waves" }] }] },
  ]);
});

test.each([
  ["its text", { text: "said", blocks: [{ type: "section", text: { type: "mrkdwn", text: "block" } }] }, "said"],
  ["else its blocks", { text: "", blocks: [{ type: "section", text: { type: "mrkdwn", text: "*block*" } }] }, "block"],
  [
    "then title, text and fields",
    {
      attachments: [
        {
          title: "T",
          title_link: "https://a.example/",
          text: "x *y*",
          fields: [{ title: "F", value: "v" }],
          fallback: "no",
        },
      ],
    },
    "T\nx y\nF v",
  ],
  ["the fallback only without anything else", { attachments: [{ fallback: "fell back", color: "red" }] }, "fell back"],
  [
    "no previews of links",
    { text: "<https://a.example>", attachments: [{ from_url: "https://a.example", title: "A" }] },
    "https://a.example",
  ],
])("a bot's message has %s", async (_, fields, words) => {
  const { text } = await oneOf({ type: "message", subtype: "bot_message", bot_id: "B2", ts: ts(5), ...fields });
  expect(wordsOf(text)).toBe(words);
});

test("a forwarded message is a quote with the name", async () => {
  const attachments = [
    { is_share: true, author_name: "Ben Castle", text: "It *works*", from_url: "https://acme.slack.com/x" },
  ];
  const { text } = await oneOf(said("U1", 5, "look", { attachments }));
  expect(text.children.map(({ type }) => type)).toEqual(["paragraph", "blockquote"]);
  expect(wordsOf(text)).toBe("look\nBen Castle\nIt works");
});

test("one bad record never ends the reading", async () => {
  const { messages, leftOut } = await messagesOf([
    null,
    "text",
    [],
    {},
    said("U1", 5, "", {}),
    { type: "message", user: "U1", text: "x" },
    { type: "message", user: "U1", text: "x", ts: "yesterday" },
    { type: "message", user: "U1", text: "x", ts: 5 },
    { type: "message", user: "U1", text: "x", ts: "-5.000000" },
    { type: "message", user: "U1", text: "x", ts: `${BEGIN + 32 * DAY}.000000` },
    { type: "message", user: "U1", text: 5, ts: ts(6) },
    { type: "event", user: "U1", text: "x", ts: ts(7) },
    said("U1", 8, "joined", { subtype: "channel_join" }),
    said("U1", 9, "", { subtype: "ekm_access_denied" }),
    { type: "message", user: 5, text: "whose?", ts: ts(10), reactions: "none", files: {}, edited: 3, thread_ts: [] },
    said("U1", 11, "good"),
  ]);
  expect(messages.map(({ text, senderId }) => [wordsOf(text), senderId])).toEqual([
    ["whose?", null],
    ["good", "U1"],
  ]);
  const day = `general/${dayOf(0)}`;
  expect(leftOut).toEqual([
    `message wrong_type ${day}#0`,
    `message wrong_type ${day}#1`,
    `message wrong_type ${day}#2`,
    `message no_time ${day}#3`,
    `message empty C1/${ts(5)}`,
    `message no_time ${day}#5`,
    "message wrong_time C1/yesterday",
    `message wrong_time ${day}#7`,
    "message before_1970 C1/-5.000000",
    `message in_future C1/${BEGIN + 32 * DAY}.000000`,
    `message wrong_type C1/${ts(6)}`,
    `message wrong_type C1/${ts(7)}`,
    `system_message channel_join C1/${ts(8)}`,
    `encrypted ekm_access_denied C1/${ts(9)}`,
  ]);
});

test("leaves out messages of a channel that is in no list, and comments on canvases", async () => {
  const { messages, leftOut } = await messagesOf([], {
    [`lost/${dayOf(0)}`]: [said("U1", 1, "a"), said("U1", 2, "b")],
    [`FC:F1:Plan/${dayOf(0)}`]: [said("U1", 3, "c")],
  });
  expect(messages).toEqual([]);
  expect(leftOut).toEqual([
    "channel canvas FC:F1:Plan",
    "channel not_listed lost",
    `message channel_missing lost/${dayOf(0)}#0`,
    `message channel_missing lost/${dayOf(0)}#1`,
  ]);
});

test("counts people who reacted and are not named, and pins of messages that are not there", async () => {
  const reactions = [
    { name: "+1", users: ["U1"], count: 4 },
    { name: "thumbsup", users: ["U1", "U2"], count: 2 },
  ];
  const { messages, items } = await messagesOf([said("U1", 5, "x", { reactions })], {}, { pins: [{ id: ts(99) }] });
  expect(messages[0]?.reactions).toEqual([{ reaction: "👍", userIds: ["U1", "U2"] }]);
  expect(items.flatMap((each) => ("leftOut" in each ? [each.leftOut] : []))).toEqual([
    { kind: "reaction", reason: "people_not_named", example: `C1/${ts(5)}`, times: 3 },
    { kind: "pin", reason: "message_missing", example: `C1/${ts(99)}` },
  ]);
});

test("no text, name or reason has a token of a link", async () => {
  await using source = await open(sampleExport());
  const messages = taken(await all(source.messages())).map(({ files, ...message }) => ({
    ...message,
    files: files.map(({ url: _, ...file }) => file),
  }));
  expect(JSON.stringify(messages)).not.toContain("xoxe");
});

test("reads a folder as it reads the ZIP, also within another folder", async () => {
  const contentOf = async (source: OpenSource): Promise<unknown> => [
    await all(source.users()),
    await all(source.channels()),
    await all(source.messages()),
  ];
  await using zip = await open(sampleExport(), "Acme Slack export Mar 1 2024 - Apr 1 2024.zip");
  expect(zip.workspace.name).toBe("Acme");
  const plain = await writeSlackFolder(join(folder, "plain"), sampleExport());
  await using unpacked = await openSlack(await openArchive(plain), { now: () => NOW });
  expect(await contentOf(unpacked)).toEqual(await contentOf(zip));
  const within = Object.fromEntries(Object.entries(sampleExport()).map(([name, value]) => [`export/${name}`, value]));
  await using packed = await open(within);
  expect((await all(packed.messages())).length).toBe((await all(zip.messages())).length);
});

test("says what an export lacks", async () => {
  await using bare = await open({ "users.json": [slackUser("U1", "ada")], "channels.json": [] });
  expect(bare.lacks.join("\n")).toMatch(
    /no private channels and direct messages.*links to files.*no e-mail addresses/s,
  );
  await using full = await open(sampleExport());
  expect(full.lacks).toHaveLength(1);
});

test.each([
  ["Mattermost", { "import.jsonl": "{}" }],
  ["Rocket.Chat", { "dump/rocketchat_message.bson": PIXEL }],
  ["Zulip", { "realm.json": {}, "messages-000001.json": {} }],
  ["Telegram", { "result.json": {} }],
  ["Discord", { "Guild - Text - general [1012224565567721552].json": {} }],
])("names an export of %s", async (name, files) => {
  await expect(open(files)).rejects.toThrow(`This is a ${name} export, and not one of Slack.`);
});

test("says what it expects of an archive that is no export", async () => {
  await expect(open({ "readme.txt": "hello" })).rejects.toThrow("is no export of Slack: it has none of channels.json");
});

test("damaged JSON ends the reading, with the file and the byte", async () => {
  const day = `general/${dayOf(0)}`;
  const damaged = messagesOf([], { [day]: new TextEncoder().encode('[{"ts":"1"},') });
  await expect(damaged).rejects.toThrow(SourceError);
  await expect(damaged).rejects.toThrow(`"${day}" is no valid JSON list: it is cut off (byte 12)`);
});
