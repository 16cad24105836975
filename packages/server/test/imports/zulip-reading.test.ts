import { expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenSource, SourceError } from "../../src/imports/source.ts";
import { slack } from "../../src/imports/sources/slack/format.ts";
import { zulip } from "../../src/imports/sources/zulip/format.ts";
import { wordsOf } from "../../src/imports/tree-words.ts";
import { temporaryFolder } from "../support/config.ts";
import { writeExportFolder } from "../support/imports/export-files.ts";
import { openExportAt } from "../support/imports/open-export.ts";
import { all, reasons, taken } from "../support/imports/slack-reader.ts";
import {
  BEGIN,
  DAY,
  NOW,
  realmOf,
  sampleExport,
  sent,
  UPLOAD,
  writeZulipTar,
  type ZulipExport,
  zulipStream,
  zulipUser,
} from "../support/imports/zulip-export.ts";

const folder = temporaryFolder();
let written = 0;

async function openExport(files: ZulipExport): Promise<OpenSource> {
  written += 1;
  return openExportAt(await writeZulipTar(join(folder, `${written}.tar.gz`), files), zulip, NOW);
}

const SAMPLE = sampleExport();

/** Reads the messages of an export that has these. */
async function messagesOf(messages: readonly unknown[], tables: object = {}) {
  await using source = await openExport({
    "realm.json": realmOf({ ...tables }),
    "messages-000001.json": { zerver_message: messages },
  });
  const items = await all(source.messages());
  return { messages: taken(items), leftOut: reasons(items) };
}

test("reads people, bots and those who are gone", async () => {
  await using source = await openExport(SAMPLE);
  expect(source.workspace).toEqual({ id: `acme-${BEGIN - 10 * DAY}`, name: "Acme" });
  expect(taken(await all(source.users()))).toMatchObject([
    { id: "10", name: "Ada Berg", email: "ada@example.org", kind: "person", isGone: false, avatar: { name: "aa.png" } },
    { id: "11", displayName: "Ben Castle", isGone: false },
    { id: "12", isGone: true },
    { id: "13", kind: "bot", email: null },
    { id: "14", displayName: "Ben Castle" },
    { id: "15", name: "Gus Hall", isGone: true },
  ]);
});

test("an address that Zulip made up is none", async () => {
  const user = zulipUser(10, "Ada", { delivery_email: null });
  await using source = await openExport({
    "realm.json": realmOf({ zerver_userprofile: [user], zerver_userprofile_mirrordummy: [] }),
  });
  expect(taken(await all(source.users()))[0]?.email).toBeNull();
  expect(source.lacks.join(" ")).toContain("no e-mail addresses");
});

test("reads channels, and the conversations that have messages", async () => {
  await using source = await openExport(SAMPLE);
  const items = await all(source.channels());
  expect(taken(items)).toMatchObject([
    {
      id: "1",
      name: "general",
      kind: "public",
      topic: "Everything & more",
      memberIds: ["10", "11"],
      isArchived: false,
    },
    { id: "2", name: "old news", kind: "public", isArchived: true, createdAt: (BEGIN - DAY) * 1000 },
    { id: "3", kind: "private", memberIds: ["10"] },
    { id: "4", name: "later", kind: "private", memberIds: ["11"] },
    { id: "10,11", kind: "direct", memberIds: ["10", "11"] },
    { id: "huddle-1", kind: "group", memberIds: ["10", "11", "12"] },
  ]);
  expect(reasons(items)).toEqual(["direct with_oneself 10,10"]);
});

test("a topic is a thread, whose first message has its name", async () => {
  await using source = await openExport(SAMPLE);
  const messages = taken(await all(source.messages(new Set(["1"]))));
  expect(messages.map(({ id, threadId }) => [id, threadId])).toEqual([
    ["4", null],
    // Topics have no case.
    ["5", "4"],
    ["6", null],
    ["7", null],
    // Without a topic it is in the channel itself.
    ["8", null],
    ["9", "7"],
  ]);
  const words = messages.map(({ text }) => wordsOf(text));
  expect(words[0]).toBe("lunch\nHello everybody, @Ben Castle: see #old news and #general > Plans 🙂");
  expect(words[1]).toBe("Pizza?\nAda Berg said it");
  expect(words.slice(2)).toEqual(["✔ plans\nDone", "plans\ndeploys main", "An e-mail without a topic", ""]);
  expect(messages[0]?.text.children[0]).toMatchObject({ children: [{ type: "strong" }] });
});

test("the first message of a topic is that of the earliest time, in whatever file it is", async () => {
  const late = [sent(20, 10, 101, "a", "later"), sent(21, 10, 101, "b", "later")];
  const early = [sent(7, 11, 101, "A", "first", { date_sent: BEGIN }), sent(8, 11, 101, "B", "first")];
  await using source = await openExport({
    "realm.json": realmOf(),
    "messages-000001.json": { zerver_message: late },
    "messages-000002.json": { zerver_message: early },
  });
  const messages = taken(await all(source.messages()));
  expect(messages.map(({ id, threadId }) => [id, threadId])).toEqual([
    ["20", "7"],
    ["21", "8"],
    ["7", null],
    ["8", null],
  ]);
});

test("reads reactions of both kinds, also those beside the messages", async () => {
  await using source = await openExport(SAMPLE);
  const hello = taken(await all(source.messages())).find(({ id }) => id === "4");
  expect(hello?.reactions).toEqual([
    { reaction: "parrot", userIds: ["10"] },
    { reaction: "zulip", userIds: ["15"] },
    { reaction: "❤️", userIds: ["11"] },
    { reaction: "👍", userIds: ["11", "12"] },
  ]);
  await using beside = await openExport({
    "realm.json": realmOf({ zerver_reaction: [] }),
    "messages-000001.json": {
      zerver_message: [sent(4, 10, 101, "x", "x")],
      zerver_reaction: [{ id: 1, message: 4, user_profile: 11, emoji_name: "tada" }],
    },
  });
  expect(taken(await all(beside.messages()))[0]?.reactions).toEqual([{ reaction: "🎉", userIds: ["11"] }]);
});

test("only a changed text is an edit, and earlier texts are counted", async () => {
  await using source = await openExport(SAMPLE);
  const items = await all(source.messages(new Set(["1"])));
  const edits = Object.fromEntries(taken(items).map(({ id, editedAt }) => [id, editedAt]));
  expect(edits).toMatchObject({ 4: null, 5: (BEGIN + 50) * 1000, 6: null });
  expect(reasons(items)).toContain("edit_history earlier_text 5");
});

test("finds files, and leaves their links out of the text", async () => {
  await using source = await openExport(SAMPLE);
  const [message] = taken(await all(source.messages())).filter(({ files }) => files.length > 0);
  expect(message).toMatchObject({
    id: "9",
    text: { children: [] },
    files: [{ id: UPLOAD, name: "pixel.png", path: `zulip-export-acme/uploads/${UPLOAD}`, url: null }],
  });
  expect((await new Response(await source.file(message?.files[0]?.path ?? "")).bytes()).length).toBeGreaterThan(50);
});

test("says what is left out, and who is in no list", async () => {
  await using source = await openExport(SAMPLE);
  const items = await all(source.messages());
  expect(reasons(items)).toEqual([
    "system_message notification_bot 3",
    "edit_history earlier_text 5",
    "message channel_missing 17",
    "message no_time 18",
  ]);
  expect([...source.strangers()]).toMatchObject([
    { id: "2", name: "emailgateway", kind: "bot", isGone: false },
    { id: "77", name: "unknown-77", kind: "person", isGone: true },
  ]);
});

test("polls are text, with the votes", async () => {
  await using source = await openExport(SAMPLE);
  const [poll] = taken(await all(source.messages(new Set(["2"]))));
  expect(JSON.stringify(poll?.text)).toContain('"strong"');
  for (const words of ["Which fruit?", "Apple (0)", "Pear (1)", "Kiwi (1)"])
    expect(wordsOf(poll?.text ?? { type: "root", children: [] })).toContain(words);
});

test("reads exports of old versions", async () => {
  const message = { ...sent(4, 10, 101, "a", "x"), date_sent: undefined, pub_date: BEGIN + 1.5 };
  const streams = [{ id: 1, name: "!DEACTIVATED:general", invite_only: false, deactivated: true, date_created: BEGIN }];
  await using source = await openExport({
    "realm.json": realmOf({ zerver_stream: streams, zerver_submessage: undefined }),
    "messages-000001.json": { zerver_usermessage: [], zerver_message: [message] },
  });
  expect(taken(await all(source.channels()))[0]).toMatchObject({ name: "general", kind: "public", isArchived: true });
  expect(taken(await all(source.messages()))[0]?.at).toBe((BEGIN + 1) * 1000 + 500);
});

test("one bad record never ends the reading", async () => {
  const { messages, leftOut } = await messagesOf(
    [
      null,
      "text",
      {},
      sent(20, 10, 101, "a", "in the future", { date_sent: NOW / 1000 + 2 * DAY }),
      sent(21, 10, 101, "a", "old", { date_sent: -5 }),
      sent(22, 10, 101, "a", "wrong", { date_sent: "yesterday" }),
      sent(23, 10, 101, "a", "", {}),
      { ...sent(24, 10, 101, "a", "x"), content: { no: "text" } },
      sent(25, 10, 101, "a", "x".repeat(400_001)),
      { ...sent(26, 10, 101, "a", "good"), subject: 7, edit_history: "{", sender: null },
    ],
    { zerver_stream: [zulipStream(1, "general"), null, { name: "no id" }], zerver_reaction: [null, { message: 26 }] },
  );
  expect(messages.map(({ id, senderId }) => [id, senderId])).toEqual([["26", null]]);
  expect(leftOut).toEqual([
    "message wrong_type messages-000001.json#0",
    "message wrong_type messages-000001.json#1",
    "message no_id messages-000001.json#2",
    "message in_future 20",
    "message before_1970 21",
    "message wrong_time 22",
    "message empty 23",
    "message wrong_type 24",
    "message too_long 25",
  ]);
});

test("reads a folder as it reads the archive, and names what it is", async () => {
  await using tar = await openExport(SAMPLE);
  const path = await writeExportFolder(join(folder, "plain"), SAMPLE);
  await using plain = await openExportAt(path, zulip, NOW);
  const ids = async (source: OpenSource) => taken(await all(source.messages())).map(({ id }) => id);
  expect(await ids(plain)).toEqual(await ids(tar));
  await expect(openExportAt(path, slack, NOW)).rejects.toThrow("This is a Zulip export, and not one of Slack.");
  await expect(openExport({ "readme.txt": "hello" })).rejects.toThrow("is no export of Zulip: it has no realm.json");
  const damaged = openExport({ "realm.json": new TextEncoder().encode('{"zerver_realm":[') });
  await expect(damaged).rejects.toThrow(SourceError);
});
