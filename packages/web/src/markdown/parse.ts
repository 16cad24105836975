import { TooMuchWork } from "@parley/protocol/parse-budget";
import type { Definition, Nodes, Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmStrikethroughFromMarkdown } from "mdast-util-gfm-strikethrough";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTaskListItemFromMarkdown } from "mdast-util-gfm-task-list-item";
import { cjkFriendlyExtension } from "micromark-extension-cjk-friendly";
import { gfmStrikethrough } from "micromark-extension-gfm-strikethrough";
import { gfmTable } from "micromark-extension-gfm-table";
import { gfmTaskListItem } from "micromark-extension-gfm-task-list-item";
import { countNames } from "../emoji/emoji-names.ts";
import { hrefOf } from "./address.ts";
import { budget } from "./budget.ts";
import { countLinks } from "./found-links.ts";
import { type Marks, marksOf } from "./marks.ts";
import { SYNTAX, SYNTAX_NODES } from "./syntax.ts";
import type { Hit, Text } from "./text.ts";

/** A text as Markdown. */
export interface Parsed {
  root: Root;
  /** Where the mentions are in the values of the nodes. */
  marks: Marks;
  /** The addresses of links that are written elsewhere in the text. */
  definitions: ReadonlyMap<string, Definition>;
  /** The definitions that need not be shown: links lead to their addresses, and they say nothing else. */
  hidden: ReadonlySet<Definition>;
  /** The levels of its headings, ascending. */
  levels: readonly number[];
}

/** No message is longer: those of bots that were made for Telegram have up to 16,384 units. */
const LENGTH_MAX = 16_384;
/** Quotes, lists, emphases and links within each other. */
export const NESTING_MAX = 16;
const NESTING: ReadonlySet<string> = new Set(["blockquote", "list", "emphasis", "strong", "delete", "link"]);
/** More than 16 quotes and list items on a line: the parser need not see it. */
const DEEP_LINE = /^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))){17}/m;

/** Without `cjkFriendlyExtension`, `**重点：**请看` would not be bold: CommonMark wants a blank after the punctuation. */
const EXTENSIONS = [
  cjkFriendlyExtension(),
  gfmTable(),
  gfmStrikethrough({ singleTilde: false }),
  gfmTaskListItem(),
  SYNTAX,
];
const NODES = [gfmTableFromMarkdown(), gfmStrikethroughFromMarkdown(), gfmTaskListItemFromMarkdown(), SYNTAX_NODES];

/**
 * The largest number of nodes of a message. Each node becomes at least one element in every reader's page. The longest
 * message of ordinary Markdown has two thirds of this number.
 */
export const NODES_MAX = 1_200;
/** Nodes that become many elements count as so many. */
const WEIGHTS: Partial<Record<Nodes["type"], number>> = { code: 8, table: 4, link: 2, linkReference: 2 };

/**
 * Parses CommonMark and GFM, without HTML and footnotes. Returns null if the text is nested too deep, costs too much or
 * has too many nodes.
 */
export function parseMarkdown(text: Text, hits: readonly Hit[] = []): Parsed | null {
  if (text.content.length > LENGTH_MAX || DEEP_LINE.test(text.content)) return null;
  const marks = marksOf(text, hits);
  const root = parseWithin(marks.masked);
  if (root === null) return null;
  const definitions = new Map<string, Definition>();
  const used = new Set<string>();
  const levels = new Set<number>();
  let nodes = 0;
  const isShallow = walk(root, 0, (node) => {
    nodes += WEIGHTS[node.type] ?? 1;
    if (node.type === "text") nodes += 2 * countLinks(node.value) + countNames(node.value);
    if (node.type === "definition" && !definitions.has(node.identifier)) definitions.set(node.identifier, node);
    if (node.type === "heading") levels.add(node.depth);
    if (node.type === "linkReference") used.add(node.identifier);
  });
  if (!isShallow || nodes > NODES_MAX) return null;
  const isHidden = (definition: Definition) => used.has(definition.identifier) && isAddressOnly(definition, marks);
  const hidden = new Set([...definitions.values()].filter(isHidden));
  return { root, marks, definitions, hidden, levels: [...levels].toSorted() };
}

/** True if a definition is the address of a link: it has no title, and mentions nobody. */
function isAddressOnly({ url, title, position }: Definition, { masked, count, restore }: Marks): boolean {
  const source = masked.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);
  return hrefOf(restore(url)) !== null && title == null && count(source) === 0;
}

/** Parses within a budget; null: it was not enough. */
export function parseWithin(text: string, { extension } = budget()): Root | null {
  try {
    return fromMarkdown(text, { extensions: [...EXTENSIONS, extension], mdastExtensions: NODES });
  } catch (error) {
    if (error instanceof TooMuchWork) return null;
    throw error;
  }
}

/** Visits all nodes; returns false if they are nested too deep. */
function walk(node: Nodes, depth: number, visit: (node: Nodes) => void): boolean {
  const inner = NESTING.has(node.type) ? depth + 1 : depth;
  if (inner > NESTING_MAX) return false;
  visit(node);
  return !("children" in node) || node.children.every((child) => walk(child, inner, visit));
}
