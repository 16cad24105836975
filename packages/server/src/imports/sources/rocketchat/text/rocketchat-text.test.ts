import { expect, test } from "bun:test";
import { read } from "../../../../../test/support/imports/rocketchat-names.ts";
import { printText } from "../../../write/text.ts";
import { textTree } from "./rocketchat-text.ts";

/** The address of a message says its ids. */
const names = {
  person: (id: string) => ({ type: "user" as const, name: id === "u1" ? "ada" : "ben" }),
  slug: () => "ops",
  address: (channel: string, message: string | null) => `https://p.example/${channel}/${message}`,
};

const printed = (text: string): string => printText(textTree(text, read), names).content;

test.each([
  ["*b* **b** _i_ __i__ ~s~ ~~s~~ `c`", "**b** **b** _i_ _i_ ~~s~~ ~~s~~ `c`"],
  ["*a _b_ c* *_x_*", "**a _b_ c** **_x_**"],
  ["snake_case_word a*b*c 2 * 3 ~ 4", "snake_case_word a\\*b\\*c 2 * 3 ~ 4"],
  ["# Title\n- a\n- *b*\n1. c", "# Title\n\n- a\n- **b**\n\n1. c"],
  ["```js\nx = *1*\n```\n> *q*\nafter", "```js\nx = *1*\n```\n\n> **q**\n\nafter"],
  ["```one line```", "`one line`"],
  ["```\na\n*b*```\n*c*", "```\na\n*b*\n```\n\n**c**"],
  ["```js\r\na\r\n``` and *c*", "```js\na\n```\n\nand **c**"],
  ["@ada.b, @ben. @old.name @all @here @nobody a@ben", "@ada, @ben. @ben @all @here @nobody a@ben"],
  ["#ops #Xy2, #none x#ops", "#ops #ops, #none x#ops"],
  [":tada: :wave_tone2: :parrot: 10:30:20", "🎉 👋🏼 :parrot: 10:30:20"],
  [
    "[a](https://x.org/a_b_c) <https://x.org|label> https://x.org/a_b",
    "[a](https://x.org/a_b_c) [label](https://x.org) <https://x.org/a_b>",
  ],
  ["https://chat.acme.example/channel/ops?msg=m1", "https://p.example/r1/m1"],
  ["[here](https://chat.acme.example/group/r1)", "[here](https://p.example/r1/null)"],
  ["https://other.example/channel/ops?msg=m1", "https://other.example/channel/ops?msg=m1"],
  ["[x](javascript:alert(1)) ||hidden|| <b>", "x hidden \\<b>"],
  ["/me waves", "_waves_"],
])("%j becomes %j", (text, wanted) => {
  expect(printed(text)).toBe(wanted);
});
