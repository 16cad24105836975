import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { agentNameOf, checkAgentName, invalidAgentName } from "./agent-names.ts";
import { nameKey } from "./names.ts";

function admitted(text: string): string {
  const name = agentNameOf(text);
  if (name === null) throw invalidAgentName(text);
  checkAgentName(name);
  return name;
}

describe("agent names", () => {
  test.each(["a", "Helper", "Data Bot", "x-1_2.3", "Ärger", "бот", "機械", "a".repeat(32), "7"])(
    "%p is a valid agent name",
    (name) => {
      expect(agentNameOf(name)).toBe(name);
    },
  );

  test.each(["सहायक", "मदद", "உதவி", "ผู้ช่วย", "সাহায্য", "હેલ્પર", "ជំនួយ", "ຜູ້ຊ່ວຍ", "ကူညီသူ", "עוֹזֵר", "مُساعِد", "ශ්රී"])(
    "%p, with marks, is a valid agent name",
    (name) => {
      expect(admitted(name)).toBe(name.normalize("NFKC"));
    },
  );

  test.each([
    "\u0301a",
    "क\u093f\u093f",
    `q${"\u0301\u0302\u0303\u0304\u0305"}`,
    "a \u0301b",
    "a\u20dd",
    "a\u034fb",
    "a\ufe0f",
    "क\u200dष",
  ])("%j, with marks that stack, hide or have no letter, is no agent name", (name) => {
    expect(() => admitted(name)).toThrow(expect.objectContaining({ code: "invalid_agent_name" }));
  });

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
  ])("%p is not a valid agent name", (name) => {
    expect(agentNameOf(name)).toBeNull();
  });

  test("compare equal in any spelling", () => {
    expect(agentNameOf("A\u0308rger")).toBe("Ärger");
    expect(agentNameOf("ａｄｍｉｎ")).toBeNull();
    expect(agentNameOf("Ｈｅｌｐｅｒ")).toBe("Helper");
    expect(agentNameOf("Data   Bot")).toBe("Data Bot"); // a page shows one space
  });

  test("include PlatformAgent in any case", () => {
    expect(["PlatformAgent", "platformagent", "PLATFORMAGENT"].map(agentNameOf)).toEqual(
      Array(3).fill("PlatformAgent"),
    );
  });

  test("stay the same when they are parsed again (property)", () => {
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

describe("new agent names", () => {
  test.each(["Helper", "Data Bot", "бот", "機械カタカナ", "日本のHelper", "한국 Bot", "हदक", "٣٤", "P-latformAgent"])(
    "%p is accepted",
    (name) => {
      expect(() => checkAgentName(name)).not.toThrow();
    },
  );

  test.each<[string, object]>([
    ["\u1160", { rule: "invisible_character", character: "U+1160" }],
    ["alice\u1160", { rule: "invisible_character", character: "U+1160" }],
    ["al\u3164ice".normalize("NFKC"), { rule: "invisible_character", character: "U+1160" }],
    ["\u0430dmin", { rule: "mixed_scripts", scripts: ["Cyrillic", "Latin"] }],
    ["\u0430lice", { rule: "mixed_scripts", scripts: ["Cyrillic", "Latin"] }],
    ["Ρro", { rule: "mixed_scripts", scripts: ["Greek", "Latin"] }],
    ["бот漢", { rule: "mixed_scripts", scripts: ["Cyrillic", "Han"] }],
    ["bot1٣", { rule: "mixed_scripts" }],
    ["1٣", { rule: "mixed_digits", character: "U+0663" }],
    ["adm1n", { rule: "reserved" }],
    ["P1atformAgent", { rule: "reserved" }],
    ["ᎻᎬᎡᎬ", { rule: "reserved" }],
  ])("%j is refused for %j", (name, problem) => {
    expect(agentNameOf(name)).not.toBeNull();
    const details = [expect.objectContaining({ path: "agent_name", message: expect.any(String), ...problem })];
    expect(() => checkAgentName(name)).toThrow(expect.objectContaining({ code: "invalid_agent_name", details }));
  });

  test.each([
    ["a@b", { rule: "character_not_allowed", character: "U+0040" }],
    ["a\u200bb", { rule: "character_not_allowed", character: "U+200B" }],
    ["a\u{e0041}", { rule: "character_not_allowed", character: "U+E0041" }],
    ["\u{1d49c}\u{20000}", { rule: "character_not_allowed", character: "U+20000" }],
    ["-a", { rule: "form" }],
    ["a".repeat(33), { rule: "form" }],
    ["admin", { rule: "reserved" }],
  ])("%j is refused with a reason", (text, problem) => {
    expect(agentNameOf(text)).toBeNull();
    expect(invalidAgentName(text).details).toEqual([expect.objectContaining(problem)]);
  });
});
