import { expect, test } from "bun:test";
import fc from "fast-check";
import { htmlToText } from "./html-text.ts";

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
