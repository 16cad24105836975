import { expect, test } from "bun:test";
import { checkEmail } from "./emails.ts";

test.each([
  "a@b.co",
  "first.last+tag@mail.example.org",
  "o'neil@example.ie",
  "ü@bücher.example",
  "x_y-z@a-b.c1.museum",
])("%s is an email address", (text) => {
  expect(() => checkEmail(text)).not.toThrow();
});

test.each([
  "",
  "a",
  "a@b",
  "@b.co",
  "a@",
  "a@.co",
  "a@b.",
  "a@b..co",
  "a@-b.co",
  "a@b-.co",
  "a b@c.de",
  "a@b c.de",
  "a@@b.co",
  "a@b.co\nbcc: x@y.zz",
  "a@b.co\0",
  "<a@b.co>",
  "a,b@c.de",
  `${"x".repeat(65)}@b.co`,
  `a@${"b".repeat(250)}.co`,
])("%j is not an email address", (text) => {
  expect(() => checkEmail(text)).toThrow(expect.objectContaining({ code: "invalid_email" }));
});

/** A check whose time grows with the square of the length would take longer than a test may. */
test("a long hostile text is refused quickly", () => {
  expect(() => checkEmail(`a@${"a-".repeat(500_000)}`)).toThrow();
  expect(() => checkEmail(`a@${"a.".repeat(500_000)}`)).toThrow();
});
