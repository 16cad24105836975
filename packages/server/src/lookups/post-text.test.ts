import { expect, test } from "bun:test";
import fc from "fast-check";
import { htmlToText, textOfX } from "./post-text.ts";

test.each([
  ["<p>one</p><p>two</p>", "one\ntwo"],
  ["a<br>b<br/>c", "a\nb\nc"],
  ["K7<b>QM-</b>2R<span class='x>y'>TX</span>", "K7QM-2RTX"],
  ["&lt;b&gt; &amp;lt; &quot;x&quot; it&#39;s &#x4b;&#55;&nbsp;!", '<b> &lt; "x" it\'s K7\u00a0!'],
  ["&bogus; &#0; &#x110000; & &; 100&", "&bogus; \ufffd \ufffd & &; 100&"],
  ["a<!-- hidden -->b", "ab"],
  ["", ""],
])("%j is read as %j", (html, text) => {
  expect(htmlToText(html)).toBe(text);
});

test("any escaped text is read back (property)", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const plain = text.replaceAll(/[\0\r]/g, "").trim();
      expect(htmlToText(`<p>${Bun.escapeHTML(plain)}</p>`)).toBe(plain);
    }),
    { numRuns: 200 },
  );
});

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
