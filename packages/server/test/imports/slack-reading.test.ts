import { expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenSource, SourceError } from "../../src/imports/source.ts";
import { slack } from "../../src/imports/sources/slack/format.ts";
import { wordsOf } from "../../src/imports/tree-words.ts";
import { writeExportFolder } from "../support/imports/export-files.ts";
import { openExportAt } from "../support/imports/open-export.ts";
import {
  BEGIN,
  DAY,
  dayOf,
  PIXEL,
  said,
  sampleExport,
  slackChannel,
  slackUser,
  ts,
} from "../support/imports/slack-export.ts";
import { all, folder, messagesOf, NOW, openExport, reasons, taken } from "../support/imports/slack-reader.ts";

test("reads people, bots and the deactivated", async () => {
  await using source = await openExport(sampleExport());
  expect(taken(await all(source.users()))).toMatchObject([
    { id: "U1ADA", name: "ada", displayName: "Ada B.", email: "ada@example.org", kind: "person", isGone: false },
    { id: "U2BEN", name: "ben", displayName: "Ben Castle", kind: "person", isGone: false },
    { id: "U3CORA", name: "cora", displayName: "Cora Dunn", email: null, isGone: true },
    { id: "U4BOT", name: "deploybot", kind: "bot" },
  ]);
  expect(source.workspace).toEqual({ id: "T024ACME", name: "T024ACME" });
});

test("takes the pictures of people that slackdump adds", async () => {
  await using source = await openExport({ ...sampleExport(), "__avatars/U1ADA/ada.png": PIXEL });
  const [ada, ben] = taken(await all(source.users()));
  expect([ada?.id, ada?.avatar?.path, ben?.avatar]).toEqual(["U1ADA", "__avatars/U1ADA/ada.png", undefined]);
});

test("reads channels and conversations, and leaves out the one with oneself", async () => {
  await using source = await openExport(sampleExport());
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
  await using source = await openExport({ "channels.json": shared });
  expect(taken(await all(source.channels())).map(({ kind }) => kind)).toEqual(["private", "private", "public"]);
});

test("a channel was created by now, whatever the export says", async () => {
  const times = [NOW / 1000 + 1, 4e12, NOW / 1000 - 1, 0, "soon"];
  const channels = times.map((created, at) => slackChannel(`C${at}`, `c${at}`, [], { created }));
  await using source = await openExport({ "channels.json": channels });
  expect(taken(await all(source.channels())).map(({ createdAt }) => createdAt)).toEqual([
    NOW,
    NOW,
    NOW - 1000,
    null,
    null,
  ]);
});

test("reads a message with its reactions, pin and text", async () => {
  await using source = await openExport(sampleExport());
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
  await using source = await openExport(sampleExport());
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
  await using source = await openExport(sampleExport());
  const messages = taken(await all(source.messages(new Set(["C1GENERAL"]))));
  expect(messages.find(({ at }) => at === (BEGIN + 200) * 1000)?.senderId).toBe("U4BOT");
  expect([...source.strangers()]).toMatchObject([
    { id: "B9HOOK", name: "alerts", kind: "bot", isGone: false },
    { id: "U7GONE", name: "gus", displayName: "gus", kind: "person", isGone: true },
  ]);
});

test("no text, name or reason has a token of a link", async () => {
  await using source = await openExport(sampleExport());
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
  await using zip = await openExport(sampleExport(), "Acme Slack export Mar 1 2024 - Apr 1 2024.zip");
  expect(zip.workspace.name).toBe("Acme");
  const plain = await writeExportFolder(join(folder, "plain"), sampleExport());
  await using unpacked = await openExportAt(plain, slack, NOW);
  expect(await contentOf(unpacked)).toEqual(await contentOf(zip));
  const within = Object.fromEntries(Object.entries(sampleExport()).map(([name, value]) => [`export/${name}`, value]));
  await using packed = await openExport(within);
  expect((await all(packed.messages())).length).toBe((await all(zip.messages())).length);
});

test("finds the folder of a channel that a Mac unpacked", async () => {
  await using source = await openExport({
    "channels.json": [slackChannel("C1", "café".normalize("NFC"), [])],
    [`${"café".normalize("NFD")}/${dayOf(0)}`]: [said("U1", 1, "x")],
  });
  expect(taken(await all(source.messages())).map(({ channelId }) => channelId)).toEqual(["C1"]);
});

test("says what an export lacks", async () => {
  await using bare = await openExport({ "users.json": [slackUser("U1", "ada")], "channels.json": [] });
  expect(bare.lacks.join("\n")).toMatch(
    /no private channels and direct messages.*links to files.*no e-mail addresses/s,
  );
  await using full = await openExport(sampleExport());
  expect(full.lacks).toHaveLength(1);
});

test.each([
  ["Mattermost", { "import.jsonl": "{}" }],
  ["Rocket.Chat", { "dump/rocketchat_message.bson": PIXEL }],
  ["Zulip", { "realm.json": {}, "messages-000001.json": {} }],
  ["Telegram", { "result.json": {} }],
  ["Discord", { "Guild - Text - general [1012224565567721552].json": {} }],
])("names an export of %s", async (name, files) => {
  await expect(openExport(files)).rejects.toThrow(`This is a ${name} export, and not one of Slack.`);
});

test("says what it expects of an archive that is no export", async () => {
  await expect(openExport({ "readme.txt": "hello" })).rejects.toThrow(
    "is no export of Slack: it has none of channels.json",
  );
});

test("damaged JSON ends the reading, with the file and the byte", async () => {
  const day = `general/${dayOf(0)}`;
  const damaged = messagesOf([], { [day]: new TextEncoder().encode('[{"ts":"1"},') });
  await expect(damaged).rejects.toThrow(SourceError);
  await expect(damaged).rejects.toThrow(`"${day}" is no valid JSON list: it is cut off (byte 12)`);
});
