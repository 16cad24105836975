import { expect, test } from "bun:test";
import { isBlank, optionalText } from "./visible-text.ts";

test.each([
  "",
  " \n\t\u00a0\u3000",
  "\u200b\u200d\ufeff\u2060",
  "\u202e\u2066",
  "\u3164\u115f\uffa0",
  "\u2800",
  "\ufe0f",
  "\u{e0100}",
  "\u0001",
])("%j is blank", (text) => expect(isBlank(text)).toBe(true));

test.each(["a", ".", "👍", "❤️", "👨‍👩‍👧", "\u200bя", "日", "\u0301", "‮abc"])("%j is not blank", (text) =>
  expect(isBlank(text)).toBe(false),
);

test.each([
  ["", null],
  ["  ", null],
  ["\u200b", null],
  [null, null],
  [undefined, null],
  [" tea ", " tea "],
])("optional text %j is stored as %j", (text, kept) => expect(optionalText(text)).toBe(kept));
