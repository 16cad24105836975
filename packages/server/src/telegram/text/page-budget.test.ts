import { expect, test } from "bun:test";
import { formattedOf } from "./from-markdown.ts";
import { PageBudget } from "./page-budget.ts";
import { STORED_MAX } from "./stored-max.ts";

const long = (piece: string) => piece.repeat(Math.ceil(STORED_MAX / piece.length)).slice(0, STORED_MAX);
const HOSTILE = [
  "*a **b ",
  "**a*",
  " \n",
  "a\n",
  "\t\n",
  "\r",
  "    a\n",
  `${"a".repeat(7)}\n`,
  "[a](b ",
  "`a``b",
  "> a\n",
  "- a\n",
  "1. a\n",
  "> > > > - - a\n",
  "a\n=\n",
  "# a\n",
  "\n",
];

/** Parses texts on one page, and returns the steps that they cost together. */
function costOf(contents: readonly string[], page = new PageBudget()): number {
  let steps = 0;
  const { spend } = page;
  page.spend = (work) => {
    steps += work.spent();
    spend.call(page, work);
  };
  for (const content of contents) formattedOf(content, [], page);
  return steps;
}

test.each(HOSTILE)("a hundred texts of %j cost no more than the budget of a page", (piece) => {
  // Each text may exceed the budget by one attempt.
  expect(costOf(Array.from({ length: 100 }, () => long(piece)))).toBeLessThan(241_000);
});

test("what does not fit into the budget of a page goes as plain text", () => {
  const page = new PageBudget();
  costOf(
    Array.from({ length: 10 }, () => long("**a*")),
    page,
  );
  expect(formattedOf("**bold** http://a.example", [], page)).toEqual({
    text: "**bold** http://a.example",
    entities: [{ type: "url", offset: 9, length: 16 }],
  });
});

test("a hundred ordinary texts fit into the budget of a page", () => {
  const page = new PageBudget();
  const ordinary = `${"Some **words** of an _ordinary_ text. ".repeat(12)}\n\n- one\n- two\n`;
  costOf(
    Array.from({ length: 100 }, () => ordinary),
    page,
  );
  expect(formattedOf("**bold**", [], page).entities).toHaveLength(1);
});

test("mentions, commands and addresses of a long text are found in one pass", () => {
  const names = Array.from({ length: 50 }, (_, n) => ({ source: `@zoë ${n}`, username: `zo__${n}` }));
  const { text, entities } = formattedOf(long("@zoë 49 @zoë 4 /a http://a.b "), names);
  expect(text).toStartWith("@zo__49 @zo__4 /a http://a.b ");
  expect(entities.slice(0, 4).map(({ type, offset }) => [type, offset])).toEqual([
    ["mention", 0],
    ["mention", 8],
    ["bot_command", 15],
    ["url", 18],
  ]);
});
