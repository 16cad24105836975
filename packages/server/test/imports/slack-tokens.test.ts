import { expect, test } from "bun:test";
import { wordsOf } from "../../src/imports/tree-words.ts";
import { said, slackChannel, ts } from "../support/imports/slack-export.ts";
import { all, oneOf, openExport, taken } from "../support/imports/slack-reader.ts";

const ADDRESS = "https://files.slack.com/files-pri/T1-F1/a.png";
const LINK = `${ADDRESS}?t=xoxe-123`;
const section = (text: string): object => ({ type: "section", text: { type: "mrkdwn", text } });
const bot = (more: object): object => ({ type: "message", subtype: "bot_message", bot_id: "B2", ts: ts(5), ...more });

test.each([
  ["a link", said("U1", 5, `see <${LINK}>`)],
  ["a link with a label", said("U1", 5, `<${LINK}|the picture>`)],
  ["a link whose label is the address", said("U1", 5, `<${LINK}|${LINK}>`)],
  ["a bare address", said("U1", 5, `see ${LINK}, please`)],
  ["code", said("U1", 5, `\`<${LINK}>\``)],
  ["a block of code", said("U1", 5, `\`\`\`curl <${LINK}>\`\`\``)],
  ["a date with a link", said("U1", 5, `<!date^1392734382^{date}^${LINK}|then>`)],
  ["a picture's block", bot({ blocks: [{ type: "image", image_url: LINK, alt_text: "A chart" }] })],
  ["a picture's block without words", bot({ blocks: [{ type: "image", image_url: LINK }] })],
  ["a section", bot({ blocks: [section(`<${LINK}|chart> and ${LINK}`)] })],
  ["a block of Markdown", bot({ blocks: [{ type: "markdown", text: `![a](<${LINK}>) [b]\n\n[b]: ${LINK}` }] })],
  ["a title's link", bot({ attachments: [{ title: "Chart", title_link: LINK }] })],
  ["an attachment's text", bot({ attachments: [{ text: `<${LINK}|chart>`, fields: [{ title: LINK, value: LINK }] }] })],
  ["an attachment's fallback", bot({ attachments: [{ fallback: LINK }] })],
  ["a forwarded message", said("U1", 5, "look", { attachments: [{ is_share: true, author_name: LINK, text: LINK }] })],
  ["a lost file's name", said("U1", 5, "look", { files: [{ id: "F1", mode: "tombstone", name: LINK }] })],
])("%s has no token of Slack", async (_, message) => {
  const json = JSON.stringify((await oneOf(message)).text);
  expect(json).toContain(ADDRESS);
  expect(json).not.toMatch(/xox|[?&]t=/);
});

test("a file's name and description have no token of Slack", async () => {
  const file = { id: "F1", mode: "external", name: LINK, alt_txt: LINK };
  const { files } = await oneOf(said("U1", 5, "look", { files: [file] }));
  expect(files).toMatchObject([{ name: ADDRESS, alt: ADDRESS }]);
});

test("a channel's topic has no token of Slack", async () => {
  const topic = { value: `Chart: <${LINK}>`, creator: "U1", last_set: 0 };
  await using source = await openExport({ "channels.json": [slackChannel("C1", "general", [], { topic })] });
  expect(taken(await all(source.channels()))).toMatchObject([{ topic: `Chart: ${ADDRESS}` }]);
});

test("other parameters of Slack's links stay", async () => {
  const link = "https://acme.slack.com/archives/C1/p1577836800000100?thread_ts=1.2";
  expect(wordsOf((await oneOf(said("U1", 5, `<${link}>`))).text)).toBe(link);
});
