import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Entity, Formatted } from "./formatted.ts";
import { formattedOf } from "./from-markdown.ts";
import { parseHtml } from "./html.ts";
import { parseLegacyMarkdown } from "./legacy-markdown.ts";
import { parseMarkdownV2 } from "./markdown-v2.ts";
import { markdownOf } from "./to-markdown.ts";

/** Protocol §15.4. */
const again = (formatted: Formatted): Formatted => formattedOf(markdownOf(formatted));
const plain = (text: string): Formatted => ({ text, entities: [] });

test.each([
  ["*bold _italic_* `code`", "**bold _italic_** `code`"],
  ["~gone~ [a](https://x.org/_a_)", "~~gone~~ [a](https://x.org/_a_)"],
  ["1\\. no list", "1\\. no list"],
  ["a\n```ts\nlet a\n```", "a\n\n```ts\nlet a\n```"],
  [">one\n>two\nthree", "> one\n> two\n\nthree"],
  ["__under__ ||spoiler||", "under spoiler"],
])("MarkdownV2 %p is stored as %p", (source, markdown) => {
  expect(markdownOf(parseMarkdownV2(source))).toBe(markdown);
});

test.each([
  ["<b>a</b> <i>b</i> <s>c</s> <code>d</code>", "**a** _b_ ~~c~~ `d`"],
  ['<a href="https://x.org?a=1&amp;b=2">x</a> &lt;&#65;', "[x](https://x.org?a=1\\&b=2) \\<A"],
  ['<pre><code class="language-js">a*b</code></pre>', "```js\na*b\n```"],
  ["<blockquote>q</blockquote>", "> q"],
])("HTML %p is stored as %p", (source, markdown) => {
  expect(markdownOf(parseHtml(source))).toBe(markdown);
});

test("the old Markdown does not nest", () => {
  expect(markdownOf(parseLegacyMarkdown("*a _b* \\_ [t](https://x.org) `c`"))).toBe(
    "**a \\_b** \\_ [t](https://x.org) `c`",
  );
  expect(() => parseLegacyMarkdown("a *b")).toThrow("Can't find end of the entity starting at byte offset 2");
});

test.each([
  ["a_b", "Can't find end of Italic entity at byte offset 1"],
  ["a!", "Character '!' is reserved and must be escaped with the preceding '\\'"],
  ["[a](b", "Can't find end of a URL at byte offset 5"],
])("MarkdownV2 %p is refused", (source, message) => {
  expect(() => parseMarkdownV2(source)).toThrow(message);
});

test.each([
  ["a</b>", "Unexpected end tag at byte offset 1"],
  ["<b><i></b>", 'Unmatched end tag at byte offset 6, expected "</i>", found "</b>"'],
  ["<constructor>a</constructor>", 'Unsupported start tag "constructor" at byte offset 0'],
  ["a < b", "Unsupported start tag"],
])("HTML %p is refused", (source, message) => {
  expect(() => parseHtml(source)).toThrow(message);
});

test("mentions and addresses stay as they are, and a mention comes back as the Bot API writes it", () => {
  const content = markdownOf(plain("@my_bot_x see https://a.org/b_c and https://a.org/d"));
  expect(content).toBe("@my_bot_x see <https://a.org/b_c> and https://a.org/d");
  const { text, entities } = formattedOf("@Data Bot **hi** /run https://a.org", [
    { source: "@Data Bot", username: "Data_Bot" },
  ]);
  expect(text).toBe("@Data_Bot hi /run https://a.org");
  expect(entities.map(({ type, offset, length }) => [type, text.slice(offset, offset + length)])).toEqual([
    ["mention", "@Data_Bot"],
    ["bold", "hi"],
    ["bot_command", "/run"],
    ["url", "https://a.org"],
  ]);
});

test("a command to a bot is one mark, with the bot's name as the Bot API writes it", () => {
  const { text, entities } = formattedOf("/run@Data Bot now, and @Data Bot", [
    { source: "@Data Bot", username: "Data_Bot" },
  ]);
  expect(text).toBe("/run@Data_Bot now, and @Data_Bot");
  expect(entities.map(({ type, offset, length }) => [type, text.slice(offset, offset + length)])).toEqual([
    ["bot_command", "/run@Data_Bot"],
    ["mention", "@Data_Bot"],
  ]);
});

/** Letters, signs that mean something in Markdown, and characters of two units. */
const LETTERS = "abz 09.,!?-+*_~`#>[]()|\\<&$=:/\u{1f600}é字：".match(/./gu) ?? [];
const LINE = fc.array(fc.constantFrom(...LETTERS), { maxLength: 24 }).map((letters) => letters.join("").trim());
const TEXT = fc.array(LINE, { minLength: 1, maxLength: 5 }).map((lines) =>
  lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim(),
);
const INLINE = ["bold", "italic", "strikethrough", "code"] as const;

/** A text with marks that do not overlap in part, as the Bot API demands. */
const FORMATTED = TEXT.chain((text) =>
  fc
    .array(fc.record({ type: fc.constantFrom(...INLINE), from: fc.nat(60), length: fc.integer({ min: 1, max: 12 }) }), {
      maxLength: 3,
    })
    .map((marks): Formatted => {
      const entities: Entity[] = [];
      for (const { type, from, length } of marks) {
        const end = Math.min(text.length, from + length);
        const shown = text.slice(from, end);
        const isTaken = entities.some((other) => from <= other.offset + other.length && end >= other.offset);
        if (shown.trim() === "" || isTaken || !shown.isWellFormed() || !text.slice(0, from).isWellFormed()) continue;
        entities.push({ type, offset: from, length: end - from });
      }
      return { text, entities };
    }),
);

describe("any text", () => {
  test("without marks shows as it was sent", () => {
    fc.assert(
      fc.property(TEXT, (text) => {
        const { text: shown, entities } = again(plain(text));
        expect(shown).toBe(text);
        expect(entities.filter(({ type }) => type !== "url" && type !== "bot_command")).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  test("with marks keeps its letters, and what is read again is the same", () => {
    fc.assert(
      fc.property(FORMATTED, (formatted) => {
        const once = again(formatted);
        expect(once.text.replace(/\s/g, "")).toBe(formatted.text.replace(/\s/g, ""));
        const marks = (of: Formatted) => of.entities.filter(({ type }) => (INLINE as readonly string[]).includes(type));
        const wanted = formatted.entities.map(({ type, offset, length }) => {
          return [
            type,
            formatted.text
              .slice(offset, offset + length)
              .trim()
              .replace(/\s+/g, " "),
          ];
        });
        const found = marks(once).map(({ type, offset, length }) => {
          return [type, once.text.slice(offset, offset + length).replace(/\s+/g, " ")];
        });
        if (!formatted.text.includes("\n\n")) expect(found.toSorted()).toEqual(wanted.toSorted());
        expect(again(once)).toEqual(once);
      }),
      { numRuns: 1_000 },
    );
  });
});
