import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { displayNameOf, findKeysOf } from "./display-name.ts";

const ruleOf = (text: string): string => {
  const read = displayNameOf(text);
  return "name" in read ? "accepted" : read.problem.rule;
};

describe("display names", () => {
  test.each([
    ["李雷", "李雷"],
    ["𠮷田太郎", "𠮷田太郎"],
    ["ジョン・スミス", "ジョン・スミス"],
    ["Анна Иванова", "Анна Иванова"],
    ["अनिता शर्मा", "अनिता शर्मा"],
    ["محمد علي", "محمد علي"],
    ["김철수", "김철수"],
    ["Seán O'Brien", "Seán O'Brien"],
    ["Martin Luther King, Jr.", "Martin Luther King, Jr."],
    ["  Ann   Lee ", "Ann Lee"],
    ["Ａｎｎ", "Ann"],
    ["Jose\u0301", "José"],
    ["x".repeat(48), "x".repeat(48)],
  ])("%j is stored as %j", (text, name) => expect(displayNameOf(text)).toEqual({ name }));

  test.each([
    ["", "form"],
    ["   ", "form"],
    ["x".repeat(49), "form"],
    ["x".repeat(10_000_000), "form"],
    ["1234", "form"],
    ["-ann", "form"],
    ["ann\u202eeel", "invisible_character"],
    ["ann\u2067", "invisible_character"],
    ["a\u200bnn", "invisible_character"],
    ["a\u200dnn", "invisible_character"],
    ["\u3164\u3164", "invisible_character"],
    ["ann\nadmin", "invisible_character"],
    ["\nann", "invisible_character"],
    ["ann\u2028b", "invisible_character"],
    ["\u{e0041}nn", "invisible_character"],
    ["🌴", "character_not_allowed"],
    ["ann ✓", "character_not_allowed"],
    ["ann@b", "character_not_allowed"],
    ["<b>ann</b>", "character_not_allowed"],
    ["𒀀𒀁", "character_not_allowed"],
    ["аnn", "mixed_scripts"],
    ["Ann Ли", "mixed_scripts"],
    ["ann1٣", "mixed_scripts"],
    [`q${"\u0301\u0302\u0303\u0304\u0305"}`, "form"],
    [`q${"\u0323\u0323"}x`, "form"],
  ])("%j is refused by the rule %s", (text, rule) => expect(ruleOf(text)).toBe(rule));

  test("stay the same when they are read again (property)", () => {
    const text = fc.string({ unit: fc.constantFrom(..."aZ09 _.-'ÄéｂßİK李雷'"), minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(text, (text) => {
        const read = displayNameOf(text);
        if ("name" in read) expect(displayNameOf(read.name)).toEqual(read);
      }),
    );
  });

  test.each([
    ["Ann Lee", ["ann lee", "lee"]],
    ["李雷", ["李雷"]],
    ["José-María d'Aragón", ["jose-maria d'aragon", "maria d'aragon", "d'aragon", "aragon"]],
    ["Jr.", ["jr."]],
    ["a b c d e f g h i j", 8],
  ])("%j is found by the beginnings of its words", (name, keys) => {
    const found = findKeysOf(name);
    if (typeof keys === "number") expect(found).toHaveLength(keys);
    else expect(found).toEqual(keys);
  });
});
