import { describe, expect, test } from "bun:test";
import { reactionOf } from "../../../server/src/event-log/reaction-counts.ts";
import { ALL_EMOJI } from "../../src/emoji/all-emoji.ts";
import { findEmoji, GROUPS, parseEmoji } from "../../src/emoji/catalogue.ts";
import { QUICK_EMOJI } from "../../src/emoji/own-emoji.ts";
import { inTone, TONES } from "../../src/emoji/tones.ts";
import { LANGUAGES } from "../../src/i18n/languages.ts";

const all = parseEmoji(ALL_EMOJI);
const chinese = parseEmoji(ALL_EMOJI, await LANGUAGES.zh.emoji?.());

describe("the emoji of the picker", () => {
  test("are all of Unicode's, and the server accepts each in every tone as it is", () => {
    expect(all.length).toBeGreaterThan(1_850);
    expect(new Set(all.map(({ text }) => text)).size).toBe(all.length);
    const texts = all.flatMap((emoji) => TONES.map((tone) => inTone(emoji, tone)));
    expect(texts.filter((text) => reactionOf(text) !== text)).toEqual([]);
    expect(QUICK_EMOJI.filter((text) => !all.some((emoji) => emoji.text === text))).toEqual([]);
  });

  test("belong to a group, and have a code and a name in each language", () => {
    const groups: readonly number[] = GROUPS.map(([group]) => group);
    expect(all.filter(({ group }) => !groups.includes(group))).toEqual([]);
    expect(all.filter(({ codes, name }) => name === "" || codes.some((code) => code === ""))).toEqual([]);
    expect(chinese.filter(({ name }) => /^[a-z ]+$/.test(name)).map(({ name }) => name)).toEqual([]);
  });

  test.each([
    ["thumb", "👍"],
    ["tada", "🎉"],
    [":tada:", "🎉"],
    ["+1", "👍"],
    ["heart", "❤️"],
    ["red heart", "❤️"],
    ["rocket", "🚀"],
    ["flag japan", "🇯🇵"],
    ["thumbs_up", "👍"],
  ])("are found: %s", (query, first) => {
    expect(findEmoji(all, query, 5)[0]?.text).toBe(first);
  });

  test("are found by Chinese words and English codes in the Chinese page", () => {
    expect(findEmoji(chinese, "火箭", 5)[0]?.text).toBe("🚀");
    expect(findEmoji(chinese, "庆祝", 40).map(({ text }) => text)).toContain("🎉");
    expect(findEmoji(chinese, "tada", 5)[0]?.text).toBe("🎉");
  });

  test("are not found by nothing, or by what no name has", () => {
    expect(findEmoji(all, "", 5)).toEqual([]);
    expect(findEmoji(all, " : ", 5)).toEqual([]);
    expect(findEmoji(all, "qqqq", 5)).toEqual([]);
    expect(findEmoji(all, "a", 7)).toHaveLength(7);
  });

  test("take a tone where people have skin, and stay as they are elsewhere", () => {
    const [wave, rocket, couple] = ["👋", "🚀", "👩‍❤️‍👨"].map((text) => all.find((emoji) => emoji.text === text));
    if (wave === undefined || rocket === undefined || couple === undefined) throw new Error("An emoji is missing.");
    expect(TONES.map((tone) => inTone(wave, tone)).join(" ")).toBe("👋 👋🏻 👋🏼 👋🏽 👋🏾 👋🏿");
    expect(inTone(rocket, TONES[3])).toBe("🚀");
    expect(inTone(couple, TONES[1])).toBe("👩🏻‍❤️‍👨🏻");
  });
});
