import { expect, test } from "bun:test";
import type { Root } from "mdast";
import { type Names, printText } from "../../../write/text.ts";
import { CharacterBudget } from "../../character-budget.ts";
import { contentOf } from "../post-content.ts";
import type { MattermostNames } from "./mattermost-names.ts";
import { ParseLimit } from "./parse-limit.ts";

const PEOPLE = new Set(["ada", "ben.b", "all"]);
const names: MattermostNames = {
  isPerson: (username) => PEOPLE.has(username),
  channel: (name, team) => (name === "town-square" && team === "core" ? "core/town-square" : undefined),
  hasEmoji: (name) => name === "shipit",
};
const PARLEY: Names = {
  person: (id) => ({ type: "user", name: `${id}2` }),
  slug: () => "square",
  address: () => "https://parley.example/#/c/square",
};

const treeOf = (message: string, more: object = {}): Root =>
  contentOf({ message, ...more }, { team: "core", names, limit: new ParseLimit() }, new CharacterBudget());
const printed = (message: string, more: object = {}): string => printText(treeOf(message, more), PARLEY).content;

/** Texts that Mattermost and Parley read alike. */
const SAME = [
  "# Heading\n\n## Another\nwith text",
  "| a | b \\| c |\n|:--|--:|\n| `x|y` | **z** |",
  "- [ ] open\n- [x] done\n  1. one\n  2. two",
  '![a picture](https://example.org/a.png) and [a link](https://example.org/_b_ "title")',
  "> a quote\n> of *two* lines\n\n---\n\nline\nnext line",
  "```js\nconst a = `@ada ~town-square :tada:`;\n```",
  "    @ada :tada:\n\ntext",
  "`@ada` and ``:tada: ` ~town-square``",
  "https://example.org/@ada/:tada:/~town-square/a_b_c*d",
  "a@ada.org, x~town-square, \\@ada \\~town-square",
  "@channel @all @here @nobody @ada-b ~nowhere :nope: 12:30:45",
  "[@ada](https://example.org/) and [@ada][1]\n\n[1]: https://example.org/@ada",
  "snake_case *a* _b_ ~~c~~ <b>html</b> &amp; &lt; \\* $x$ 2 * 3",
  ":shipit: is our own",
  "trailing `\\~` tick",
  "/core/pl/abcdefghijklmnopqrstuvwxyz and https://chat.example.org/core/pl/abc",
];

test.each(SAME)("%j stays as it is", (text) => {
  expect(printed(text)).toBe(text);
});

test.each([
  ["Hi @ada, and @Ben.B.", "Hi @ada2, and @ben.b2."],
  ["(@ada) *@ada* **@ada** ~~@ada~~ @ada@ada", "(@ada2) *@ada2* **@ada2** ~~@ada2~~ @ada2@ada"],
  ["see ~town-square. or ~Town-Square!", "see #square. or #square!"],
  [":rofl: :hugs: :vulcan_salute:", "🤣 🤗 🖖"],
  [":tada::heart: a:+1:b :wave_dark_skin_tone: :x:tada:", "🎉❤️ a👍b 👋🏿 ❌tada:"],
  ["| @ada | :tada: |\n|---|---|\n| ~town-square | `@ada` |", "| @ada2 | 🎉 |\n|---|---|\n| #square | `@ada` |"],
  ["> - @ada\n>   ```\n>   @ada\n>   ```", "> - @ada2\n>   ```\n>   @ada\n>   ```"],
  ["[here](/core/channels/town-square)", "[here](https://parley.example/#/c/square)"],
  ["[**b** :tada:](https://a.b/sub/core/channels/town-square/)", "[**b** :tada:](https://parley.example/#/c/square)"],
  ["https://a.b/core/channels/town-square.", "https://parley.example/#/c/square."],
  ["<https://a.b/core/channels/town-square>", "https://parley.example/#/c/square"],
  ["<https://a.b/core/channels/town-square>s", "<https://a.b/core/channels/town-square>s"],
  ["https://a.b/other/channels/town-square", "https://a.b/other/channels/town-square"],
  [
    "x https://a.b/files/abcdefghijklmnopqrstuvwxyz/public?h=SeCrEt-1 y",
    "x https://a.b/files/abcdefghijklmnopqrstuvwxyz/public y",
  ],
  ["\n\n  text\n\n", "  text"],
])("%j becomes %j", (text, wanted) => {
  expect(printed(text)).toBe(wanted);
});

test("what follows a block of code that nothing closes is not in it", () => {
  const props = { attachments: [{ text: "more" }] };
  expect(printed("```\ncode", { props })).toBe("```\ncode\n```\n\nmore");
  expect(printed("~~~~ sh\ncode\n~~~", { props })).toBe("~~~~ sh\ncode\n~~~\n~~~~\n\nmore");
  expect(printed("```inline``` x", { props })).toBe("```inline``` x\n\nmore");
  expect(printed("- ```\n  code\n  ```", { props })).toBe("- ```\n  code\n  ```\n\nmore");
});

test("mentions have their places, and people who are not taken are text", () => {
  const { mentions, content } = printText(treeOf("😀 @ada\n\n- @ben.b"), PARLEY);
  expect(mentions.map(({ offset, length }) => content.slice(offset, offset + length))).toEqual(["@ada2", "@ben.b2"]);
  expect(printText(treeOf("@ada *x*"), { ...PARLEY, person: () => null }).content).toBe("@ada *x*");
});

test("a text cannot pretend to have a mention", () => {
  const { content, mentions } = printText(treeOf(`@ada ${"\ufdd00\ufdd1".repeat(30)}`), PARLEY);
  expect([mentions.length, content]).toEqual([1, `@ada2 ${"\ufffd0\ufffd".repeat(30)}`]);
});

const ATOMS = ["@ada ", "~town-square", ":tada:", "`", "~~~\n", "[", "![", "> ", "- ", "    ", "\\", "&", "\n", "@.-_"];
const HOSTILE = ["[a](/core/channels/town-square)", "`a``b", "[a](b ", "<a", "> > - ", "**a*", "# `_@ada ", '"`@ada'];

test.each([...ATOMS, ...HOSTILE])("a long text of %j costs little, and no word is lost", (atom) => {
  for (const begin of ["", "@ada ", "@ada `"]) {
    const text = `${begin}${atom.repeat(16_384 / atom.length)}`;
    const before = process.cpuUsage();
    const root = treeOf(text);
    const { user, system } = process.cpuUsage(before);
    // A tenth of a second is the aim. Machines of tests are slower.
    expect((user + system) / 1_000).toBeLessThan(500);
    const back = { ...PARLEY, person: () => null, slug: () => null, address: () => null };
    const content = printText(root, back).content.replaceAll("🎉", ":tada:");
    const words = (all: string): string => all.replace(/[^a-z0-9@/]+/g, "");
    expect(words(content)).toBe(words(text));
  }
});
