import { expect, test } from "bun:test";
import { index, realm } from "../../../../../test/support/imports/zulip-names.ts";
import { printText } from "../../../write/text.ts";
import { textTree } from "./zulip-text.ts";

/** The address of a message says its ids. */
const names = {
  person: (id: string) => ({ type: "user" as const, name: id === "10" ? "ada" : "ben" }),
  slug: () => "dev-ops",
  address: (channel: string, message: string | null) => `https://p.example/${channel}/${message}`,
};

const printed = (text: string): string => printText(textTree(text, { realm, index }), names).content;

test.each([
  // Marks.
  ["**b** *i* ~~s~~ `c`", "**b** _i_ ~~s~~ `c`"],
  ["***x*** **a *b* c** a*b*c a**b**c", "**_x_** **a _b_ c** a\\*b\\*c a**b**c"],
  ["snake_case _not_ __not__ 2 * 3 * 4", "snake_case \\_not\\_ \\__not_\\_ 2 * 3 * 4"],
  ["``a`b`` and ` lone", "``a`b`` and \\` lone"],
  ["# Title\n## Sub\n#no", "# Title\n\n## Sub\n\n#no"],
  ["* a\n* b\n  * c\n1. d", "- a\n- b\n  - c\n\n1. d"],
  ["line one\nline two\n\nnext", "line one\nline two\n\nnext"],
  // People, groups, everybody.
  ["@**Ada Berg|10** @**Ben** @**Nobody**", "@ada @ben @Nobody"],
  ["@_**Ada Berg|10** @**all** @*ops* @_*ops*", "Ada Berg @all @ops ops"],
  // Channels, topics and messages.
  ["#**dev ops** #**none** #**none>x**", "#dev-ops #none #none > x"],
  ["#**dev ops>A (b) c.**", "[#dev ops > A (b) c.](https://p.example/5/77)"],
  ["#**dev ops>A (b) c.@80**", "[#dev ops > A (b) c.](https://p.example/5/80)"],
  ["https://acme.example.org/#narrow/channel/5-dev-ops/topic/x/near/81", "https://p.example/5/81"],
  ["[here](#narrow/stream/5-dev-ops/topic/A.20.28b.29.20c.2E)", "[here](https://p.example/5/77)"],
  ["[dm](https://chat.acme.example/#narrow/dm/11,10-dm/near/9)", "[dm](https://p.example/10,11/9)"],
  ["https://other.example/#narrow/channel/5-x/near/81", "https://other.example/#narrow/channel/5-x/near/81"],
  // Links.
  ["[a](https://x.org/a_b*c*) https://x.org/a_b_c.", "[a](https://x.org/a_b*c*) <https://x.org/a_b_c>."],
  ["[x](javascript:alert(1)) [y] (z)", "x \\[y] (z)"],
  ["see [plan.pdf](/user_uploads/2/ab/plan.pdf) now", "see plan.pdf now"],
  ["[plan.pdf](/user_uploads/2/ab/plan.pdf)", ""],
  // Blocks.
  ["```quote\na\n\n```js\nx\n```\nb\n```\nafter", "> a\n>\n> ```js\n> x\n> ```\n>\n> b\n\nafter"],
  ["````quote\n```\ncode\n```\n````", "> ```\n> code\n> ```"],
  ["> q\n> r\nafter", "> q\n> r\n\nafter"],
  ["```spoiler The end\nHe did *it*\n```", "The end\n\nHe did _it_"],
  ["``` python\nx = **1**\n", "```python\nx = **1**\n```"],
  ["    *a*\n      b\n\n    c\nafter", "```\n*a*\n  b\n\nc\n```\n\nafter"],
  ["text\n    more", "text\nmore"],
  ["- a\n\n    b\n\ntext\n\n    *c*", "- a\n\nb\n\ntext\n\n```\n*c*\n```"],
  ["```math\na_b^2\n```", "```math\na_b^2\n```"],
  ["so $$a_b * c_d$$ is", "so $$a_b * c_d$$ is"],
  // Emoji and times.
  [":dog: :umbrella: :oh_no: :time_ticking: :+1: :octopus:", "🐕 ☂️ 😕 ⏳ 👍 🐙"],
  [":smile: :tada: :working: :parrot: 10:30:20", "🙂 🎉 🛠️ :parrot: 10:30:20"],
  ["<time:2024-03-01T10:00:00+01:00> <time:1709283600> <time:soon>", "2024-03-01 09:00 UTC 2024-03-01 09:00 UTC soon"],
  ["/me **waves**", "_**waves**_"],
  // Plain text that looks like something.
  ["<b>x</b> 1\\. a\\*b", "\\<b>x\\</b> 1\\\\. a\\\\\\*b"],
])("%j becomes %j", (text, wanted) => {
  expect(printed(text)).toBe(wanted);
});
