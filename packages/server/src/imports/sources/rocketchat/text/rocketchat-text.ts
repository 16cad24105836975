import type { BlockContent, Root } from "mdast";
import { blocksOf } from "../../text/blocks.ts";
import { type LineRules, readLine } from "../../text/line-reader.ts";
import { inItalics } from "../../text/paragraphs.ts";
import { type Names, SIGNS, special } from "./specials.ts";

/** Rocket.Chat's own single signs, and those of Markdown. */
const MARKS: LineRules["marks"] = [
  { sign: "**", type: "strong", isInWords: false },
  { sign: "*", type: "strong", isInWords: false },
  { sign: "__", type: "emphasis", isInWords: false },
  { sign: "_", type: "emphasis", isInWords: false },
  { sign: "~~", type: "delete", isInWords: false },
  { sign: "~", type: "delete", isInWords: false },
];
const ME = /^\/me /;

/** Reads Rocket.Chat's Markdown as a tree. */
export const textTree = (markdown: string, names: Names): Root => ({
  type: "root",
  children: readText(markdown, names),
});

export function readText(markdown: string, names: Names): BlockContent[] {
  const rules: LineRules = { marks: MARKS, signs: SIGNS, special: (line, at) => special(line, at, names) };
  const read = (line: string) => readLine(line, rules);
  const isMe = ME.test(markdown);
  const blocks = blocksOf((isMe ? markdown.replace(ME, "") : markdown).split("\n"), { line: read });
  return isMe ? blocks.map(inItalics) : blocks;
}
