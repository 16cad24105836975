import { TooMuchWork } from "@parley/protocol/parse-budget";
import type { Nodes, PhrasingContent, Root, RootContent } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmStrikethroughFromMarkdown } from "mdast-util-gfm-strikethrough";
import { cjkFriendlyExtension } from "micromark-extension-cjk-friendly";
import { gfmStrikethrough } from "micromark-extension-gfm-strikethrough";
import { type Entity, type Formatted, inOrder } from "./formatted.ts";
import { PageBudget } from "./page-budget.ts";

/** A name in a text, as it is written there, and as the Bot API writes it. */
export interface NamedIn {
  /** With the at sign. */
  readonly source: string;
  /** Without it. */
  readonly username: string;
}

const EXTENSIONS = [
  cjkFriendlyExtension(),
  gfmStrikethrough({ singleTilde: false }),
  { disable: { null: ["htmlFlow", "htmlText"] } },
];
const NODES = [gfmStrikethroughFromMarkdown()];
/** Deeper texts are shown as they are. */
const NESTING_MAX = 16;
/** More than 16 quotes and list items on a line: the parser need not see it. */
const DEEP_LINE = /^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))){17}/m;
const TYPES = { strong: "bold", emphasis: "italic", delete: "strikethrough" } as const;
/** Marks in which nothing else is found. */
const WHOLE: ReadonlySet<string> = new Set(["code", "pre", "text_link", "url", "mention"]);
const ADDRESS = /https?:\/\/[^\s<>]+/g;
/** A command that goes on with the name of its bot. */
const COMMAND_BEGUN = /(?<![\w/@])\/[A-Za-z0-9_]{1,32}$/;
const COMMAND_BEGUN_MAX = 35;
const COMMAND = /(?<![\w/@])\/[A-Za-z0-9_]{1,32}(?:@\w{1,64})?(?![\w/])/g;

/** Converts CommonMark to text with marks (protocol §15.4). `names`: the mentions of the message. */
export function formattedOf(content: string, names: readonly NamedIn[] = [], page = new PageBudget()): Formatted {
  const writer = new Writer(content, names);
  const root = parseMarkdown(content, page);
  if (root === null) writer.plain(content);
  else writer.blocks(root.children, 0);
  return writer.result();
}

/** Parses a text; null if it is nested too deep or costs too much: then it shows as it is stored. */
export function parseMarkdown(content: string, page = new PageBudget()): Root | null {
  if (DEEP_LINE.test(content)) return null;
  const budget = page.next(content);
  if (budget === null) return null;
  try {
    return fromMarkdown(content, { extensions: [...EXTENSIONS, budget.extension], mdastExtensions: NODES });
  } catch (error) {
    if (error instanceof TooMuchWork) return null;
    throw error;
  } finally {
    page.spend(budget);
  }
}

class Writer {
  readonly #source: string;
  /** By how they are written in the text. */
  readonly #names: ReadonlyMap<string, NamedIn>;
  /** Finds the names in one pass; null: there are none. */
  readonly #name: RegExp | null;
  readonly #entities: Entity[] = [];
  #text = "";
  /** True if the last block fills whole lines by itself. */
  #isAfterBlock = false;

  constructor(source: string, names: readonly NamedIn[]) {
    this.#source = source;
    this.#names = new Map(names.map((name) => [name.source, name]));
    // A longer name first: `@Ann Lee` is not `@Ann`.
    const sources = [...this.#names.keys()].toSorted((one, other) => other.length - one.length);
    this.#name =
      sources.length === 0 ? null : new RegExp(sources.map((source) => RegExp.escape(source)).join("|"), "g");
  }

  result(): Formatted {
    const text = this.#text;
    const taken = new Uint8Array(text.length);
    const take = ({ offset, length }: Entity) => taken.fill(1, offset, offset + length);
    for (const entity of this.#entities) if (WHOLE.has(entity.type)) take(entity);
    /** Notes what is found in the finished text, unless it is code or part of a link. */
    const note = (type: string, offset: number, { length }: string) => {
      if (taken.subarray(offset, offset + length).includes(1)) return;
      const entity = { type, offset, length };
      this.#entities.push(entity);
      take(entity);
    };
    for (const { 0: found, index } of text.matchAll(ADDRESS)) note("url", index, found.replace(/[.,;:!?'")\]]+$/, ""));
    for (const { 0: found, index } of text.matchAll(COMMAND)) note("bot_command", index, found);
    return { text, entities: inOrder(this.#entities) };
  }

  blocks(nodes: readonly RootContent[], depth: number): void {
    for (const node of nodes) {
      const isBlock = node.type === "code" || node.type === "blockquote";
      if (this.#text !== "" && !this.#text.endsWith("\n")) this.#text += isBlock || this.#isAfterBlock ? "\n" : "\n\n";
      this.#block(node, depth);
      this.#isAfterBlock = isBlock;
    }
  }

  #block(node: RootContent, depth: number): void {
    const start = this.#text.length;
    if (node.type === "paragraph") this.#phrases(node.children);
    else if (node.type === "heading") {
      this.#phrases(node.children);
      this.#mark("bold", start);
    } else if (node.type === "code") {
      this.#text += node.value;
      this.#mark("pre", start, node.lang ? { language: node.lang } : {});
    } else if (node.type === "blockquote" && depth < NESTING_MAX) {
      this.#quote(node.children, depth, start);
    } else this.#text += this.#sliceOf(node);
  }

  #quote(children: readonly RootContent[], depth: number, start: number): void {
    const outer = this.#text;
    this.#text = "";
    const before = this.#entities.length;
    this.blocks(children, depth + 1);
    const inner = this.#entities.splice(before).map((entity) => ({ ...entity, offset: entity.offset + start }));
    this.#text = outer + this.#text;
    // Quotes within quotes are one: the Bot API has no others.
    this.#entities.push(...inner.filter(({ type }) => type !== "blockquote"));
    this.#mark("blockquote", start);
  }

  #phrases(nodes: readonly PhrasingContent[]): void {
    for (const node of nodes) this.#phrase(node);
  }

  #phrase(node: PhrasingContent): void {
    const start = this.#text.length;
    if (node.type === "text") this.plain(node.value);
    else if (node.type === "break") this.#text += "\n";
    else if (node.type === "inlineCode") {
      this.#text += node.value;
      this.#mark("code", start);
    } else if (node.type === "strong" || node.type === "emphasis" || node.type === "delete") {
      this.#phrases(node.children);
      this.#mark(TYPES[node.type], start);
    } else if (node.type === "link") {
      this.#phrases(node.children);
      const shown = this.#text.slice(start);
      if (shown === node.url) this.#mark("url", start);
      else this.#mark("text_link", start, { url: node.url });
    } else this.#text += this.#sliceOf(node);
  }

  /** Adds text, with the mentions in it as the Bot API writes them. */
  plain(value: string): void {
    let from = 0;
    for (const { 0: source, index } of this.#name === null ? [] : value.matchAll(this.#name)) {
      this.#text += value.slice(from, index);
      const start = this.#text.length;
      this.#text += `@${this.#names.get(source)?.username}`;
      // Clients look for the whole of `/command@bot`, which is found in the finished text.
      if (!COMMAND_BEGUN.test(this.#text.slice(Math.max(0, start - COMMAND_BEGUN_MAX), start)))
        this.#mark("mention", start);
      from = index + source.length;
    }
    this.#text += value.slice(from);
  }

  #mark(type: string, offset: number, more: Partial<Entity> = {}): void {
    const length = this.#text.length - offset;
    if (length > 0) this.#entities.push({ type, offset, length, ...more });
  }

  #sliceOf({ position }: Nodes): string {
    return this.#source.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);
  }
}
