import { expect, test } from "bun:test";
import fc from "fast-check";
import { shown } from "../support/markdown.ts";

/** Removes tags, but not where links lead, and decodes what React has escaped. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<a href="([^"]*)"[^>]*>/g, " $1 ")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&");

test.each([
  ["Who broke it? See [1]\n\n[1]: Bob", "Bob"],
  ["Fixed [ABC-12]\n\n[ABC-12]: done", "done"],
  ["[ABC-12]\n\n[ABC-12]: https://x.example 'and done'", "and done"],
  ["see [log]\n\n[log]: file:///var/log/x.log", "/var/log/x.log"],
  ["note[^1]\n\n[^1]: foot", "foot"],
  ["[a][b] c\n\n[b]: ./readme.md", "readme"],
  ['[a](https://x.example "a title")', "a title"],
  ["```some words\nand more\n```", "some words"],
  ["```words\nand more\n```", "words"],
  ["    ```js more words\n    code\n    ```", "more words"],
  ["|a|\n|-|\n|1|two|", "two"],
  ["---\ntitle: x\n---", "title: x"],
  ["<!-- hidden -->\n<script>one</script>", "<!-- hidden -->"],
  ["![alt text](https://x.example/a.png 'and title')", "and title"],
])("shows all of %j", (content, part) => {
  expect(textOf(shown(content))).toContain(part);
});

/** Pieces of Markdown in which each `W` is a word. */
const FORMS = [
  "W",
  " ",
  "\n",
  "\n\n",
  "\n[W]: W\n",
  "\n[W]: https://W.example/W\n",
  '\n[W]: https://W.example "W"\n',
  "[W]",
  "[W][]",
  "[W](https://W.example/W)",
  '[W](https://W.example "W")',
  "[W](W)",
  "[](https://W.example)",
  "[W](<W W> 'W')",
  "![W](W 'W')",
  "![W][W]",
  "![W]",
  "<https://W.example/W>",
  "<W@W.example>",
  "<W W='W'>",
  "<!-- W -->",
  "<?W?>",
  "</W>",
  "\n```W W\nW\n```\n",
  "\n~~~W\nW\n~~~ W\n",
  "\n```W\n",
  "    W\n",
  "\n    ```W W\n    W\n    ```\n",
  "`W`",
  "``W`W``",
  "$W$",
  "$$W$$",
  "\n|W|W|\n|-|-|\n|W|W|W|\n|W|\n",
  "|W",
  "[^W]",
  "\n[^W]: W\n",
  "\n---\nW: W\n---\n",
  "\n- [ ] W\n",
  "\n- [x] W\n",
  "\n> W\n",
  "\n# W #\n",
  "\nW\n===\n",
  "\n1. W\n",
  "\\W",
  "&W;",
  "&amp;W",
  "*W*",
  "**W",
  "~~W~~",
  "W\\\nW",
  "W  \nW",
  "\n***\n",
  "(",
  ")",
  "[",
  "]",
  "<",
  ">",
  '"',
  "'",
  ":",
  "!",
  "`",
  "*",
  "_",
];

test("every word of a message is in the page (property)", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...FORMS), { maxLength: 25 }), (forms) => {
      let count = 0;
      const content = forms.join("").replaceAll("W", () => `w${count++}x`);
      const text = textOf(shown(content));
      const lost = Array.from({ length: count }, (_, n) => `w${n}x`).filter((word) => !text.includes(word));
      expect({ content, lost }).toEqual({ content, lost: [] });
    }),
    { numRuns: 800 },
  );
});
