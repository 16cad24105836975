import { describe, expect, test } from "bun:test";
import { SLUG_MAX } from "@parley/protocol/limits";
import fc from "fast-check";
import { channelName, freeSlug, slugOf } from "./channel-name.ts";

describe("channelName", () => {
  test.each([
    ["  General chat ", "General chat"],
    ["聊天", "聊天"],
    ["#", "#"],
    ["👩‍👩‍👧", "👩‍👩‍👧"],
    ["x".repeat(64), "x".repeat(64)],
    ["🎉".repeat(64), "🎉".repeat(64)],
  ])("%j is stored as %j", (text, name) => {
    expect(channelName(text)).toBe(name);
  });

  test.each([
    [""],
    ["   "],
    ["\u200b"],
    ["\u3164"],
    ["\u2800"],
    ["two\nlines"],
    ["nul\0"],
    ["\u202egnp.exe"],
    ["x".repeat(65)],
    ["🎉".repeat(65)],
  ])("%j is refused", (text) => {
    expect(() => channelName(text)).toThrow(expect.objectContaining({ code: "invalid_channel_name" }));
  });
});

const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;

describe("slugOf", () => {
  test.each([
    ["General", "general"],
    ["  Code Review!  ", "code-review"],
    ["Général Ünïcode", "general-unicode"],
    ["Straße & Ærø", "strasse-aero"],
    ["Łódź – Đà Nẵng", "lodz-da-nang"],
    ["İstanbul ISTANBUL ı", "istanbul-istanbul-i"],
    ["don't panic", "don-t-panic"],
    ["Q&A #1", "q-a-1"],
    ["Ⅷ ﬁne", "viii-fine"],
    ["聊天", "liao-tian"],
    ["技术讨论 2024", "ji-shu-tao-lun-2024"],
    ["Go语言", "go-yu-yan"],
    ["ひらがな", "hiragana"],
    ["がぎぐ", "gagigu"],
    ["서울", "seoul"],
    ["Обсуждение", "obsuzhdenie"],
    ["Область", "oblast"],
    ["Альфа", "alfa"],
    ["Αθήνα", "athina"],
    ["हिन्दी", "hindi"],
    ["Party 🎉", "party"],
    ["🎉🍜", "tada-ramen"],
    ["５G　ＯＫ", "5g-ok"],
    ["2024", "channel-2024"],
    ["---", "channel"],
  ])("%s → %s", async (name, slug) => {
    expect(await slugOf(name)).toBe(slug);
  });

  test("gives any name a valid slug with room for a number, and never only digits", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", minLength: 1, maxLength: 200 }), async (name) => {
        const slug = await slugOf(name);
        expect(slug).toMatch(SLUG);
        expect(slug).not.toMatch(/^[0-9]+$/);
        expect(slug.length).toBeLessThanOrEqual(SLUG_MAX - 8);
      }),
    );
  });

  test("keeps a valid slug as it is", async () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/);
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 5 }), async (words) => {
        const slug = words.join("-");
        expect(await slugOf(slug)).toBe(slug);
      }),
    );
  });

  test("ignores case and Unicode composition", async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[a-zà-öø-ÿ ]{1,40}$/), async (name) => {
        const slug = await slugOf(name.normalize("NFC"));
        expect(await slugOf(name.normalize("NFD"))).toBe(slug);
        if (name.toUpperCase().toLowerCase() === name) expect(await slugOf(name.toUpperCase())).toBe(slug);
      }),
    );
  });
});

describe("freeSlug", () => {
  test("returns the base if it is free, or else adds the smallest free number", () => {
    expect(freeSlug("tea", new Set())).toBe("tea");
    expect(freeSlug("tea", new Set(["tea-2"]))).toBe("tea");
    expect(freeSlug("tea", new Set(["tea"]))).toBe("tea-2");
    expect(freeSlug("tea", new Set(["tea", "tea-2", "tea-4"]))).toBe("tea-3");
  });

  test("never returns the same slug twice", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("tea", "Tea", "tea 2", "茶", "channel", "téa"), { maxLength: 30 }),
        async (names) => {
          const taken = new Set<string>();
          for (const name of names) taken.add(freeSlug(await slugOf(name), taken));
          expect(taken.size).toBe(names.length);
          for (const slug of taken) expect(slug).toMatch(SLUG);
        },
      ),
    );
  });
});
