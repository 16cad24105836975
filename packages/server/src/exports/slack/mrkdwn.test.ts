import { expect, test } from "bun:test";
import { textTree } from "../../imports/sources/slack/text/mrkdwn.ts";
import { wordsOf } from "../../imports/tree-words.ts";
import { EVERYBODY, People } from "../read/people.ts";
import { mrkdwnOf } from "./mrkdwn.ts";

const people = new People(EVERYBODY);
people.addUser(7, "Ada");
const printed = (content: string): string => mrkdwnOf({ content, mentions: [] }, people);

test.each([
  ["**b** *i* _i_ ~~s~~ `c`", "*b* _i_ _i_ ~s~ `c`"],
  ["***both***", "_*both*_"],
  ["a**b**c", "abc"],
  ["1 < 2 & 3 > 2 <!here> <@U1>", "1 &lt; 2 &amp; 3 &gt; 2 &lt;!here&gt; &lt;@U1&gt;"],
  ["&lt;b&gt;", "&lt;b&gt;"],
  ["`*a* <b> &`", "`*a* &lt;b&gt; &amp;`"],
  ["``a`b``", "a`b"],
  ["```js\n**x** <y>\n```", "```\n**x** &lt;y&gt;\n```"],
  ["````\n```\nx\n```\n````", "```\nx\n```"],
  ["# Title **b**\n\ntext", "Title *b*\n\ntext"],
  ["## Title\ntext", "*Title*\n\ntext"],
  ["> one\n> two\n\nthree", "&gt; one\n&gt; two\n\nthree"],
  ["> ```\n> a\n>\n> b\n> ```", "&gt; `a`\n&gt;\n&gt; `b`"],
  ["- a\n- b\n  - c", "• a\n• b\n    • c"],
  ["3. a\n4. b", "3. a\n4. b"],
  ["[label](https://example.org/a_b?c=1&d=2)", "<https://example.org/a_b?c=1&amp;d=2|label>"],
  ["[a|b](https://example.org/a|b)", "<https://example.org/a%7Cb|a b>"],
  ["[x](javascript:alert(1))", "x"],
  ["https://example.org/a_b), then", "<https://example.org/a_b>), then"],
  ["![dot](https://example.org/d.png)", "<https://example.org/d.png|dot>"],
  ["a\nb\\\nc", "a\nb\nc"],
  ["---", "---"],
  ["[ref]\n\n[ref]: https://example.org/", "ref\n\n[ref]: https://example.org/"],
])("%p is written as %p", (content, wanted) => {
  expect(printed(content)).toBe(wanted);
});

test("mentions are written by ids, and names that are none stay", () => {
  const content = "Hello **@Ada**, and @Bob \ufdd00\ufdd1";
  const mention = { type: "user" as const, name: "Ada", offset: 8, length: 4 };
  const bob = { ...mention, name: "Bob", offset: 20 };
  expect(mrkdwnOf({ content, mentions: [bob, mention] }, people)).toBe("Hello *<@U000000007>*, and @Bob \ufffd0\ufffd");
});

test("a text that costs too much to read is plain", () => {
  const hostile = "**a*".repeat(4_000);
  expect(printed(hostile)).toBe(hostile);
});

test("the words of what is written are those of the text", () => {
  const names = { person: () => undefined, channel: () => undefined };
  const words = (content: string) => wordsOf(textTree(printed(content), names)).replace(/\s+/g, " ");
  expect(
    words("Some **bold** words, `code <b>` and [a link](https://example.org)\n\n> quoted\n\n```\nfenced & more\n```"),
  ).toBe("Some bold words, code <b> and a link quoted fenced & more");
});
