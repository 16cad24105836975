import { expect, test } from "bun:test";
import { FILE_NAME_MAX } from "@parley/protocol/file-limits";
import { fileName } from "./file-name.ts";

test.each([
  "👨‍👩‍👧 family.txt",
  "❤‍🔥.png",
  "🏴󠁧󠁢󠁥󠁮󠁧󠁿.txt",
  "🏳️‍🌈👩🏽‍💻.txt",
  "می‌خواهم.txt",
  "ه‍.pdf",
  "क्‍ष.txt",
  "क्‍.txt",
  "ශ්‍රී.txt",
  "ന്‍.txt",
  "plain.txt",
])("%j stays as it is", (name) => {
  expect(fileName(name)).toBe(name);
});

test.each([
  ["in\u200dvoice\u200c.exe", "invoice.exe"],
  ["\u200dx\u200b\u2060\ufeff.txt", "x.txt"],
  ["photo\u202egnp.exe", "photognp.exe"],
  ["می\u200c\u200c\u200dخواهم.txt", "می\u200cخواهم.txt"],
  ["👍\u200d.txt", "👍.txt"],
  ["🏴\u{e0068}\u{e0069}\u{e007f}.txt", "🏴.txt"],
  ["a\u{e0041}b\u00ad\u061c.txt", "ab.txt"],
  ["\u200d\u200c", "file"],
])("%j loses what is hidden", (sent, name) => {
  expect(fileName(sent)).toBe(name);
});

test("a name that is cut does not end within an emoji", () => {
  const name = fileName(`${"x".repeat(FILE_NAME_MAX - 6)}👩\u200d💻${"y".repeat(50)}.txt`);
  expect(name).toBe(`${"x".repeat(FILE_NAME_MAX - 6)}👩.txt`);
});
