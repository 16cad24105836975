import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { systemClock } from "../clock.ts";
import { holdsCode, makeCodes, readCode, writeCode } from "./code-format.ts";

test("codes are eight of Crockford's symbols, use all of them, and never repeat", () => {
  const codes = makeCodes(systemClock, 5_000);
  expect(codes.filter((code) => !/^[0-9A-HJKMNP-TV-Z]{8}$/.test(code))).toEqual([]);
  expect(new Set(codes).size).toBe(5_000);
  expect(new Set(codes.join("")).size).toBe(32);
});

test("every random bit changes the code", () => {
  const code = (...bytes: number[]) => makeCodes({ random: () => Uint8Array.from(bytes) }, 1)[0];
  expect(code(0, 0, 0, 0, 0)).toBe("00000000");
  expect(code(255, 255, 255, 255, 255)).toBe("ZZZZZZZZ");
  expect(code(0, 0, 0, 0, 1)).toBe("00000001");
  expect(code(128, 0, 0, 0, 0)).toBe("G0000000");
});

test.each([
  ["ABCD-2345", "ABCD2345"],
  [" abcd-2345\n", "ABCD2345"],
  ["abcd2345", "ABCD2345"],
  ["oiL1-0000", "01110000"],
  ["UUUU-2345", null],
  ["ABCD--2345", null],
  ["ABCD-23456", null],
  ["ABC-D2345", null],
  ["", null],
  ["ÄBCD-2345", null],
])("%j is read as %p", (text, code) => {
  expect(readCode(text)).toBe(code);
});

test("a formatted code can be parsed again", () => {
  for (const code of makeCodes(systemClock, 500)) {
    expect(readCode(writeCode(code))).toBe(code);
    expect(readCode(writeCode(code).toLowerCase())).toBe(code);
  }
});

describe("the code ABCD-2345", () => {
  test.each([
    "ABCD-2345",
    "my code: abcd-2345.",
    "#AbCd-2345 @parley",
    "(ABCD-2345)",
    "“ABCD-2345”",
    "ABCD-2345 - take it",
    "- ABCD-2345 -",
    "XABCD-2345 ABCD-2345",
    "ABCD\u20112345",
    "ＡＢＣＤ-２３４５",
    "line\nABCD-2345\nline",
    "https://x.com/?c=ABCD-2345",
    "验证码ABCD-2345",
    "コードはABCD-2345です",
    "我的-ABCD-2345-码",
  ])("is found in %j", (text) => expect(holdsCode(text, "ABCD2345")).toBe(true));

  test.each([
    "",
    "ABCD-234",
    "ABCD2345",
    "ABCD 2345",
    "XABCD-2345",
    "ABCD-23456",
    "ABCD-2345x",
    "ABCD-2345_",
    "éABCD-2345",
    "ABCD-2345é",
    "𐐀ABCD-2345",
    "1234-ABCD-2345",
    "ABCD-2345-6789",
    "𐐀-ABCD-2345",
    "ABCD-2346",
  ])("is not found in %j", (text) => expect(holdsCode(text, "ABCD2345")).toBe(false));
});

test("is found in any text that surrounds it with spaces", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (left, right) =>
      holdsCode(`${left} abcd-2345 ${right}`, "ABCD2345"),
    ),
  );
});
