import { expect, test } from "bun:test";
import { mentionAt } from "../../src/composer/completion.ts";

test.each([
  ["@", 0, ""],
  ["hi @an", 3, "an"],
  ["(@an", 1, "an"],
  ["你好@an", 2, "an"],
  ["你好，@小", 3, "小"],
  ["안녕@bob", 2, "bob"],
  ["@ann @bo", 5, "bo"],
])("%s begins a mention", (text, start, query) => {
  expect(mentionAt(text, text.length)).toEqual({ start, query });
});

test.each(["ann@example", "é@an", "@ann ", `@${"a".repeat(33)}`, ""])("%s does not begin a mention", (text) => {
  expect(mentionAt(text, text.length)).toBeNull();
});
