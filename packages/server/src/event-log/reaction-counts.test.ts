import { describe, expect, test } from "bun:test";
import { REACTIONS_PER_MESSAGE } from "@parley/protocol/limits";
import fc from "fast-check";
import { columnOf, countsOf, oneLess, oneMore, type ReactionCount, reactionOf, recordsOf } from "./reaction-counts.ts";

describe("a reaction", () => {
  test.each([
    "like",
    "+1",
    "-1",
    "party_parrot",
    "0",
    "x".repeat(32),
    "👍",
    "👍🏽",
    "❤️",
    "👨‍👩‍👧‍👦",
    "🏳️‍🌈",
    "🇺🇦",
    "1️⃣",
    "#️⃣",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "👩🏿‍❤️‍💋‍👨🏻",
  ])("can be %s", (text) => {
    expect(reactionOf(text)).toBe(text);
    expect(text.length).toBeLessThanOrEqual(64);
  });

  test.each([
    ["❤", "❤️"],
    ["👍\u{fe0f}", "👍"],
    ["✌️🏽", "✌🏽"],
    ["❤\u{200d}🔥", "❤️\u{200d}🔥"],
    ["👁\u{200d}🗨", "👁️\u{200d}🗨️"],
    ["🏳\u{200d}🌈", "🏳️‍🌈"],
    ["1⃣", "1️⃣"],
  ])("written as %s is stored as %s", (text, full) => {
    expect(reactionOf(text)).toBe(full);
  });

  test.each([
    ["nothing", ""],
    ["a blank", " "],
    ["capitals", "Like"],
    ["33 characters", "x".repeat(33)],
    ["a word of another script", "да"],
    ["two emoji", "👍👍"],
    ["an emoji and a letter", "👍a"],
    ["an emoji and a blank", "👍 "],
    ["half a flag", "🇺"],
    ["a joiner alone", "\u{200d}"],
    ["a variation selector alone", "\u{fe0f}"],
    ["a control character", "\u0007"],
    ["a line break after a name", "like\n"],
    ["a direction mark", "\u{202e}like"],
    ["an accented letter", "é"],
    ["a letter with a combining mark", "e\u{301}"],
    ["markup", "<b>"],
    ["a joined sequence that is not an emoji", "👍\u{200d}👍"],
    ["a heap of combining marks", `👍${"\u{300}".repeat(20)}`],
  ])("cannot be %s", (_, text) => {
    expect(reactionOf(text)).toBeNull();
  });

  test("has one stored form for any input", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ unit: "binary", maxLength: 4 })), (text) => {
        const stored = reactionOf(text);
        if (stored === null) return;
        expect(reactionOf(stored)).toBe(stored);
        expect(stored.normalize("NFC")).toBe(stored);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("reaction counts", () => {
  test("are in the order of first use, and disappear at zero", () => {
    const one = oneMore([], "like") ?? [];
    const two = oneMore(one, "wow") ?? [];
    const three = oneMore(two, "like") ?? [];
    expect(three).toEqual([
      { reaction: "like", count: 2 },
      { reaction: "wow", count: 1 },
    ]);
    const back = oneLess(oneLess(three, "like"), "like");
    expect(back).toEqual([{ reaction: "wow", count: 1 }]);
    expect(oneMore(back, "like")).toEqual([
      { reaction: "wow", count: 1 },
      { reaction: "like", count: 1 },
    ]);
    expect(columnOf(oneLess(back, "wow"))).toBeNull();
  });

  test("are limited to twenty kinds; more reactions of a present kind are accepted", () => {
    let counts: ReactionCount[] = [];
    for (let n = 0; n < REACTIONS_PER_MESSAGE; n++) counts = oneMore(counts, `r${n}`) ?? [];
    expect(counts).toHaveLength(REACTIONS_PER_MESSAGE);
    expect(oneMore(counts, "one-too-many")).toBeNull();
    expect(oneMore(counts, "r3")?.[3]).toEqual({ reaction: "r3", count: 2 });
  });

  test("are read back as stored", () => {
    const counts = [{ reaction: "❤️", count: 3 }];
    expect(countsOf(columnOf(counts))).toEqual(counts);
    expect(countsOf(null)).toEqual([]);
    expect(recordsOf(counts, new Set(["❤️"]))).toEqual([{ reaction: "❤️", count: 3, me: true }]);
  });
});
