import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { indexedWords, tokenize } from "./words.ts";

describe("the words of a text", () => {
  test.each([
    ["Hello, World! don't foo_bar", "hello world don t foo bar"],
    ["Größe STRASSE straße Ça Ünïcödé", "grosse strasse strasse ca unicode"],
    ["ΟΔΟΣ οδός", "οδοσ οδοσ"],
    ["ﬁne ｆｕｌｌ ½ ① Ⅷ", "fine full 1 2 1 viii"],
    ["Łódź København đường Œuvre ÆSIR Þór Maðr ħ", "lodz kobenhavn duong oeuvre aesir thor madr h"],
    ["GROẞE ǽ ǿ Ⱥ ĳ", "grosse ae o a ij"],
    ["5㎏ 25℃ №7 ㏂ ⓗⓔⓨ ㍿ ﷼ ₨", "5 kg 25 c no 7 a m hey 株式 式会 会社 社 ریال rs .株 .式 .会 .社"],
    ["¢5 $é ♪ ゛", "5 e"],
    ["ИВАН йод", "иван иод"],
    ["e\u0301te\u0301 שָׁלוֹם", "ete שלום"],
    ["🎉👍🏽 ok ❤️", "🎉 👍 ok ❤"],
    ["… --- !!! \u0301", ""],
    ["東京都 iPhone手机", "東京 京都 都 iphone 手机 机 .東 .京 .都 .手 .机"],
    ["ガッツ", "ガッ ッツ ツ .ガ .ッ .ツ"],
    ["안녕 녕", "안녕 녕 녕 .안 .녕"],
  ])("are found in %s", (text, words) => {
    expect(indexedWords(text).join(" ")).toBe(words);
  });

  test("have their offsets in UTF-16 units", () => {
    const text = "💥 Größe ist 東京都";
    const shown = tokenize(text).map(({ offset, length }) => text.slice(offset, offset + length));
    expect(shown).toEqual(["💥", "Größe", "ist", "東京", "京都", "都", "東", "京", "都"]);
  });

  test("are cut by characters, and limited in number", () => {
    expect(indexedWords("x".repeat(500))).toEqual(["x".repeat(64)]);
    expect(indexedWords("𝒳".repeat(500))).toEqual(["x".repeat(64)]);
    expect(indexedWords("𐐀".repeat(100))).toEqual(["𐐨".repeat(64)]);
    expect(indexedWords("a ".repeat(400)).length).toBe(255);
  });

  test("are accepted by both databases, for any text (property)", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        for (const { text: word, offset, length } of tokenize(text)) {
          expect(word).toMatch(/^\.?[a-z0-9\u0080-\u{10ffff}]+$/u);
          expect(word.isWellFormed()).toBe(true);
          expect([...word].length).toBeLessThanOrEqual(65);
          expect(offset + length).toBeLessThanOrEqual(text.length);
          expect(length).toBeGreaterThan(0);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
