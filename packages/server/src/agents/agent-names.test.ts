import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { nameKey } from "../accounts/names.ts";
import { agentNameOf } from "./agent-names.ts";

describe("agent names", () => {
  test.each(["a", "Helper", "Data Bot", "x-1_2.3", "Ärger", "бот", "機械", "a".repeat(32), "7"])(
    "%p is one",
    (name) => {
      expect(agentNameOf(name)).toBe(name);
    },
  );

  test.each([
    "",
    " a",
    "a ",
    "-a",
    "a.",
    "a".repeat(33),
    "a@b",
    "a\nb",
    "a\u200bb",
    "<b>",
    "a/b",
    "admin",
    "Admin",
    "EVERYONE",
    "system",
    "𝒜b𠀀",
    "a\u00a0\u2028b",
  ])("%p is none", (name) => {
    expect(agentNameOf(name)).toBeNull();
  });

  test("one name in two ways of writing it is one name", () => {
    expect(agentNameOf("A\u0308rger")).toBe("Ärger");
    expect(agentNameOf("ａｄｍｉｎ")).toBeNull();
    expect(agentNameOf("Ｈｅｌｐｅｒ")).toBe("Helper");
    expect(agentNameOf("Data   Bot")).toBe("Data Bot"); // a page shows one space
  });

  test("PlatformAgent is itself in any case", () => {
    expect(["PlatformAgent", "platformagent", "PLATFORMAGENT"].map(agentNameOf)).toEqual(
      Array(3).fill("PlatformAgent"),
    );
  });

  test("property: what is a name stays the same name when it is read again", () => {
    const text = fc.string({ unit: fc.constantFrom(..."aZ09 _.-ÄéｂßİK"), minLength: 1, maxLength: 34 });
    fc.assert(
      fc.property(text, (text) => {
        const name = agentNameOf(text);
        if (name === null) return;
        expect(agentNameOf(name)).toBe(name);
        expect(name.length).toBeLessThanOrEqual(32);
        expect(nameKey(name)).toBe(nameKey(name.toLowerCase()));
      }),
    );
  });
});
