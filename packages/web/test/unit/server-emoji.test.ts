import { expect, test } from "bun:test";
import { countNames, mayBeAlone, NAMES } from "../../src/emoji/emoji-names.ts";

test.each([
  ["Hi :party_parrot:!", ["party_parrot"]],
  [":aa::bb:", ["aa", "bb"]],
  ["(:aa-1:)", ["aa-1"]],
  ["现在:aa:好", ["aa"]],
  ["at 12:30:45, a:bb:c", []],
  ["https://a.example:80:90", []],
  [": aa:, :Aa:, :a:, :_aa:, ::", []],
  [`:${"a".repeat(33)}:`, []],
])("the names that may be emoji of the server in %s", (text, names) => {
  expect([...text.matchAll(NAMES)].map(([, name = ""]) => name)).toEqual(names);
  expect(countNames(text)).toBe(names.length);
});

test.each([
  [":aa: 🎉", true],
  [":aa::bb: :cc:", true],
  [":aa: :bb: :cc: :dd:", false],
  [":aa: hello", false],
  ["🎉", false],
  ["", false],
])("a text of few emoji is shown large: %s", (text, isLarge) => {
  expect(mayBeAlone(text)).toBe(isLarge);
});
