import type { BlockContent, Root } from "mdast";
import { type BlockRules, blocksOf, quoteOf } from "../../text/blocks.ts";
import { type LineRules, readLine } from "../../text/line-reader.ts";
import { inItalics } from "../../text/paragraphs.ts";
import { uploadOf } from "../zulip-files.ts";
import { type Names, SIGNS, special } from "./specials.ts";

const MARKS: LineRules["marks"] = [
  { sign: "**", type: "strong", isInWords: true },
  { sign: "*", type: "emphasis", isInWords: false },
  { sign: "~~", type: "delete", isInWords: true },
];
const ME = /^\/me /;
/** A line that only has a link to a file says nothing besides. */
const ONLY_FILES = /^\s*(?:!?\[[^[\]\n]{0,500}\]\(([^()\s]{1,4000})\)\s*){1,20}$/;

/** Reads Zulip's Markdown as a tree. Files that it links are noted in `names.uploads`. */
export const textTree = (markdown: string, names: Names): Root => ({
  type: "root",
  children: readText(markdown, names),
});

export function readText(markdown: string, names: Names): BlockContent[] {
  const rules: LineRules = { marks: MARKS, signs: SIGNS, special: (line, at) => special(line, at, names) };
  const read = (line: string) => {
    const nodes = readLine(line, rules);
    const [, url = ""] = ONLY_FILES.exec(line) ?? [];
    return uploadOf(url) === undefined ? nodes : nodes.filter(({ type }) => type !== "text");
  };
  const blocks: BlockRules = {
    line: read,
    fence,
    hasIndentedCode: true,
    isContainer: (info) => /^(?:quote|spoiler)\b/.test(info),
  };
  const isMe = ME.test(markdown);
  const tree = blocksOf((isMe ? markdown.replace(ME, "") : markdown).split("\n"), blocks);
  return isMe ? tree.map(inItalics) : tree;
}

/** A spoiler is shown: its title, and the text that it hides. */
const fence: BlockRules["fence"] = (info, lines, read) => {
  if (info === "quote") return quoteOf(read(lines));
  if (!/^spoiler\b/.test(info)) return null;
  const title = info.replace(/^spoiler\s*/, "");
  return [...(title === "" ? [] : read([title])), ...read(lines)];
};
