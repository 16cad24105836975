import { expect, test } from "bun:test";
import fc from "fast-check";
import { lookAlikeKey, skeleton } from "./skeleton.ts";

test.each([
  ["alice", "a1ice"],
  ["alice", "aIice"],
  ["alice", "αlice"], // Greek alpha; mixing scripts is refused elsewhere
  ["alice", "alice\u1160"],
  ["alice", "al\u{e0061}ice\ufe0f"],
  ["Bob", "B0b"],
  ["modern", "rnodern"],
  ["сосо", "coco"],
  ["Ärger", "A\u0308rger"],
  ["Data Bot", "Data_Bot"],
])("%j looks like %j", (one, other) => {
  expect(lookAlikeKey(other)).toBe(lookAlikeKey(one));
});

test.each([
  ["alice", "alicia"],
  ["ann", "anna"],
  ["bob", "bób"],
  ["user1", "user2"],
  ["agent_01", "agent_10"],
  ["ivan", "lvan"],
  ["a-b", "a_b"],
])("%j does not look like %j", (one, other) => {
  expect(lookAlikeKey(other)).not.toBe(lookAlikeKey(one));
});

test("a skeleton is in canonical form and is its own skeleton", () => {
  const name = fc.string({ unit: fc.constantFrom(..."aZ09 _.-ÄéβİKлоסاกカ漢한"), maxLength: 32 });
  fc.assert(
    fc.property(name, (name) => {
      const once = skeleton(name);
      expect(once.normalize("NFD")).toBe(once);
      expect(skeleton(once)).toBe(once);
      expect(skeleton(name.normalize("NFD"))).toBe(once);
    }),
  );
});

test("numbered names in tests and examples have different skeletons", () => {
  const names = ["user", "agent_", "bot-", "anon_"].flatMap((stem) =>
    Array.from({ length: 300 }, (_, i) => `${stem}${i}`),
  );
  expect(new Set(names.map(lookAlikeKey)).size).toBe(names.length);
});
