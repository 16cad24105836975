import type { BlockContent, PhrasingContent, Root, Text } from "mdast";
import { gfmStrikethroughToMarkdown } from "mdast-util-gfm-strikethrough";
import { type Options, toMarkdown } from "mdast-util-to-markdown";
import { type Entity, type Formatted, inOrder } from "./formatted.ts";

declare module "mdast" {
  /** Text that is written as it is: a mention, a web address, a character that is escaped already. */
  interface Verbatim extends Literal {
    type: "verbatim";
  }
  interface PhrasingContentMap {
    verbatim: Verbatim;
  }
  interface RootContentMap {
    verbatim: Verbatim;
  }
}
declare module "mdast-util-to-markdown" {
  interface ConstructNameMap {
    verbatim: "verbatim";
  }
}

const PLAIN: Options = {
  // An underscore never joins the asterisks of a bold neighbour.
  emphasis: "_",
  bullet: "-",
  fences: true,
  listItemIndent: "one",
  extensions: [gfmStrikethroughToMarkdown()],
  handlers: { verbatim: ({ value }: { value: string }) => value },
  // The page reads tables besides CommonMark.
  unsafe: [
    { atBreak: true, character: "|" },
    { atBreak: true, character: ":", after: "-" },
    // The printer's own rules read the line break after a sign, and then miss the sign after it.
    { atBreak: true, character: "-" },
    { atBreak: true, character: "+" },
    { atBreak: true, character: "=" },
    { atBreak: true, before: "\\d+", character: "." },
    { atBreak: true, before: "\\d+", character: ")" },
  ],
};
const WITH_DOLLARS: Options = {
  ...PLAIN,
  unsafe: [...(PLAIN.unsafe ?? []), { character: "$", inConstruct: "phrasing" }],
};
/** A text that the page could take for a formula. */
const FORMULA = /\$[^$]+\$/;

/** Marks within a line, an outer one before those within it. */
const INLINE = ["text_link", "bold", "italic", "strikethrough", "code"] as const;
/** Marks that fill whole lines, and so end a paragraph. */
const BLOCKS: ReadonlySet<string> = new Set(["pre", "blockquote"]);
const BLANK_LINES = /\n\s*\n/g;
const TOKEN = /@[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_.-]*[\p{L}\p{M}\p{N}])?|https?:\/\/[^\s<>]+/gu;
/** Characters of an address that CommonMark could read as marks. */
const RISKY = /[*_~`[\]\\&$]/;

/** Converts text with marks to CommonMark, in which the text shows as it was sent (protocol §15.4). */
export function markdownOf({ text, entities }: Formatted): string {
  const root: Root = {
    type: "root",
    children: blocksOf(
      text,
      entities.flatMap((entity) => tidied(text, entity)),
    ),
  };
  return toMarkdown(root, FORMULA.test(text) ? WITH_DOLLARS : PLAIN).replace(/\n$/, "");
}

/** White space moves out of a mark: CommonMark knows none at its edges. What is outside of the text is left out. */
function tidied(text: string, entity: Entity): Entity[] {
  const start = Math.max(0, Math.trunc(entity.offset));
  const end = Math.min(text.length, start + Math.max(0, Math.trunc(entity.length)));
  if (!BLOCKS.has(entity.type) && !(INLINE as readonly string[]).includes(entity.type)) return [];
  const inner = text.slice(start, end);
  const trimmed = entity.type === "pre" ? inner.replace(/^\n+|\n+$/g, "") : inner.trim();
  if (trimmed === "" || (entity.type === "text_link" && !isLink(entity.url))) return [];
  return [{ ...entity, offset: start + inner.indexOf(trimmed), length: trimmed.length }];
}

const isLink = (url: unknown): boolean => typeof url === "string" && /^(?:https?|mailto|tel):/i.test(url);

function blocksOf(text: string, entities: readonly Entity[]): BlockContent[] {
  const found: BlockContent[] = [];
  let from = 0;
  const plain = (to: number) => found.push(...paragraphsOf(text, from, to, entities));
  for (const { type, offset, length, language } of inOrder(entities.filter((entity) => BLOCKS.has(entity.type)))) {
    if (offset < from) continue;
    plain(offset);
    from = offset + length;
    if (type === "pre") {
      const lang = language === undefined ? null : language.replace(/[\s`]/g, "");
      found.push({ type: "code", lang: lang || null, value: text.slice(offset, from) });
    } else {
      const inner = entities.filter((entity) => entity.type !== "blockquote");
      found.push({ type: "blockquote", children: paragraphsOf(text, offset, from, inner) });
    }
  }
  plain(text.length);
  return found;
}

function paragraphsOf(text: string, from: number, to: number, entities: readonly Entity[]): BlockContent[] {
  const bounds: [number, number][] = [];
  let start = from;
  for (const { 0: gap, index } of text.slice(from, to).matchAll(BLANK_LINES)) {
    bounds.push([start, from + index]);
    start = from + index + gap.length;
  }
  bounds.push([start, to]);
  return bounds.flatMap(([first, last]): BlockContent[] => {
    const inner = text.slice(first, last);
    // Lines that are blank at the edges belong to the gap between the blocks.
    const trimmed = inner.replace(/^(?:[^\S\n]*\n)+|(?:\n[^\S\n]*)+$/g, "");
    if (trimmed.trim() === "") return [];
    const at = first + inner.indexOf(trimmed);
    return [{ type: "paragraph", children: inlineOf(text, at, at + trimmed.length, entities) }];
  });
}

/** A piece of a line whose characters have the same marks. */
interface Piece {
  from: number;
  to: number;
  marks: ReadonlyMap<string, Entity>;
}

function inlineOf(text: string, from: number, to: number, entities: readonly Entity[]): PhrasingContent[] {
  const here = entities
    .filter(({ type, offset, length }) => !BLOCKS.has(type) && offset < to && offset + length > from)
    .flatMap((entity) => within(text, entity, from, to));
  const cuts = new Set([from, to, ...here.flatMap(({ offset, length }) => [offset, offset + length])]);
  const sorted = [...cuts].toSorted((one, other) => one - other);
  const pieces = sorted.slice(0, -1).map((start, index): Piece => {
    const covering = here.filter(({ offset, length }) => offset <= start && offset + length > start);
    return {
      from: start,
      to: sorted[index + 1] ?? to,
      marks: new Map(covering.map((entity) => [entity.type, entity])),
    };
  });
  return separated(nested(text, pieces, 0));
}

/** Cuts an entity to a paragraph, and moves the white space at the cut out of it. */
function within(text: string, entity: Entity, from: number, to: number): Entity[] {
  const start = Math.max(entity.offset, from);
  return tidied(text, { ...entity, offset: start, length: Math.min(entity.offset + entity.length, to) - start });
}

function nested(text: string, pieces: readonly Piece[], level: number): PhrasingContent[] {
  const type = INLINE[level];
  if (type === undefined) return pieces.flatMap(({ from, to }) => plainOf(text.slice(from, to)));
  const nodes: PhrasingContent[] = [];
  for (let at = 0; at < pieces.length; ) {
    const mark = pieces[at]?.marks.get(type);
    let next = at + 1;
    while (next < pieces.length && sameMark(pieces[next]?.marks.get(type), mark)) next += 1;
    const group = pieces.slice(at, next);
    const [first, last] = [group[0]?.from ?? 0, group.at(-1)?.to ?? 0];
    if (mark === undefined) nodes.push(...nested(text, group, level + 1));
    else if (type === "code") nodes.push({ type: "inlineCode", value: text.slice(first, last).replaceAll("\n", " ") });
    else nodes.push(marked(mark, nested(text, group, level + 1)));
    at = next;
  }
  return nodes;
}

const sameMark = (one: Entity | undefined, other: Entity | undefined): boolean =>
  one?.type === other?.type && one?.url === other?.url;

function marked({ type, url }: Entity, children: PhrasingContent[]): PhrasingContent {
  if (type === "bold") return { type: "strong", children };
  if (type === "italic") return { type: "emphasis", children };
  if (type === "strikethrough") return { type: "delete", children };
  return { type: "link", url: url ?? "", children: children as Extract<PhrasingContent, { type: "link" }>["children"] };
}

/** Text in which mentions and web addresses stay as they are; everything else is escaped. */
function plainOf(text: string): PhrasingContent[] {
  const nodes: PhrasingContent[] = [];
  let from = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token.startsWith("@") && /[\p{L}\p{N}_.]$/u.test(text.slice(0, index))) continue;
    nodes.push(...escapable(text.slice(from, index)));
    const word = token.startsWith("@") ? token : token.replace(/[.,;:!?'")\]]+$/, "");
    nodes.push(wordOf(word));
    from = index + word.length;
  }
  nodes.push(...escapable(text.slice(from)));
  return nodes;
}

const UNDERSCORE = /(?<=[\u{10000}-\u{10ffff}])_|_(?=[\u{10000}-\u{10ffff}])/u;

/** The printer takes half of an emoji for a letter, and leaves an underscore beside it as it is. */
function escapable(text: string): PhrasingContent[] {
  return text.split(UNDERSCORE).flatMap((value, index): PhrasingContent[] => {
    const before: PhrasingContent[] = index === 0 ? [] : [{ type: "verbatim", value: "\\_" }];
    return value === "" ? before : [...before, { type: "text", value }];
  });
}

function wordOf(word: string): PhrasingContent {
  if (word.startsWith("@")) return { type: "verbatim", value: word };
  return RISKY.test(word)
    ? { type: "link", url: word, children: [{ type: "text", value: word }] }
    : { type: "verbatim", value: word };
}

const LETTER = /[^\s\p{P}\p{S}]/u;
const PUNCTUATION = /[\p{P}\p{S}]/u;
/** Characters of two units, such as emoji. */
const ASTRAL = /[\u{10000}-\u{10ffff}]/u;

/**
 * Escapes characters next to marks that would else begin or end nothing, such as a letter before two tildes and a
 * sign. The printer does so for bold and italic text, except with characters of two units, of which it sees half.
 */
function separated(nodes: PhrasingContent[]): PhrasingContent[] {
  return nodes.flatMap((node, index): PhrasingContent[] => {
    if (node.type !== "text") return [node];
    const [before, after] = [nodes[index - 1], nodes[index + 1]];
    const letters = [...node.value];
    const first = mustEscape(letters[0], before, "last") ? [coded(letters.shift())] : [];
    const last = letters.length > 0 && mustEscape(letters.at(-1), after, "first") ? [coded(letters.pop())] : [];
    const rest: Text[] = letters.length === 0 ? [] : [{ type: "text", value: letters.join("") }];
    return [...first, ...rest, ...last];
  });
}

function mustEscape(outer = "", mark: PhrasingContent | undefined, side: "first" | "last"): boolean {
  const inner = mark === undefined ? "" : edgeOf(mark, side);
  if (outer === "" || !PUNCTUATION.test(inner)) return false;
  if (mark?.type === "delete") return !ASTRAL.test(inner) && (LETTER.test(outer) || ASTRAL.test(outer));
  if (mark?.type !== "strong" && mark?.type !== "emphasis") return false;
  return ASTRAL.test(outer) || (ASTRAL.test(inner) && LETTER.test(outer));
}

const coded = (letter = ""): PhrasingContent => ({
  type: "verbatim",
  value: `&#x${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase()};`,
});

/** The first or last character that a node shows. Marks are signs. */
function edgeOf(node: PhrasingContent, side: "first" | "last"): string {
  if (node.type === "delete" || node.type === "strong" || node.type === "emphasis") {
    const inner = side === "first" ? node.children[0] : node.children.at(-1);
    if (inner === undefined) return "";
    return "children" in inner || inner.type === "inlineCode" ? "*" : edgeOf(inner, side);
  }
  if (node.type !== "text" && node.type !== "verbatim") return "*";
  return (side === "first" ? [...node.value][0] : [...node.value].at(-1)) ?? "";
}
