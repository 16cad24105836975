import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Root } from "hast";
import { Colouring } from "../../src/markdown/colour.ts";
import { parseMarkdown } from "../../src/markdown/parse.ts";
import { HOSTILE_MARKDOWN, ORDINARY_MARKDOWN } from "../support/hostile-markdown.ts";
import { shown } from "../support/markdown.ts";

/** The cost of a message to the pages of its readers. */
const LENGTH = 4_000;
const ELEMENTS_MAX = 2_000;
const fill = (unit: string) => unit.repeat(Math.ceil(LENGTH / unit.length)).slice(0, LENGTH);
const elementsOf = (content: string) => shown(content).match(/<[a-z]/g)?.length ?? 0;

describe("the elements of a message", () => {
  const units = [
    ["items", "- a\n"],
    ["empty items", "-\n"],
    ["numbered items", "1. a\n"],
    ["tasks", "- [ ] a\n"],
    ["emphases", "*a* "],
    ["struck words", "~~a~~ "],
    ["pieces of code", "`a` "],
    ["blocks of code", "```\n```\n"],
    ["indented blocks", "    a\n\nb\n\n"],
    ["rules", "---\n"],
    ["headings", "# a\n"],
    ["paragraphs", "a\n\n"],
    ["quotes", "> a\n\n"],
    ["links", "[a](b.c) "],
    ["complete links", "[a](https://b.c) "],
    ["addresses", "http://a "],
    ["tables", "a|b\n-|-\n\n"],
  ] as const;
  test.each(units)("are bounded for many %s", (_, unit) => {
    expect(elementsOf(fill(unit))).toBeLessThan(ELEMENTS_MAX);
  });

  test("are bounded for a table of many cells, and for hostile texts", () => {
    expect(
      elementsOf(
        `${fill("|a").slice(0, 200)}\n${fill("|-").slice(0, 200)}\n${fill("|a".repeat(100).concat("\n")).slice(0, 3_590)}`,
      ),
    ).toBeLessThan(ELEMENTS_MAX);
    for (const text of Object.values(HOSTILE_MARKDOWN)) expect(elementsOf(text)).toBeLessThan(ELEMENTS_MAX);
  });

  test("are bounded for any mix of short pieces", () => {
    const piece = fc.constantFrom(
      ...units.map(([, unit]) => unit),
      "a",
      "\n",
      " ",
      "**",
      "|",
      ">",
      "`",
      "\n\n",
      "[",
      "](",
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
        expect(elementsOf(fill(pieces.join("")))).toBeLessThan(ELEMENTS_MAX);
      }),
      { seed: 12, numRuns: 60 },
    );
  });

  test("suffice for a full message of ordinary Markdown, and for a list of a hundred items", () => {
    const list = Array.from({ length: 100 }, (_, n) => `- item ${n} of *many*`).join("\n");
    for (const content of [ORDINARY_MARKDOWN, list]) expect(parseMarkdown({ content, mentions: [] })).not.toBeNull();
  });
});

/** A highlighter that takes `cost` milliseconds for a text, by a clock of its own. */
function colouring(cost: (text: string) => number, pieces = 1) {
  const made = { now: 0, longest: 0, colour: (_: string): unknown => undefined };
  const highlight = (_: string, text: string): Root => {
    const ms = cost(text);
    made.now += ms;
    made.longest = Math.max(made.longest, ms);
    return { type: "root", children: Array.from({ length: pieces }, () => ({ type: "text", value: "" })) };
  };
  const coloured = new Colouring(highlight, () => made.now);
  made.colour = (text) => coloured.colour("markdown", text);
  return made;
}

describe("colours of code", () => {
  const whole = "x".repeat(LENGTH);

  test("are shown for a full message of code", () => {
    expect(colouring((text) => text.length / 400).colour(whole)).toBeObject();
  });

  test("cost twice the work at most for a short block of ordinary code", () => {
    const quick = colouring((text) => text.length / 1_000);
    expect(quick.colour("x".repeat(1_200))).toBeObject();
    expect(quick.now).toBeCloseTo(2.4);
  });

  test("are not tried for a text that would take long: nothing runs for a tenth of that time", () => {
    for (const power of [2, 3]) {
      const slow = colouring((text) => 4_000 * (text.length / LENGTH) ** power);
      expect(slow.colour(whole)).toBe("plain");
      expect(slow.longest).toBeLessThan(400);
      expect(slow.now).toBeLessThan(400);
    }
  });

  test("are not tried, either, if only the end of the text takes long", () => {
    const slow = colouring((text) => 4_000 * ((text.match(/y/g)?.length ?? 0) / (LENGTH / 2)) ** 2);
    expect(slow.colour("x".repeat(LENGTH / 2) + "y".repeat(LENGTH / 2))).toBe("plain");
    expect(slow.now).toBeLessThan(400);
  });

  test("take a fifth of the page's time, however many blocks want them", () => {
    const many = colouring((text) => text.length / 400);
    const results = Array.from({ length: 100 }, (_, n) => many.colour(`${n}${whole}`));
    expect(many.now).toBeLessThan(150);
    expect(results.at(-1)).toBe("later");
    many.now += 1_000;
    expect(many.colour(`99${whole}`)).toBeObject();
  });

  test("are kept, and a block that is too much work is measured once", () => {
    const slow = colouring((text) => text.length);
    expect(slow.colour(whole)).toBe("plain");
    const spent = slow.now;
    expect(slow.colour(whole)).toBe("plain");
    expect(slow.now).toBe(spent);
  });

  test("are not shown if they are too many pieces", () => {
    expect(colouring(() => 0, 1_600).colour("x")).toBe("plain");
  });
});
