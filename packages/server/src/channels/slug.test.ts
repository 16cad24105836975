import { describe, expect, test } from "bun:test";
import { SLUG_MAX } from "@parley/protocol/limits";
import fc from "fast-check";
import { freeSlug, slugOf } from "./slug.ts";

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
    ["聊天", "channel"],
    ["🎉🎉", "channel"],
    ["2024", "channel-2024"],
    ["---", "channel"],
  ])("%s → %s", (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });

  test("any name makes a valid slug with room for a number, and never digits alone", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 200 }), (name) => {
        const slug = slugOf(name);
        expect(slug).toMatch(SLUG);
        expect(slug).not.toMatch(/^[0-9]+$/);
        expect(slug.length).toBeLessThanOrEqual(SLUG_MAX - 8);
      }),
    );
  });

  test("a slug that fits is its own slug", () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
        const slug = words.join("-");
        expect(slugOf(slug)).toBe(slug);
      }),
    );
  });

  test("case and composition make no difference", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zà-öø-ÿ ]{1,40}$/), (name) => {
        expect(slugOf(name.normalize("NFD"))).toBe(slugOf(name.normalize("NFC")));
        if (name.toUpperCase().toLowerCase() === name) expect(slugOf(name.toUpperCase())).toBe(slugOf(name));
      }),
    );
  });
});

describe("freeSlug", () => {
  test("is the base while that is free, then the smallest number", () => {
    expect(freeSlug("tea", new Set())).toBe("tea");
    expect(freeSlug("tea", new Set(["tea-2"]))).toBe("tea");
    expect(freeSlug("tea", new Set(["tea"]))).toBe("tea-2");
    expect(freeSlug("tea", new Set(["tea", "tea-2", "tea-4"]))).toBe("tea-3");
  });

  test("names in a row never clash", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("tea", "Tea", "tea 2", "茶", "channel", "téa"), { maxLength: 30 }),
        (names) => {
          const taken = new Set<string>();
          for (const name of names) taken.add(freeSlug(slugOf(name), taken));
          expect(taken.size).toBe(names.length);
          for (const slug of taken) expect(slug).toMatch(SLUG);
        },
      ),
    );
  });
});
