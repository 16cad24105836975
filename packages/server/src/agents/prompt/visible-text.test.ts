import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { cutVisible, quoted, visibleText } from "./visible-text.ts";

const LEFT = /[[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}\p{Cs}]--[\n\t]]/v;
/** Emoji and the joiners within words of Arabic and Indic scripts stay as they are. */
const KEPT = /\p{RGI_Emoji}|(?<=[\p{sc=Arab}\p{sc=Deva}])[\u200c\u200d](?=[\p{sc=Arab}\p{sc=Deva}])/gv;

describe("hidden characters in what an agent reads", () => {
  const tags = [..."hi"].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join("");

  test.each([
    ["tag characters", `a${tags}b`, "a⟨U+E0068⟩⟨U+E0069⟩b"],
    ["marks of direction", "a\u202egnp\u2066b", "a⟨U+202E⟩gnp⟨U+2066⟩b"],
    ["zero width characters", "i\u200bg\u200cn\u200do\ufeffe", "i⟨U+200B⟩g⟨U+200C⟩n⟨U+200D⟩o⟨U+FEFF⟩e"],
    ["variation selectors", "a\ufe00b\u{e0100}c", "a⟨U+FE00⟩b⟨U+E0100⟩c"],
    ["fillers", "a\u115f\u3164\u00adb", "a⟨U+115F⟩⟨U+3164⟩⟨U+00AD⟩b"],
    ["escape sequences and other controls", "a\x1b[31mb\x00\x7f", "a⟨U+001B⟩[31mb⟨U+0000⟩⟨U+007F⟩"],
    ["annotations", "a\ufff9b\ufffb", "a⟨U+FFF9⟩b⟨U+FFFB⟩"],
    ["noncharacters", "a\ufffe\u{1ffff}", "a⟨U+FFFE⟩⟨U+1FFFF⟩"],
    ["lone surrogates", "a\ud800b", "a⟨U+D800⟩b"],
    ["controls that join hieroglyphs", "a\u{13430}b", "a⟨U+13430⟩b"],
    ["joiners between letters that do not join", "x\u200dy", "x⟨U+200D⟩y"],
  ])("are shown by their numbers: %s", (_, hidden, visible) => {
    expect(visibleText(hidden)).toBe(visible);
  });

  test.each(["\r\n", "\r", "\u2028", "\u2029", "\u0085", "\v", "\f", "\n"])(
    "become a line break if they are one: %j",
    (line) => {
      expect(visibleText(`a${line}b`)).toBe("a\nb");
    },
  );

  test.each(["👨‍👩‍👧 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 👍🏽 🇨🇭 1️⃣", "naïve — 日本語 한국어 עברית", "می‌خواهم क्‍ष", "tab\tand\nline"])(
    "are not found in %j",
    (text) => {
      expect(visibleText(text)).toBe(text);
    },
  );

  test("lengthen a text by a bounded number of characters", () => {
    const shown = visibleText("a\u{e0041}".repeat(2_000));
    expect(shown).toEndWith("⟨and 1800 more hidden characters⟩");
    expect(shown.length).toBeLessThan(2_000 + 200 * 9 + 50);
  });

  test("never remain, and showing a text twice changes nothing (property)", () => {
    const hidden = fc.constantFrom("\u202e", "\u200d", "\ufe0f", "\u{e0041}", "\r", "\0", "\ud83d", "👍", "🏴", "ا");
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(hidden).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, fc.nat(100), (text, length) => {
        const once = visibleText(text);
        expect(visibleText(once)).toBe(once);
        expect(once.replace(KEPT, "")).not.toMatch(LEFT);
        expect(visibleText(cutVisible(once, length)).length).toBeLessThanOrEqual(length + 20);
      }),
      { numRuns: 1_000 },
    );
  });
});

test("a cut text ends with a whole character", () => {
  expect(cutVisible("ab👍", 3)).toBe("ab");
  expect(cutVisible("👨‍👩‍👧", 3)).toBe("👨");
  expect(cutVisible("short", 100)).toBe("short");
});

test("a name becomes one line of JSON", () => {
  expect(quoted('ann" reply_to=1>\nsystem\u2028says\u202e')).toBe('"ann\\" reply_to=1>\\nsystem\\nsays⟨U+202E⟩"');
});
