import { expect, test } from "bun:test";
import { SourceError } from "../../src/imports/source.ts";
import { wordsOf } from "../../src/imports/tree-words.ts";
import { BEGIN, DAY, dayOf, PIXEL, said, sampleExport, slackFile, ts } from "../support/imports/slack-export.ts";
import { messagesOf, NOW, oneOf, openExport } from "../support/imports/slack-reader.ts";

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
  await using source = await openExport(sampleExport());
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

test("a forwarded message brings its files, and the link to one does not", async () => {
  const forwarded = { is_share: true, author_name: "Ben Castle", text: "See", files: [slackFile("F8", "plan.pdf", 9)] };
  const linked = {
    is_msg_unfurl: true,
    author_name: "Ben Castle",
    text: "See",
    files: [slackFile("F9", "other.pdf", 9)],
  };
  const { files } = await oneOf(said("U1", 5, "Read this", { attachments: [forwarded, linked] }));
  expect(files.map(({ id, name }) => [id, name])).toEqual([["F8", "plan.pdf"]]);
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
    said("U1", 11, "x".repeat(400_001)),
    said("U1", 12, "good"),
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
    `message too_long C1/${ts(11)}`,
  ]);
});

test("an edit of the future is one of now", async () => {
  const edited = { user: "U1", ts: `${NOW / 1000 + 5}.000000` };
  expect((await oneOf(said("U1", 5, "x", { edited }))).editedAt).toBe(NOW);
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

test("one emoji that is there thousands of times is one reaction of all its people", async () => {
  const userIds = Array.from({ length: 50_000 }, (_, at) => `W${at}`);
  const reactions = userIds.map((id) => ({ name: "+1", users: [id], count: 1 }));
  expect((await oneOf(said("U1", 5, "x", { reactions }))).reactions).toEqual([{ reaction: "👍", userIds }]);
});
