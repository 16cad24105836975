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
const FENCE = "```";

/** Reads Rocket.Chat's Markdown as a tree. */
export const textTree = (markdown: string, names: Names): Root => ({
  type: "root",
  children: readText(markdown, names),
});

export function readText(markdown: string, names: Names): BlockContent[] {
  const rules: LineRules = { marks: MARKS, signs: SIGNS, special: (line, at) => special(line, at, names) };
  const read = (line: string) => readLine(line, rules);
  const isMe = ME.test(markdown);
  const lines = (isMe ? markdown.replace(ME, "") : markdown).split(/\r?\n/);
  const blocks = blocksOf(withClosedFences(lines), { line: read });
  return isMe ? blocks.map(inItalics) : blocks;
}

/** Code may end, and text go on, within a line. Fences of Markdown are on lines of their own. */
function withClosedFences(lines: readonly string[]): string[] {
  const split: string[] = [];
  let isCode = false;
  for (const line of lines) {
    const end = isCode ? line.indexOf(FENCE) : -1;
    if (end < 0) {
      split.push(line);
      isCode ||= line.trimStart().startsWith(FENCE) && line.split(FENCE).length === 2;
      continue;
    }
    const [code, rest] = [line.slice(0, end), line.slice(end + FENCE.length)];
    split.push(...(code.trim() === "" ? [] : [code]), FENCE, ...(rest.trim() === "" ? [] : [rest]));
    isCode = false;
  }
  return split;
}
