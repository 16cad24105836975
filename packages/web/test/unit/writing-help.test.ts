import { expect, test } from "bun:test";

// Names that the compiler does not follow: the composer has the types of browsers, the tests those of Bun.
const {
  linkOf,
  nextItem,
}: { linkOf(pasted: string, selected: string): string | null; nextItem(line: string): string | null } = await import(
  `${"../../src"}/composer/writing-help.ts`
);
const { isLikeCode }: { isLikeCode(pasted: string): boolean } = await import(`${"../../src"}/composer/paste.ts`);

test("an address over a selection is a link, and nothing else is", () => {
  expect(linkOf("https://a.example/x_(y)", "the [page]")).toBe("[the \\[page\\]](https://a.example/x_%28y%29)");
  expect(linkOf("no address", "text")).toBeNull();
  expect(linkOf("https://a.example", "")).toBeNull();
  expect(linkOf("https://a.example", "https://b.example")).toBeNull();
  expect(linkOf("https://a.example", "two\nlines")).toBeNull();
});

test("an item of a list goes on with the next one, and an empty one ends the list", () => {
  expect(nextItem("- milk")).toBe("- ");
  expect(nextItem("  9. milk")).toBe("  10. ");
  expect(nextItem("* [x] done")).toBe("* [ ] ");
  expect(nextItem("- ")).toBe("");
  expect(nextItem("no list")).toBeNull();
  expect(nextItem("-no list")).toBeNull();
});

test("lines that are indented or end as code does are like code", () => {
  for (const code of ["if (a) {\n  b();\n}", "def f():\n\treturn 1", "a;\nb;"]) expect(isLikeCode(code)).toBe(true);
  for (const text of ["one line;", "two\nlines", "- a\n  - b", "```\n  a\n```"]) expect(isLikeCode(text)).toBe(false);
});
