import { expect, test } from "bun:test";
import { wordsOf } from "../../src/imports/tree-words.ts";
import {
  at,
  directPostLine,
  PIXEL,
  postLine,
  reaction,
  reply,
  sampleExport,
} from "../support/imports/mattermost-export.ts";
import { messagesOf, NOW, oneOf, openExport } from "../support/imports/mattermost-reader.ts";
import { all, taken } from "../support/imports/slack-reader.ts";

test("reads posts with their threads, reactions, pins and edits", async () => {
  await using source = await openExport(sampleExport());
  const messages = taken(await all(source.messages()));
  const find = (words: string) => messages.find(({ text }) => wordsOf(text).startsWith(words));
  expect(find("Hello")).toMatchObject({
    id: `core/general/ada/${at(60)}/1`,
    channelId: "core/general",
    senderId: "ada",
    at: at(60),
    isPinned: true,
    reactions: [
      { reaction: "👍", userIds: ["ben", "cora"] },
      { reaction: "party_parrot", userIds: ["ben"] },
    ],
  });
  const root = find("A question");
  expect(root?.threadId).toBeNull();
  expect(find("An answer")).toMatchObject({ threadId: root?.id, editedAt: at(140), channelId: "core/general" });
  expect(find("Another")).toMatchObject({ threadId: root?.id, editedAt: null, reactions: [{ reaction: "🎉" }] });
  expect(find("just us")).toMatchObject({ id: `ada,ben/ben/${at(75)}/1`, channelId: "ada,ben" });
});

test("two posts of one person in a millisecond both come, with the same ids in a later export", async () => {
  const lines = ["one", "two", "two"].map((words) => postLine("general", "ada", 5, words));
  const first = await messagesOf(lines);
  expect(first.messages.map(({ id }) => id)).toEqual([1, 2, 3].map((number) => `core/general/ada/${at(5)}/${number}`));
  const later = await messagesOf([postLine("general", "ben", 9, "new"), ...lines]);
  expect(later.messages.slice(1).map(({ id }) => id)).toEqual(first.messages.map(({ id }) => id));
});

test("finds webhooks by the name under which they write, and people whom only posts name", async () => {
  const hook = (override_username: unknown, from_webhook: unknown = "true") =>
    postLine("general", "ada", 1, "x", { props: { from_webhook, override_username } });
  const { messages, strangers } = await messagesOf([
    hook("alerts"),
    hook("alerts", true),
    hook(""),
    hook("fake", "no"),
    postLine("general", "zoe", 1, "x"),
    postLine("general", "", 1, "x"),
    postLine("general", "helper", 1, "x", { props: { from_bot: "true" } }),
  ]);
  expect(messages.map(({ senderId }) => senderId)).toEqual([
    "webhook:alerts",
    "webhook:alerts",
    "ada",
    "ada",
    "zoe",
    null,
    "helper",
  ]);
  expect(strangers).toMatchObject([
    { id: "webhook:alerts", name: "alerts", kind: "bot", isGone: false },
    { id: "zoe", name: "zoe", kind: "person", isGone: true },
    { id: "helper", kind: "bot", isGone: false },
  ]);
});

test("what a bot attaches becomes text", async () => {
  const attachments = [
    {
      pretext: "New build",
      title: "Build 7",
      title_link: "https://ci.example/7",
      text: "by @ben",
      fields: [
        { title: "State", value: "**ok**" },
        { title: "Tries", value: 3 },
      ],
      fallback: "unused",
    },
    { fallback: "only this" },
  ];
  const { text } = await oneOf("", { type: "slack_attachment", props: { attachments } });
  expect(wordsOf(text)).toBe("New build\nBuild 7\nby @ben\nState **ok**\nTries 3\nonly this");
  expect(JSON.stringify(text)).toContain('"url":"https://ci.example/7"');
});

test.each([
  ["*waves*", "*waves*"],
  ["waves", "*waves*"],
])("what /me says, %j, is in italics", async (message, wanted) => {
  expect(wordsOf((await oneOf(message, { type: "me" })).text)).toBe(wanted);
});

test("finds the bytes of files below data or beside the lines, and never elsewhere", async () => {
  const paths = ["a/one.png", "two.png", "../import.jsonl", "/etc/passwd", "gone.png", "two.png", "import.jsonl"];
  const attachments = paths.map((path) => ({ path }));
  const { messages } = await messagesOf([postLine("general", "ada", 1, "", { attachments })], {
    "data/a/one.png": PIXEL,
    "two.png": PIXEL,
  });
  expect(messages[0]?.files.map(({ name, path, size }) => [name, path, size])).toEqual([
    ["one.png", "data/a/one.png", PIXEL.length],
    ["two.png", "two.png", PIXEL.length],
    ["import.jsonl", null, null],
    ["passwd", null, null],
    ["gone.png", null, null],
    ["import.jsonl", null, null],
  ]);
});

test("a post with more files than any has keeps the first hundred", async () => {
  const attachments = Array.from({ length: 103 }, (_, nth) => ({ path: `${nth}.png` }));
  const { messages, leftOut } = await messagesOf([postLine("general", "ada", 1, "", { attachments })]);
  expect(messages[0]?.files).toHaveLength(100);
  expect(leftOut).toEqual([`file more_than_100 core/general/ada/${at(1)}/1`]);
});

test("one bad record never ends the reading", async () => {
  const { messages, leftOut } = await messagesOf([
    { type: "post", post: "x" },
    { type: "post" },
    [],
    "x",
    postLine("general", "ada", 1, "x", { create_at: -1 }),
    postLine("general", "ada", 1, "x", { create_at: "soon" }),
    postLine("general", "ada", 1, "x", { create_at: NOW + 10 ** 9 }),
    postLine("general", "ada", 1, "x", { message: { a: 1 } }),
    postLine("general", "ada", 1, "x".repeat(400_001)),
    postLine("general", "ada", 2, " \n "),
    postLine("nowhere", "ada", 1, "x", { replies: [reply("ben", 2, "y")] }),
    postLine("general", "ada", 3, "good", { replies: [7, reply("ben", 4, "fine")], reactions: {}, props: [] }),
    directPostLine([], "ada", 1, "x"),
  ]);
  expect(messages.map(({ text }) => wordsOf(text))).toEqual(["good", "fine"]);
  expect(leftOut).toEqual([
    "message wrong_type line 7",
    "message wrong_type line 8",
    "message before_1970 line 11",
    "message wrong_time line 12",
    "message in_future line 13",
    `message wrong_type core/general/ada/${at(1)}/1`,
    `message too_long core/general/ada/${at(1)}/2`,
    `message empty core/general/ada/${at(2)}/1`,
    "message channel_missing line 17",
    "message wrong_type line 18, reply 1",
    "message channel_missing line 19",
  ]);
});

test("replies to a notice are of one thread, whose root is absent", async () => {
  const { messages, leftOut } = await messagesOf([
    postLine("general", "ada", 1, "ada joined", {
      type: "system_join_channel",
      replies: [reply("ben", 2, "hi"), reply("ben", 3, "welcome")],
    }),
  ]);
  expect(leftOut).toEqual([`system_message system_join_channel core/general/ada/${at(1)}/1`]);
  expect(new Set(messages.map(({ threadId }) => threadId))).toEqual(new Set([`core/general/ada/${at(1)}/1`]));
});

test("a deleted post keeps its place only, and earlier texts are counted", async () => {
  const { messages, leftOut } = await messagesOf([
    postLine("general", "ada", 1, "secret", { delete_at: at(9), attachments: [{ path: "x" }] }),
    postLine("general", "ada", 2, "new", { edit_at: NOW + 5, edit_history: [{ message: "old" }] }),
  ]);
  expect(messages).toMatchObject([
    { isTombstone: true, senderId: null, files: [], text: { children: [] } },
    { isTombstone: false, editedAt: NOW },
  ]);
  expect(leftOut).toEqual([`edit_history not_taken core/general/ada/${at(2)}/1`]);
});

test("one emoji by two names and skin tones is one reaction", async () => {
  const names = ["thumbsup", "+1", "wave_dark_skin_tone", "wave::skin-tone-6", "blob"];
  const { reactions } = await oneOf("x", { reactions: names.map((name) => reaction("ben", name)) });
  expect(reactions.map((each) => each.reaction)).toEqual(["👍", "👋🏿", "blob"]);
});
