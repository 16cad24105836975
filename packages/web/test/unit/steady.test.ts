import { expect, test } from "bun:test";
import { parseMarkdown } from "../../src/markdown/parse.ts";
import { steady } from "../../src/markdown/steady.ts";

const TEXT = `# Plan

Some **bold text** and \`code\`, see [the guide](https://example.org/guide) now.

- one
- two

\`\`\`js
let a = 1;
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

1. first
2. second

The end.`;

/** The kinds of the blocks, without the last one's. */
const kinds = (content: string): string[] =>
  parseMarkdown({ content, mentions: [] })?.root.children.map(({ type }) => type) ?? [];

test("a text that grows never changes the kind of a block that it has shown", () => {
  let before: string[] = [];
  for (let length = 1; length <= TEXT.length; length += 1) {
    const now = kinds(steady(TEXT.slice(0, length)));
    // Lines that continue a block make no new one.
    expect([length, now.slice(0, before.length)]).toEqual([length, before]);
    before = now;
  }
  expect(before).toEqual(["heading", "paragraph", "list", "code", "table", "list", "paragraph"]);
});

test("a text that is complete is shown as it is", () => {
  for (const whole of [TEXT, "plain", "a * b", "it costs 2_000", "```\ncode\n```\n"]) expect(steady(whole)).toBe(whole);
});

test.each([
  ["``", ""],
  ["text\n```j", "text\n"],
  ["```js\nlet a = `x", "```js\nlet a = `x"],
  ["```js\nlet a;\n``", "```js\nlet a;\n"],
  ["so **bol", "so **bol**"],
  ["so **bold*", "so **bold**"],
  ["so **", "so "],
  ["run `npm st", "run `npm st`"],
  ["run `", "run "],
  ["see [the gui", "see the gui"],
  ["see [the guide](https://exa", "see the guide"],
  ["| a | b |\n|--", ""],
])("%j is shown as %j", (content, shown) => {
  expect(steady(content)).toBe(shown);
});
