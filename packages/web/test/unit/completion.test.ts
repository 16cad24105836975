import { expect, test } from "bun:test";
import { commandAt, complete, matchCommands, mentionAt } from "../../src/composer/completion.ts";
import { emojiAt } from "../../src/composer/emoji-completion.ts";

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

test.each([
  [":th", 0, "th", false],
  ["well :thumb", 5, "thumb", false],
  ["(:+1", 1, "+1", false],
  ["，：笑脸", 1, "笑脸", false],
  ["done :tada:", 5, "tada", true],
  ["`a` :rocket", 4, "rocket", false],
])("%s begins an emoji", (text, start, query, isWhole) => {
  expect(emojiAt(text, text.length)).toEqual({ start, query, isWhole });
});

test.each([":", ":p", "12:30", "std::vector", "https://x", "a:bc", ":no way", "```\n:thumb", ":tada::"])(
  "%s does not begin an emoji",
  (text) => {
    expect(emojiAt(text, text.length)).toBeNull();
  },
);

test.each([
  ["/", ""],
  ["/de", "de"],
  ["/DE", "de"],
])("%s begins a command", (text, query) => {
  expect(commandAt(text, text.length)).toBe(query);
});

test.each(["", " /de", "see /de", "//", "/de ", "/usr/bin", "/a-b", `/${"a".repeat(33)}`])(
  "%s does not begin a command",
  (text) => {
    expect(commandAt(text, text.length)).toBeNull();
  },
);

test("commands are matched by their beginning, and written with the name of their agent", () => {
  const commands = ["deploy", "status", "describe"].map((command) => ({
    command,
    description: "x",
    agent: "Data Bot",
  }));
  const found = matchCommands("de", commands);
  expect(found.map(({ name }) => name)).toEqual(["/deploy", "/describe"]);
  const [first] = found;
  if (first === undefined) throw new Error("Nothing matches.");
  expect(complete("/de main", 0, 3, first)).toEqual({ text: "/deploy@Data_Bot main", caret: 17 });
});

test("a suggestion takes the place of what is typed, and one space follows it", () => {
  const emoji = { kind: "emoji", name: ":tada:", text: "🎉" } as const;
  expect(complete("so :tad nice", 3, 7, emoji)).toEqual({ text: "so 🎉 nice", caret: 6 });
  expect(complete("@Ro", 0, 3, { kind: "agent", name: "Robo Cop" })).toEqual({ text: "@Robo_Cop ", caret: 10 });
});
