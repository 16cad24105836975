import { describe, expect, test } from "bun:test";
import { tests } from "commonmark-spec";
import fc from "fast-check";
import { XSS_CORPUS } from "../../../server/test/support/browser/xss-corpus.ts";
import { budget, STEPS_MAX } from "../../src/markdown/budget.ts";
import { NESTING_MAX, parseMarkdown, parseWithin } from "../../src/markdown/parse.ts";
import type { Mention } from "../../src/markdown/text.ts";
import { HOSTILE_MARKDOWN, ORDINARY_MARKDOWN } from "../support/hostile-markdown.ts";
import { shown } from "../support/markdown.ts";

/** The specification writes a tab as an arrow. */
const EXAMPLES = tests.map((each) => ({
  ...each,
  markdown: each.markdown.replaceAll("→", "\t"),
  html: each.html.replaceAll("→", "\t"),
}));

/** The elements of a message, and the attributes that they have. */
const ELEMENTS =
  /^(?:a|bdi|blockquote|button|code|del|div|em|h[3-6]|hr|li|ol|p|pre|section|span|strong|table|tbody|td|th|thead|tr|ul)$/;
const ATTRIBUTES = /^(?:aria-label|class|dir|href|lang|rel|role|start|tabindex|target|translate|type)$/;

function expectHarmless(html: string): void {
  for (const [, name = "", attributes = ""] of html.matchAll(/<\/?([a-z0-9]+)((?:\s[^<>]*)?)>/g)) {
    expect(name).toMatch(ELEMENTS);
    for (const [, attribute = ""] of attributes.matchAll(/\s([\w-]+)="[^"]*"/g)) expect(attribute).toMatch(ATTRIBUTES);
  }
  for (const [, href = ""] of html.matchAll(/ href="([^"]*)"/g))
    expect(href).toMatch(/^(?:https?:\/\/[^@/]+(?:\/|$)|mailto:)/);
}

/** Removes tags and decodes what React has escaped. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&");

describe("hostile Markdown", () => {
  test.each(EXAMPLES.map(({ number, section, markdown }) => [number, section, markdown] as const))(
    "example %d of CommonMark (%s) becomes only elements of a message",
    (_, __, markdown) => expectHarmless(shown(markdown)),
  );

  test("has the structure of CommonMark's examples, but for those that differ on purpose", () => {
    // HTML and pictures are text, links need a host, email addresses in running text are links, headings begin at level 3, names of characters are HTML 4's,
    // definitions that no link uses are shown, and so is every line break.
    const isCommon = (html: string) => !/<(?:h\d|img|a|!|\?|[a-z]+[^>]* [^>]*)|&lt;|Dcaron|\$/i.test(html);
    const isOwn = (markdown: string) =>
      /[<$!]|https:|\w@\w|`[^`]*\n[^`]*`|^ {0,3}\[\s*\w+\s*\]:| {4}```/m.test(markdown);
    const plain = (html: string) =>
      html
        .replaceAll(/<(section|div|span|button)[^>]*>|<\/(section|div|span)>|Copy<\/button>/g, "")
        .replaceAll(/<(\w+)[^>]*>/g, "<$1>")
        .replaceAll(/\n?<br ?\/?>\n?/g, "\n")
        .replaceAll("&#x27;", "'")
        .replaceAll("<hr />", "<hr/>")
        .replaceAll("<hr>", "<hr/>")
        .replaceAll(/\s*\n\s*/g, "\n")
        .replaceAll(/\n?(<\/?(?:ul|ol|li|blockquote|p|pre|hr)\/?>)\n?/g, "$1")
        .replaceAll(/\s+(?=<\/code>)/g, "")
        .trim();
    const compared = EXAMPLES.filter(({ markdown, html }) => isCommon(html) && !isOwn(markdown));
    expect(compared.length).toBeGreaterThan(200);
    const different = compared.filter(({ markdown, html }) => plain(shown(markdown)) !== plain(html));
    expect(
      different.map(({ number, markdown, html }) => ({
        number,
        markdown,
        html: plain(html),
        shown: plain(shown(markdown)),
      })),
    ).toEqual([]);
  });

  test.each(XSS_CORPUS.map((content, n) => [n, content] as const))(
    "attack %d becomes only elements of a message",
    (_, content) => expectHarmless(shown(content)),
  );

  test.each(Object.entries(HOSTILE_MARKDOWN))("%s cost no more than the budget", (_, content) => {
    const work = budget();
    const root = parseWithin(content, work);
    // The budget is checked before each step, so one attempt may exceed it.
    expect(work.spent()).toBeLessThan(STEPS_MAX + 100);
    if (root === null) expect(textOf(shown(content))).toBe(content);
    expectHarmless(shown(content));
  });

  test("a full message of ordinary Markdown costs two thirds of the budget at most", () => {
    const work = budget();
    expect(parseWithin(ORDINARY_MARKDOWN, work)).not.toBeNull();
    expect(work.spent()).toBeLessThan((STEPS_MAX * 2) / 3);
  });

  test("what is nested too deep is shown as it was written", () => {
    const nested = (depth: number) => `${"> ".repeat(depth)}**a**`;
    expect(shown(nested(NESTING_MAX - 1))).toContain("<strong>");
    for (const content of [nested(NESTING_MAX), nested(500), `${"*a ".repeat(20)}${"b* ".repeat(20)}`])
      expect([parseMarkdown({ content, mentions: [] }), textOf(shown(content))]).toEqual([null, content]);
  });
});

const PIECES = [
  ..."*_~`#>|-[]()!<&\\$:@ \n",
  "a",
  "1. ",
  "**",
  "```",
  "\n```js\n",
  "\n    ",
  "https://a.example/",
  "[x](",
  "]: ",
  "你好，",
  "|-|-|\n",
];

describe("mentions and Markdown", () => {
  const text = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.constantFrom("\u{1}", "\u{2}")), { maxLength: 60 });

  test("mentions are shown, each once and in order, whatever is around them (property)", () => {
    fc.assert(
      fc.property(text, (pieces) => {
        const mentions: Mention[] = [];
        let content = "";
        for (const piece of pieces) {
          const name = { "\u{1}": "ana_b_", "\u{2}": "*ben*" }[piece];
          if (name !== undefined) mentions.push({ name, offset: content.length, length: name.length + 1 });
          content += name === undefined ? piece : `@${name}`;
        }
        const html = shown(content, mentions);
        expectHarmless(html);
        expect([...html.matchAll(/<bdi class="mention">([^<]*)<\/bdi>/g)].map(([, name]) => name)).toEqual(
          mentions.map(({ name }) => `@${name}`),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  test("any text and any offsets become only elements of a message (property)", () => {
    const mention = fc.record({
      name: fc.constant("x"),
      offset: fc.integer({ min: -5, max: 60 }),
      length: fc.integer({ min: -5, max: 20 }),
    });
    const any = fc.array(
      fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "grapheme" }), fc.constantFrom(...XSS_CORPUS)),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(any, fc.array(mention, { maxLength: 5 }), (pieces, mentions) => {
        expectHarmless(shown(pieces.join(""), mentions));
      }),
      { numRuns: 500 },
    );
  });
});
