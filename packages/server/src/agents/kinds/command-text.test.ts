import { expect, test } from "bun:test";
import { commandOf, isNamed } from "./command-text.ts";

test.each([
  ["/start", { name: "start", to: null }],
  ["/Start now", { name: "start", to: null }],
  ["/do_it@Data_Bot please", { name: "do_it", to: "Data_Bot" }],
  ["/do\\_it@Data\\_Bot please", { name: "do_it", to: "Data_Bot" }],
  ["/a@机器人, now", { name: "a", to: "机器人" }],
  ["/a\nb", { name: "a", to: null }],
])("%p is a command", (text, command) => {
  expect(commandOf(text)).toEqual(command);
});

test.each(["", "/", "start", " /start", "//start", "/etc/passwd", "/a-b", `/${"a".repeat(33)}`, "/ a", "/ä"])(
  "%p is no command",
  (text) => {
    expect(commandOf(text)).toBeNull();
  },
);

test("a long text is read in a moment, however it is escaped", () => {
  for (const unit of ["\\", "\\_", "a", "@", "/"]) expect(commandOf(`/${unit.repeat(100_000)}`)).toBeNull();
});

test.each([
  ["Data_Bot", "Data Bot", true],
  ["data_bot", "Data Bot", true],
  ["Data-Bot", "Data-Bot", true],
  ["Data_Bot", "Data-Bot", true],
  ["机器人", "机器人", true],
  ["___", "机器人", false],
  ["Data", "Data Bot", false],
])("%p names %p: %p", (to, name, expected) => {
  expect(isNamed(to, name)).toBe(expected);
});
