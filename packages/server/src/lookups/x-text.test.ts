import { expect, test } from "bun:test";
import { textOfX } from "./x-text.ts";

const link = (display_url: unknown, more: object = {}) => ({ url: "https://t.co/abc", display_url, ...more });

test.each<[string, string, unknown, string]>([
  ["a bare host name", "on https://t.co/abc now", [link("chat.example.org")], "on chat.example.org now"],
  ["a link that stands twice", "https://t.co/abc https://t.co/abc", [link("a.org")], "a.org a.org"],
  ["a longer address that begins alike", "https://t.co/abcd", [link("a.org")], "https://t.co/abcd"],
  [
    "a long path",
    "https://t.co/abc",
    [link("a.org/very/lo…", { expanded_url: "https://www.a.org/very/long" })],
    "a.org/very/long",
  ],
  [
    "an address that differs from what is shown",
    "https://t.co/abc",
    [link("a.org/very/lo…", { expanded_url: "https://evil.example/a.org/very/long" })],
    "a.org/very/lo…",
  ],
  ["a replacement pattern", "https://t.co/abc", [link("$&$1")], "$&$1"],
  ["what an entity hides", "https://t.co/abc &amp;lt; &lt;b&gt;", [link("a.org?x&amp;y")], "a.org?x&y &lt; <b>"],
  ["malformed links", "https://t.co/abc", [null, 5, {}, link(7), link("x".repeat(400))], "https://t.co/abc"],
  ["links that are no list", "https://t.co/abc", "https://t.co/abc", "https://t.co/abc"],
  ["no links", "https://t.co/abc", undefined, "https://t.co/abc"],
])("shows %s as readers see it", (_, text, links, shown) => {
  expect(textOfX(text, links)).toBe(shown);
});

test("text that one link displays is not read as another link", () => {
  const links = [link("https://t.co/def"), { url: "https://t.co/def", display_url: "chat.example.org" }];
  expect(textOfX("https://t.co/abc", links)).toBe("https://t.co/def");
});
