import { expect, test } from "bun:test";
import { slackText } from "./mrkdwn.ts";

test.each([
  ["<https://a.example|text>", "[text](https://a.example)"],
  ["<https://a.example>", "https://a.example"],
  ["<mailto:a@b.example|write>", "[write](mailto:a@b.example)"],
  ["<javascript:alert(1)|x>", "x"],
  ["<https://a.example/(b)|[t](https://evil.example)>", "[\\[t\\](https://evil.example)](https://a.example/%28b%29)"],
  ["<@U123> <@U123|ann> <!here> <!subteam^S1|@ops> <#C1|general>", "@U123 @ann @here @ops #general"],
  ["a &lt; b &amp;&amp; c &gt; d &amp;lt;", "a < b && c > d &lt;"],
  ["*Service down* at db1", "**Service down** at db1"],
  ["~resolved~ *a*, (*b*) *c d*.", "~~resolved~~ **a**, (**b**) **c d**."],
  [
    "`*not bold*` 2 * 3 * 4 a*b*c **Markdown** ~~too~~ * x *",
    "`*not bold*` 2 * 3 * 4 a*b*c **Markdown** ~~too~~ * x *",
  ],
  ["```\n*a* <b> &lt;c&gt;\n``` *d*", "```\n*a* <b> <c>\n``` **d**"],
  ["*bold <https://a.example/*x*|link>*", "*bold [link](https://a.example/*x*)*"],
  ["if a < b and c > d", "if a < b and c > d"],
  [
    "map<string,string> Vec<T> -> Option<U> <html> <unknown> <!doctype> </p>",
    "map<string,string> Vec<T> -> Option<U> <html> <unknown> <!doctype> </p>",
  ],
  [
    "<!date^1392734382^Posted {date_num}|Posted 2014-02-18> <!date^1392734382^{date}>",
    "Posted 2014-02-18 2014-02-18 14:39 UTC",
  ],
  ["<!date^1392734382^{date}^https://a.example/|then>", "[then](https://a.example/)"],
  ["<https://a.example|[FIRING:1] x>", "[[FIRING:1] x](https://a.example)"],
  ["<https://a.example|a] b>", "[a\\] b](https://a.example)"],
  ["<tel:+49|call> <@U1|a b>", "call @a b"],
])("%s → %s", (text, wanted) => {
  expect(slackText(text)).toBe(wanted);
});
