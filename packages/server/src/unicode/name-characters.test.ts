import { expect, test } from "bun:test";
import { nameProblem } from "./name-characters.ts";
import { mixedScripts } from "./scripts.ts";

test.each([
  "general",
  "Größe & Café",
  "日本語 chat カタカナ ひらがな",
  "한국어 K-pop 漢字",
  "ㄅㄆㄇ 注音",
  "Русский чат №1",
  "עברית",
  "العربية ٣٤",
  "हिन्दी",
  "ไทย",
  "love ❤️",
  "devs 👩‍💻 1️⃣",
  "🏳️‍🌈 🇩🇪 👍🏽",
  "100 % → ok!",
])("%j is accepted as a name", (name) => {
  expect(nameProblem(name)).toBeNull();
});

test.each([
  ["general\u115f", "invisible_character", "U+115F"],
  ["general\u3164", "invisible_character", "U+3164"],
  ["general\uffa0", "invisible_character", "U+FFA0"],
  ["gen\u{e0067}eral", "invisible_character", "U+E0067"],
  ["🏴\u{e0067}\u{e0062}\u{e007f}", "invisible_character", "U+E0067"],
  ["🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", "invisible_character", "U+E0067"],
  ["general\ufe0f", "invisible_character", "U+FE0F"],
  ["general\ufe00", "invisible_character", "U+FE00"],
  ["a\u200db", "invisible_character", "U+200D"],
  ["❤️\u200d", "invisible_character", "U+200D"],
  ["❤️\ufe0f", "invisible_character", "U+FE0F"],
  ["a\u00adb", "invisible_character", "U+00AD"],
  ["a\u202eb", "invisible_character", "U+202E"],
  ["a\u2066b", "invisible_character", "U+2066"],
  ["a\u200fb", "invisible_character", "U+200F"],
  ["a\u061cb", "invisible_character", "U+061C"],
  ["a\u0007b", "invisible_character", "U+0007"],
  ["a\u2028b", "invisible_character", "U+2028"],
  ["a\ue000b", "invisible_character", "U+E000"],
  ["gener\u0430l", "mixed_scripts", undefined],
  ["ΑBC", "mixed_scripts", undefined],
  ["кириллица カタカナ", "mixed_scripts", undefined],
  ["1\u0663", "mixed_digits", "U+0663"],
])("%j is refused for %s %s", (name, rule, character) => {
  expect(nameProblem(name)).toMatchObject({ rule, message: expect.any(String), ...(character && { character }) });
});

test("mixed scripts are reported, except for combinations of one writing system", () => {
  expect(mixedScripts("Latin Кириллица")).toEqual(["Latin", "Cyrillic"]);
  expect(mixedScripts("한글 カタカナ")).toEqual(["Hangul", "Katakana"]);
  expect(mixedScripts("漢 ㄅ かな")).toEqual(["Han", "Bopomofo", "Hiragana"]);
  expect(mixedScripts("ー漢")).toBeNull();
  expect(mixedScripts("❤️ 123 → 。")).toBeNull();
});
