import { expect, test } from "bun:test";
import { wordsOf } from "../../src/imports/tree-words.ts";
import { author, BOT, CORA, said } from "../support/imports/discord-export.ts";
import { messageOf, messagesIn } from "../support/imports/discord-reader.ts";

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
