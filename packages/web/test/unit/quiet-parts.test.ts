import { expect, test } from "bun:test";
import { type QuietPart, quietParts } from "@parley/protocol/quiet-parts";
import fc from "fast-check";
import type { Nodes } from "mdast";
import { hrefOf } from "../../src/markdown/address.ts";
import { parseMarkdown } from "../../src/markdown/parse.ts";

const kindAt = (parts: readonly QuietPart[], at: number): string => {
  const around = parts.filter(({ start, end }) => at >= start && at < end).map(({ kind }) => kind);
  return around.find((kind) => kind !== "quote") ?? (around.includes("quote") ? "quote" : "text");
};

/** Returns what the page's tree says of the character at this offset; null: the page does not format the text. */
function treeKindAt(content: string, at: number): string | null {
  const parsed = parseMarkdown({ content, mentions: [] });
  return parsed === null ? null : find(parsed.root, content, at, false);
}

function find(node: Nodes, content: string, at: number, isQuoted: boolean): string | null {
  const rest = isQuoted || node.type === "blockquote" ? "quote" : "text";
  if (node.type === "link" && content.charAt(node.position?.start.offset ?? 0) === "<")
    return hrefOf(node.url) === null ? rest : "address";
  const children = "children" in node ? (node.children as Nodes[]) : [];
  const child = children.find(({ position: p }) => at >= (p?.start.offset ?? 0) && at < (p?.end.offset ?? 0));
  if (child !== undefined) return find(child, content, at, rest === "quote");
  if (node.type === "code" || node.type === "inlineCode") return "code";
  if (node.type === "address") return "address";
  // The page shows a picture as it was written, so what is in its description is nothing yet.
  if (node.type === "image" && at < content.lastIndexOf("](", node.position?.end.offset)) return null;
  if (node.type === "link" || node.type === "image") return hrefOf(node.url) === null ? rest : "address";
  return rest;
}

const FORMS = [
  "@a",
  "@a",
  " ",
  "\n",
  "\n\n",
  "word",
  "`",
  "``",
  "`@a`",
  "``@a` @a``",
  "\\`",
  "\n```\n",
  "\n```js\n@a\n```\n",
  "\n~~~\n@a\n~~~\n",
  "https://x.example/@a",
  "<https://x.example/@a>",
  "[@a](https://x.example/@a)",
  "[x](https://x.example/@a 'title')",
  "[x](<https://x.example/@a>)",
  "![x](https://x.example/@a)",
  "(https://x.example/?q=@a)",
  "\n> ",
  "\n> @a",
  "\n> @a\n",
  "\n> > @a",
  "\n    @a",
  "\n\n    @a\n",
  "\n- @a",
  "\n- ",
  "\n1. @a",
  "\n# @a\n",
  "\n---\n",
  "*",
  "_@a_",
  ", ",
  "\n\t@a",
  "\t",
  "\n> - @a",
  "\n2. @a",
  "\n===\n",
  "\n  ",
  "> ",
  "- ",
  "HTTPS://x.example/(@a)",
  "\\",
  "\n> ```\n",
  "\n- ```\n",
  "![",
  "](",
  "](https://x.example)",
  "<@a>",
  "\n    - @a",
  "   ",
  "[",
  "]",
  "(",
  ")",
  "<",
  ">",
  "$",
  "~~",
  "|",
  "\n| a | b |\n| - | - |\n| @a | @a |\n",
  "\n| a |\n| - |\n| `@a` |\n",
  "\n| a |\n| - |\n| `@a \\| @a` |\n",
  "\n|`|`|\n|-|-|\n|`@a|@a`|\n",
  "\na | b\n- | -\n",
  " | ",
  "\\|",
  "\n| --- |\n",
  "\n| --- | --- |\n",
];

test("the server and the page agree on where an @ is code, an address or a quote (property)", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...FORMS), { maxLength: 14 }), (forms) => {
      const content = forms.join("");
      const parts = quietParts(content);
      for (let at = content.indexOf("@"); at !== -1; at = content.indexOf("@", at + 1)) {
        const wanted = treeKindAt(content, at);
        if (wanted !== null) expect({ content, at, kind: kindAt(parts, at) }).toEqual({ content, at, kind: wanted });
      }
    }),
    { numRuns: 1_000 },
  );
});
