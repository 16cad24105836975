import { expect, test } from "bun:test";
import type { Root } from "mdast";
import { PageBudget } from "../../../../telegram/text/page-budget.ts";
import { wordsOf } from "../../../tree-words.ts";
import { contentOf } from "../slack-content.ts";
import { TextBudget } from "./text-budget.ts";

const names = { person: () => undefined, channel: () => undefined };
const section = (text: string): object => ({ type: "section", text: { type: "plain_text", text } });
const long = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length));

/** Reads the blocks of a bot, and says what the parser got and what it did. */
function read(message: object): { root: Root; isTooLong: boolean; parsed: number[]; steps: number } {
  const page = new PageBudget();
  const { next, spend } = page;
  const work = { parsed: [] as number[], steps: 0 };
  page.next = (content) => {
    work.parsed.push(content.length);
    return next.call(page, content);
  };
  page.spend = (budget) => {
    work.steps += budget.spent();
    spend.call(page, budget);
  };
  const budget = new TextBudget(page);
  const root = contentOf({ ...message }, true, [], names, budget);
  return { root, isTooLong: budget.isUsedUp, ...work };
}

const HOSTILE = ["*a_ ", "*a **b ", "[a](b ", "[", "> ", "> > - ", "- a\n", "`a``b", "<a ", "![", "&", "\t\n", "**a*"];

test.each(HOSTILE)("blocks of %j cost a bounded number of characters and steps", (piece) => {
  const blocks = Array.from({ length: 9 }, () => section(long(piece, 20_000)));
  const { root, parsed, steps, isTooLong } = read({ blocks, attachments: [{ blocks }] });
  expect(Math.max(...parsed)).toBeLessThanOrEqual(8_000);
  expect(parsed.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(40_000);
  // The budget of a page, which the last text may exceed by one attempt.
  expect(steps).toBeLessThan(240_100);
  expect(isTooLong).toBe(false);
  expect(JSON.stringify(root).length).toBeGreaterThan(0);
});

test("what is above the limit of a block is plain text, and no word is lost", () => {
  const { root } = read({ blocks: [section(`**bold** ${long("word ", 9_000)} **plain**`)] });
  expect(root.children.map(({ type }) => type)).toEqual(["paragraph", "paragraph"]);
  expect(JSON.stringify(root)).toContain('"strong"');
  const words = wordsOf(root).split(/\s+/);
  expect([words[0], words.filter((word) => word === "word").length, words.at(-1)]).toEqual([
    "bold",
    1_800,
    "**plain**",
  ]);
});

test("a text is not cut within a character", () => {
  const { root } = read({ blocks: [section(`a${long("🎉", 10_000)}`)] });
  expect(JSON.stringify(root)).not.toContain("\\ud83c");
});

test("a text that is nested too deep is plain", () => {
  const text = `${"> ".repeat(50)}deep`;
  expect(wordsOf(read({ blocks: [section(text)] }).root)).toBe(text);
});

test.each([
  ["blocks", { blocks: [section(long("a ", 390_000)), section(long("b ", 20_000))] }],
  ["one text of an attachment", { attachments: [{ text: "a".repeat(400_001) }] }],
  [
    "fields of attachments",
    { attachments: [{ fields: Array.from({ length: 50 }, () => ({ value: "a".repeat(9_000) })) }] },
  ],
  [
    "text and attachments",
    { text: "a".repeat(300_000), attachments: [{ pretext: "a".repeat(90_000) }, { fallback: "a".repeat(20_000) }] },
  ],
])("a message is too long by %s", (_, message) => {
  expect(read(message).isTooLong).toBe(true);
});
