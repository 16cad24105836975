import { expect, test } from "bun:test";
import { wordsOf } from "../../src/imports/tree-words.ts";
import { author, BOT, CORA, said } from "../support/imports/discord-export.ts";
import { messageOf, messagesIn } from "../support/imports/discord-reader.ts";
import { PIXEL } from "../support/imports/slack-export.ts";

test("a webhook that writes with many names is an agent for each", async () => {
  const hook = (name: string) => author("100000000000000009", name, { isBot: true, nickname: "eve@bridge" });
  const { messages, strangers } = await messagesIn([
    said(hook("eve@bridge"), 1, "x"),
    said(hook("fay@bridge"), 2, "y"),
    said(hook("eve@bridge"), 3, "z"),
  ]);
  const names = messages.map(({ senderId }) => strangers.find(({ id }) => id === senderId));
  expect(names.map((each) => [each?.name, each?.displayName, each?.kind])).toEqual([
    ["eve@bridge", "eve@bridge", "bot"],
    ["fay@bridge", "fay@bridge", "bot"],
    ["eve@bridge", "eve@bridge", "bot"],
  ]);
});

test("embeds are taken of bots, unless they are previews of a link in the text", async () => {
  const embeds = [{ title: "Seen", url: "https://example.org/a" }];
  expect(await messageOf(said(BOT, 1, "", { embeds }))).toMatchObject({ text: { children: [{ type: "paragraph" }] } });
  expect(wordsOf((await messageOf(said(BOT, 1, "https://example.org/a", { embeds }))).text)).toBe(
    "https://example.org/a",
  );
  expect(wordsOf((await messageOf(said(CORA, 1, "hi", { embeds }))).text)).toBe("hi");
});

test("the pictures of a bot's embeds are files, and no preview is", async () => {
  const chart = { url: "media\\chart-0A1B2.png", canonicalUrl: "https://example.org/a/chart.png?size=2", width: 1 };
  const { messages, leftOut } = await messagesIn(
    [
      said(BOT, 1, "", { embeds: [{ title: "", images: [chart, { url: "https://example.org/other.png?hm=1" }] }] }),
      said(BOT, 2, "", { embeds: [{ image: chart }] }),
      said(BOT, 3, "https://example.org/a", { embeds: [{ url: "https://example.org/a", images: [chart] }] }),
      said(CORA, 4, "hi", { embeds: [{ images: [chart] }] }),
    ],
    undefined,
    { "media/chart-0A1B2.png": PIXEL },
  );
  expect(leftOut).toEqual([]);
  expect(messages.map(({ files }) => files.map(({ name, path }) => [name, path]))).toEqual([
    [
      ["chart.png", "media/chart-0A1B2.png"],
      ["other.png", null],
    ],
    [["chart.png", "media/chart-0A1B2.png"]],
    [],
    [],
  ]);
});
