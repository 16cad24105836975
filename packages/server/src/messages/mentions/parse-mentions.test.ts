import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Named } from "../../accounts/names/name-directory.ts";
import { findCandidates, keysOf, resolveMentions } from "./parse-mentions.ts";

const names: Record<string, Named> = {
  café: { kind: "user", id: 5, name: "Café" },
  철수: { kind: "agent", id: 3, name: "철수" },
  ผู้ช่วย: { kind: "agent", id: 4, name: "ผู้ช่วย" },
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
  ["/run@Ann_Lee now", [["Ann Lee", 4, 8]]],
  [
    "hi\n/RUN_2@小明 and /x@ann_lee",
    [
      ["小明", 9, 3],
      ["Ann Lee", 19, 8],
    ],
  ],
  [`/${"x".repeat(32)}@ann_lee`, [["Ann Lee", 33, 8]]],
  ["/run@ann a/run@ann_lee //run@ann_lee `/run@ann_lee` /ru-n@ann_lee", []],
  [`/${"x".repeat(33)}@ann_lee ${"x".repeat(9)}/${"x".repeat(32)}@ann_lee`, []],
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
  ["@小明明", [["小明", 0, 3]]],
  ["交给@小明处理", [["小明", 2, 3]]],
  [
    "＠ann ＠ＡＮＮ",
    [
      ["Ann", 0, 4],
      ["Ann", 5, 4],
    ],
  ],
  [
    "_@ann_ __@ann__ *_@ann_*",
    [
      ["Ann", 1, 4],
      ["Ann", 9, 4],
      ["Ann", 18, 4],
    ],
  ],
  ["foo_@ann @ann_x x_@ann.com", []],
  ["@cafe\u0301", [["Café", 0, 6]]],
  ["@ann\u0301", []],
  [
    "@철수님 @철수에게",
    [
      ["철수", 0, 3],
      ["철수", 5, 3],
    ],
  ],
  ["ขอ@ผู้ช่วยทำ", [["ผู้ช่วย", 2, 8]]],
  ["`@ann` ``x`@ann``", []],
  ["```\n@ann\n```\n@ann", [["Ann", 13, 4]]],
  ["    @ann", []],
  ["https://x.example/@ann <mailto:@ann> [a](https://x.example/@ann)", []],
  ["social.example/@ann ssh://@ann x.example:80/?q=@ann", []],
  [
    "see x.example @ann, [@ann](https://x.example)",
    [
      ["Ann", 14, 4],
      ["Ann", 21, 4],
    ],
  ],
])("finds the mentions in %s", (content, expected) => {
  expect(found(content)).toEqual(expected as (string | number)[][]);
});

test("mentions in quotes are found, and marked", () => {
  const found = resolve("> @ann said\nlazy @bob\n\n@ann");
  expect(found.map(({ name, quoted = false }) => [name, quoted])).toEqual([
    ["Ann", true],
    ["bob", true],
    ["Ann", false],
  ]);
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
