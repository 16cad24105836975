import type { BlockContent, List, ListItem } from "mdast";
import { paragraphsOf, type ReadLine } from "./paragraphs.ts";

export interface BlockRules {
  readonly line: ReadLine;
  /** Reads a fence whose words after the sign mean more than a language; null if they do not. */
  fence?(
    info: string,
    lines: readonly string[],
    read: (lines: readonly string[]) => BlockContent[],
  ): BlockContent[] | null;
  /** True: what follows a blank line, four spaces further in, is code. */
  readonly hasIndentedCode?: true;
  /** True for a fence that may contain fences. */
  isContainer?(info: string): boolean;
}

/** Deeper quotes and lists are text. */
const DEEPEST = 8;
const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`\n]*)$/;
const QUOTE = /^ {0,3}> ?/;
const INDENTED = /^(?: {4}|\t)/;
const HEADING = /^(#{1,6})[ \t]+(\S.*)$/;
const ITEM = /^([ \t]*)(?:([-*+])|(\d{1,9})[.)])[ \t]+(?=\S)/;

/** Reads lines as blocks: fences, quotes, headings, lists and paragraphs. */
export function blocksOf(lines: readonly string[], rules: BlockRules, depth = 0): BlockContent[] {
  const blocks: BlockContent[] = [];
  let plain: string[] = [];
  // What is further in after a list belongs to the list.
  let isInList = false;
  const flush = (): void => {
    blocks.push(...paragraphsOf(plain, rules.line));
    plain = [];
  };
  for (let at = 0; at < lines.length; ) {
    const { found, end }: Block =
      rules.hasIndentedCode && !isInList && isIndentedCode(lines, at)
        ? indentedAt(lines, at)
        : depth < DEEPEST
          ? blockAt(lines, at, rules, depth)
          : { found: null, end: at + 1 };
    if (found === null) {
      const line = lines[at] ?? "";
      plain.push(line);
      isInList &&= isBlank(line) || INDENTED.test(line);
    } else {
      flush();
      blocks.push(...found);
      isInList = found.at(-1)?.type === "list";
    }
    at = end;
  }
  flush();
  return blocks;
}

interface Block {
  readonly found: BlockContent[] | null;
  readonly end: number;
}

function blockAt(lines: readonly string[], at: number, rules: BlockRules, depth: number): Block {
  const line = lines[at] ?? "";
  if (FENCE.test(line)) return fenceAt(lines, at, rules, depth);
  if (QUOTE.test(line)) return quoteAt(lines, at, rules, depth);
  if (ITEM.test(line)) return listAt(lines, at, rules);
  const [, signs = "", words = ""] = HEADING.exec(line) ?? [];
  if (signs === "") return { found: null, end: at + 1 };
  const children = rules.line(words.trim());
  return { found: [{ type: "heading", depth: signs.length as 1, children }], end: at + 1 };
}

const isBlank = (line: string): boolean => line.trim() === "";

function isIndentedCode(lines: readonly string[], at: number): boolean {
  const [before = "", line = ""] = [lines[at - 1], lines[at]];
  return INDENTED.test(line) && !isBlank(line) && isBlank(before);
}

function indentedAt(lines: readonly string[], at: number): Block {
  const isCode = (line: string): boolean => INDENTED.test(line) || isBlank(line);
  let end = at;
  while (end < lines.length && isCode(lines[end] ?? "")) end += 1;
  const code = lines.slice(at, end).map((line) => line.replace(INDENTED, ""));
  return { found: [{ type: "code", lang: null, value: code.join("\n").trimEnd() }], end };
}

/** A fence that nothing closes goes to the end. */
function fenceAt(lines: readonly string[], at: number, rules: BlockRules, depth: number): Block {
  const [, sign = "", info = ""] = FENCE.exec(lines[at] ?? "") ?? [];
  const name = info.trim();
  const end = endOfFence(lines, at + 1, sign, rules.isContainer?.(name) === true);
  const within = lines.slice(at + 1, end);
  const found = rules.fence?.(name, within, (inner) => blocksOf(inner, rules, depth + 1)) ?? null;
  if (found !== null) return { found, end: end + 1 };
  const lang = /^[\w+#.-]{1,40}/.exec(name)?.[0] ?? null;
  const value = within.join("\n").replace(/\n+$/, "");
  return { found: value.trim() === "" ? [] : [{ type: "code", lang, value }], end: end + 1 };
}

function endOfFence(lines: readonly string[], from: number, sign: string, isContainer: boolean): number {
  const inner: string[] = [];
  for (let at = from; at < lines.length; at += 1) {
    const [, found, info = ""] = FENCE.exec(lines[at] ?? "") ?? [];
    if (found === undefined) continue;
    const open = inner.at(-1) ?? sign;
    const closes = info.trim() === "" && found.charAt(0) === open.charAt(0) && found.length >= open.length;
    if (closes && inner.pop() === undefined) return at;
    if (!closes && isContainer && inner.length === 0) inner.push(found);
  }
  return lines.length;
}

function quoteAt(lines: readonly string[], at: number, rules: BlockRules, depth: number): Block {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end] ?? "")) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
  return { found: quoteOf(blocksOf(inner, rules, depth + 1)), end };
}

export const quoteOf = (children: BlockContent[]): BlockContent[] =>
  children.length === 0 ? [] : [{ type: "blockquote", children }];

/** A list ends with the first line that is neither an item nor further in than one. */
function listAt(lines: readonly string[], at: number, rules: BlockRules): Block {
  const root: { indent: number; list: List }[] = [];
  const found: BlockContent[] = [];
  let end = at;
  for (; end < lines.length; end += 1) {
    const line = lines[end] ?? "";
    const [marker, space = "", bullet, number] = ITEM.exec(line) ?? [];
    if (marker === undefined) {
      if (!addToItem(root.at(-1)?.list, line, rules)) break;
      continue;
    }
    const indent = space.replaceAll("\t", "    ").length;
    while (root.length > 0 && (root.at(-1)?.indent ?? 0) > indent) root.pop();
    const children = paragraphsOf([line.slice(marker.length)], rules.line);
    const item: ListItem = { type: "listItem", spread: false, children };
    const top = root.at(-1);
    const isSame = top !== undefined && top.list.ordered === (bullet === undefined);
    if (isSame && (indent - top.indent < 2 || root.length >= DEEPEST)) top.list.children.push(item);
    else {
      const list = newList(item, number);
      const parent = top !== undefined && indent - top.indent >= 2 ? top.list.children.at(-1)?.children : undefined;
      if (parent === undefined || root.length >= DEEPEST) {
        root.length = 0;
        found.push(list);
      } else parent.push(list);
      root.push({ indent, list });
    }
  }
  return { found, end };
}

const newList = (item: ListItem, number: string | undefined): List => ({
  type: "list",
  ordered: number !== undefined,
  start: number === undefined ? null : Number(number),
  spread: false,
  children: [item],
});

/** A line that is further in belongs to the item before it. */
function addToItem(list: List | undefined, line: string, { line: read }: BlockRules): boolean {
  if (list === undefined || !/^(?: {2,}|\t)\S/.test(line)) return false;
  const paragraph = list.children.at(-1)?.children.find(({ type }) => type === "paragraph");
  if (paragraph?.type !== "paragraph") return false;
  paragraph.children.push({ type: "text", value: "\n" }, ...read(line.trim()));
  return true;
}
