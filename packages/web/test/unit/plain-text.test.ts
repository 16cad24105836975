import { expect, test } from "bun:test";
import { plainText } from "../../src/markdown/plain-text.ts";

test.each([
  ["**Build** `failed` in [CI](https://example.org/1)", "Build failed in CI"],
  ["# Title\n\n- one\n- two", "Title\none\ntwo"],
  ["```js\nconst a = 1;\n```", "const a = 1;"],
  ["| a | b |\n|---|---|\n| 1 | 2 |", "a b\n1 2"],
  ["<b>no HTML</b> & *so on*", "<b>no HTML</b> & so on"],
  ["> quoted\n\nanswer", "quoted\nanswer"],
])("%p is announced without the marks of Markdown", (content, wanted) => {
  expect(plainText({ content, mentions: [] })).toBe(wanted);
});

test("mentions keep characters that would be Markdown", () => {
  const content = "hi @a_b_c, *please* look";
  expect(plainText({ content, mentions: [{ name: "a_b_c", offset: 3, length: 6 }] })).toBe("hi @a_b_c, please look");
});
