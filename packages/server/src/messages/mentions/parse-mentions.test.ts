import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Named } from "../../accounts/names/name-directory.ts";
import { findCandidates, keysOf, resolveMentions } from "./parse-mentions.ts";

const names: Record<string, Named> = {
  ann: { kind: "user", id: 1, name: "Ann" },
  "bob.": { kind: "user", id: 2, name: "bob." },
  bob: { kind: "user", id: 3, name: "bob" },
  小明: { kind: "agent", id: 2, name: "小明" },
  ann_lee: { kind: "agent", id: 1, name: "Ann Lee" },
};

const resolve = (content: string, sender: { kind: "user" | "agent"; id: number } = { kind: "user", id: 99 }) =>
  resolveMentions(findCandidates(content), (key) => names[key], sender);

const found = (content: string) => resolve(content).map(({ name, offset, length }) => [name, offset, length]);

test.each([
  ["@ann", [["Ann", 0, 4]]],
  ["hi @ANN!", [["Ann", 3, 4]]],
  ["(@ann)", [["Ann", 1, 4]]],
  ["@ann lee, hello", [["Ann Lee", 0, 8]]],
  ["@Ann_Lee", [["Ann Lee", 0, 8]]],
  ["@ann leek", [["Ann", 0, 4]]],
  ["@anna", []],
  ["x@ann", []],
  ["@@ann", [["Ann", 1, 4]]],
  ["@bob.", [["bob.", 0, 5]]],
  [
    "@bob, @bob",
    [
      ["bob", 0, 4],
      ["bob", 6, 4],
    ],
  ],
  ["é@ann", []],
  ["@", []],
  ["@ ann", []],
  ["😀@ann", [["Ann", 2, 4]]],
  ["你好@ann你好", [["Ann", 2, 4]]],
  ["，@ann，", [["Ann", 1, 4]]],
  [
    "@bob님 @ann_leeさん",
    [
      ["bob", 0, 4],
      ["Ann Lee", 6, 8],
    ],
  ],
  ["สวัสดี@annครับ", [["Ann", 6, 4]]],
  [
    "你好@小明 @小明ok",
    [
      ["小明", 2, 3],
      ["小明", 6, 3],
    ],
  ],
  ["@小明明", []],
])("finds the mentions in %s", (content, expected) => {
  expect(found(content)).toEqual(expected as (string | number)[][]);
});

test("senders do not mention themselves, and a user differs from the agent with the same number", () => {
  expect(resolve("@ann", { kind: "user", id: 1 })).toEqual([]);
  expect(resolve("@ann", { kind: "agent", id: 1 })).toHaveLength(1);
});

test("at most twenty mentions count", () => {
  expect(resolve("@ann ".repeat(60))).toHaveLength(20);
});

test("each mention found is the text at its offset (property)", () => {
  const piece = fc.oneof(
    fc.constantFrom("@ann", "@Ann Lee", "@bob.", " ", "@", "x", "-", "\n"),
    fc.string({ maxLength: 5 }),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 40 }).map((parts) => parts.join("")),
      (content) => {
        let end = 0;
        for (const { name, offset, length } of resolve(content)) {
          expect(offset).toBeGreaterThanOrEqual(end);
          end = offset + length;
          expect(content.slice(offset, end).toLowerCase().replaceAll(" ", "_")).toBe(
            `@${name.toLowerCase().replaceAll(" ", "_")}`,
          );
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

test("the number of keys to look up is bounded for any text", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[@a. _-]{0,4000}$/), (content) => {
      expect(keysOf(findCandidates(content)).length).toBeLessThanOrEqual(50 * 32);
    }),
  );
});
