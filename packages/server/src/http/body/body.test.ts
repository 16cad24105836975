import { expect, test } from "bun:test";
import fc from "fast-check";
import { AppError } from "../../errors.ts";
import { isDeeperThan, parseJson } from "./body.ts";

const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return "none";
};

const depthOf = (value: unknown): number =>
  value !== null && typeof value === "object" ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

test("nesting depth ignores brackets in strings", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 6 }), (value, limit) => {
      expect(isDeeperThan(JSON.stringify(value), limit)).toBe(depthOf(value) > limit);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ["{", "invalid_json"],
  ["", "invalid_json"],
  [`${"[".repeat(17)}${"]".repeat(17)}`, "invalid_json"],
  ["[".repeat(60_000), "invalid_json"],
  [`${"[".repeat(16)}${"]".repeat(16)}`, "none"],
  ['{"__proto__": {"x": 1}}', "invalid_request"],
  ['{"a": [{"constructor": 1}]}', "invalid_request"],
  ['{"\\u005f_proto__": 1}', "invalid_request"],
  ['{"a": "\\u0000"}', "invalid_request"],
  ['{"a": "\\ud800"}', "invalid_request"],
  ['{"a": "my __proto__ and constructor"}', "none"],
  ['{"a": "\\ud83d\\ude00"}', "none"],
])("%s: %s", (text, code) => {
  expect(codeOf(() => parseJson(text))).toBe(code);
});
