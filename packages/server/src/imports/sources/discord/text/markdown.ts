import type { BlockContent, List, ListItem } from "mdast";
import { inlineOf } from "./inline.ts";
import type { TextContext } from "./references.ts";

const FENCE = "```";
const LANGUAGE = /^([\w+#.-]{1,32})\n/;
const QUOTE = /^> /;
/** Quotes all that follows. */
const QUOTE_ALL = /^>>> /;
const HEADING = /^(#{1,3})\s+(\S.*)$/;
/** A line in small letters, which CommonMark does not have. */
const SMALL = /^-#\s+/;
const ITEM = /^(\s{0,20})([-*]|\d{1,9}\.)\s+(\S.*)$/;
/** Deeper lists are of this level. */
const LIST_LEVELS = 6;

/** Reads Discord's Markdown as blocks. Nothing in code is a mark. */
export const blocksOf = (markdown: string, context: TextContext): BlockContent[] =>
  sectionsOf(markdown.replace(/\r\n?/g, "\n")).flatMap(({ isQuote, lines }) => {
    const children = blocksIn(lines.join("\n"), context);
    return isQuote && children.length > 0 ? [{ type: "blockquote" as const, children }] : children;
  });

/** Lines that are quoted, or not. */
interface Section {
  readonly isQuote: boolean;
  readonly lines: string[];
}

/** A quote may contain code, and code what looks like a quote. */
function sectionsOf(markdown: string): Section[] {
  const sections: Section[] = [];
  const lines = markdown.split("\n");
  let fences = countOfFences(markdown);
  let isCode = false;
  for (const [at, line] of lines.entries()) {
    if (!isCode && QUOTE_ALL.test(line)) {
      return [...sections, { isQuote: true, lines: [line.replace(QUOTE_ALL, ""), ...lines.slice(at + 1)] }];
    }
    const isQuote = !isCode && QUOTE.test(line);
    if (sections.at(-1)?.isQuote !== isQuote) sections.push({ isQuote, lines: [] });
    sections.at(-1)?.lines.push(isQuote ? line.replace(QUOTE, "") : line);
    const own = countOfFences(line);
    fences -= own;
    // A fence that nothing closes is text.
    if (!isQuote && own % 2 === 1) isCode = !isCode && fences > 0;
  }
  return sections;
}

const countOfFences = (text: string): number => text.split(FENCE).length - 1;

function blocksIn(markdown: string, context: TextContext): BlockContent[] {
  const blocks: BlockContent[] = [];
  for (const [at, part] of partsOf(markdown).entries()) {
    if (at % 2 === 0) blocks.push(...blocksOfLines(part.split("\n"), context));
    else if (part.trim() !== "") blocks.push(codeOf(part));
  }
  return blocks;
}

/** Splits a text at its fences: text, code, text and so on. A fence that nothing closes is text. */
function partsOf(markdown: string): string[] {
  const parts = markdown.split(FENCE);
  const last = parts.length % 2 === 0 ? parts.splice(-2).join(FENCE) : undefined;
  return last === undefined ? parts : [...parts, last];
}

function codeOf(part: string): BlockContent {
  const [all = "", lang = null] = LANGUAGE.exec(part) ?? [];
  return { type: "code", lang, value: part.slice(all.length).replace(/^\n+|\n+$/g, "") };
}

function blocksOfLines(lines: readonly string[], context: TextContext): BlockContent[] {
  const blocks: BlockContent[] = [];
  for (let at = 0; at < lines.length; ) {
    const kind = kindOf(lines[at] ?? "");
    let end = at + 1;
    while (kind !== "heading" && end < lines.length && kindOf(lines[end] ?? "") === kind) end += 1;
    blocks.push(...blockOf(kind, lines.slice(at, end), context));
    at = end;
  }
  return blocks;
}

type Kind = "blank" | "heading" | "list" | "text";

function kindOf(line: string): Kind {
  if (line.trim() === "") return "blank";
  if (HEADING.test(line)) return "heading";
  return ITEM.test(line) ? "list" : "text";
}

function blockOf(kind: Kind, lines: readonly string[], context: TextContext): BlockContent[] {
  if (kind === "blank") return [];
  if (kind === "list") return listsOf(lines.map(itemOf), context);
  if (kind === "heading") {
    const [, signs = "", words = ""] = HEADING.exec(lines[0] ?? "") ?? [];
    return [{ type: "heading", depth: signs.length as 1 | 2 | 3, children: inlineOf(words.trim(), context) }];
  }
  // White space at the edges of a line says nothing in Markdown.
  const text = lines.map((line) => line.replace(SMALL, "").trim()).join("\n");
  const children = inlineOf(text, context);
  return children.length === 0 ? [] : [{ type: "paragraph", children }];
}

interface Item {
  readonly level: number;
  /** The number of an item of an ordered list. */
  readonly number: number | null;
  readonly text: string;
}

function itemOf(line: string): Item {
  const [, indent = "", sign = "", text = ""] = ITEM.exec(line) ?? [];
  const number = /^\d/.test(sign) ? Number.parseInt(sign, 10) : null;
  return { level: Math.min(Math.floor(indent.length / 2), LIST_LEVELS), number, text: text.trim() };
}

/** Makes lists of items: another one begins where numbers begin or end. Items that are deeper belong to those before. */
function listsOf(items: readonly Item[], context: TextContext): List[] {
  const lists: List[] = [];
  for (let at = 0; at < items.length; ) {
    const { level, number, text } = items[at] as Item;
    let end = at + 1;
    while (end < items.length && (items[end]?.level ?? 0) > level) end += 1;
    const inner = listsOf(items.slice(at + 1, end), context);
    const own: ListItem["children"] = [{ type: "paragraph", children: inlineOf(text, context) }];
    const item: ListItem = { type: "listItem", spread: false, children: [...own, ...inner] };
    const last = lists.at(-1);
    if (last?.ordered === (number !== null)) last.children.push(item);
    else lists.push({ type: "list", ordered: number !== null, start: number, spread: false, children: [item] });
    at = end;
  }
  return lists;
}
