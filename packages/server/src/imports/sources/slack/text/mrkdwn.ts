import type { BlockContent, PhrasingContent, Root } from "mdast";
import { quoteOf } from "../../text/blocks.ts";
import { paragraphsOf } from "../../text/paragraphs.ts";
import { inlineOf } from "./inline.ts";
import { type SlackNames, wordsInCode } from "./references.ts";

const FENCE = "```";
/** Slack encodes the sign of a quote. Three of them quote all that follows. */
const QUOTE = /^(?:&gt;|>) ?/;
const QUOTE_ALL = /^(?:&gt;){3}|^>>>/;

/** Reads Slack's mrkdwn as a tree of Markdown. Nothing in code is a mark; entities are decoded once. */
export const textTree = (mrkdwn: string, names: SlackNames): Root => ({
  type: "root",
  children: blocksOf(mrkdwn, names),
});

/** Reads mrkdwn as blocks, which a quote may contain. */
export function blocksOf(mrkdwn: string, names: SlackNames): BlockContent[] {
  const blocks: BlockContent[] = [];
  for (const [at, part] of partsOf(mrkdwn).entries()) {
    if (at % 2 === 0) blocks.push(...linesOf(part.split("\n"), names));
    else if (part.trim() !== "") blocks.push({ type: "code", value: wordsInCode(part.replace(/^\n|\n$/g, "")) });
  }
  return blocks;
}

/** Splits a text at its fences: text, code, text and so on. A fence that nothing closes is text. */
function partsOf(mrkdwn: string): string[] {
  const parts = mrkdwn.split(FENCE);
  const last = parts.length % 2 === 0 ? parts.splice(-2).join(FENCE) : undefined;
  return last === undefined ? parts : [...parts, last];
}

function linesOf(lines: readonly string[], names: SlackNames): BlockContent[] {
  const read = (line: string): PhrasingContent[] => inlineOf(line, names);
  const blocks: BlockContent[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    if (QUOTE_ALL.test(line)) {
      const rest = [line.replace(QUOTE_ALL, ""), ...lines.slice(at + 1)];
      return [...blocks, ...quoteOf(paragraphsOf(rest, read))];
    }
    const isQuote = QUOTE.test(line);
    let end = at + 1;
    while (end < lines.length && QUOTE.test(lines[end] ?? "") === isQuote) end += 1;
    const group = lines.slice(at, end);
    if (isQuote) {
      const inner = group.map((each) => each.replace(QUOTE, ""));
      blocks.push(...quoteOf(paragraphsOf(inner, read)));
    } else blocks.push(...paragraphsOf(group, read));
    at = end;
  }
  return blocks;
}
