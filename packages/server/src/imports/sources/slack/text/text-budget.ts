import { TooMuchWork } from "@parley/protocol/parse-budget";
import type { BlockContent, Nodes, Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { PageBudget } from "../../../../telegram/text/page-budget.ts";
import { slackBlocks } from "../../../../webhooks/incoming/forms/slack.ts";
import { CharacterBudget } from "../../character-budget.ts";
import type { Fields } from "../../fields.ts";

/** Characters of one block that are read as Markdown, and of all blocks of a message. The rest is plain text. */
const BLOCK_MARKDOWN_MAX = 8_000;
const MARKDOWN_MAX = 40_000;
/** Nobody nests quotes and lists so deep. Such a text is plain. */
const NESTING_MAX = 40;
/** How far before the limit the end of a line or word may be. */
const NEAR = 1_000;
/** Longer white space costs much in the patterns that read blocks, and hardly says anything. */
const WHITE_SPACE_MAX = 40;

/** Limits the cost of the texts, blocks and attachments of one message, together. */
export class TextBudget extends CharacterBudget {
  readonly #page: PageBudget;
  #markdown = MARKDOWN_MAX;

  constructor(page = new PageBudget()) {
    super();
    this.#page = page;
  }

  /** Reads a block as those of incoming webhooks are read, which gives Markdown. */
  block(block: Fields): BlockContent[] {
    const counted = { characters: 0 };
    const short = withShortSpaces(block, counted) as Fields;
    if (!this.fits(counted.characters)) return [];
    const markdown = this.take(slackBlocks([short]));
    const cut = cutOf(markdown, Math.min(BLOCK_MARKDOWN_MAX, this.#markdown));
    const head = markdown.slice(0, cut);
    this.#markdown -= cut;
    return [...(this.#parsed(head) ?? plainBlocks(head)), ...plainBlocks(markdown.slice(cut))];
  }

  /** Returns null if the text is nested too deep or costs the parser too much. */
  #parsed(markdown: string): BlockContent[] | null {
    if (markdown === "") return [];
    const budget = this.#page.next(markdown);
    if (budget === null) return null;
    try {
      const root: Root = fromMarkdown(markdown, { extensions: [budget.extension] });
      return isDeeper(root, NESTING_MAX) ? null : (root.children as BlockContent[]);
    } catch (error) {
      if (error instanceof TooMuchWork) return null;
      throw error;
    } finally {
      this.#page.spend(budget);
    }
  }
}

/** Returns where to cut a text: at the end of a line or word, if there is one near. */
function cutOf(text: string, max: number): number {
  if (text.length <= max) return text.length;
  for (const sign of ["\n", " "]) {
    const end = text.lastIndexOf(sign, max);
    if (end > Math.max(0, max - NEAR)) return end;
  }
  const isPair = /^[\ud800-\udbff]$/.test(text.charAt(max - 1));
  return isPair ? max - 1 : max;
}

const isDeeper = (node: Nodes, levels: number): boolean =>
  levels === 0 || ("children" in node && node.children.some((child) => isDeeper(child, levels - 1)));

function plainBlocks(text: string): BlockContent[] {
  const lines = text.split("\n").map((line) => line.trim());
  const paragraphs = lines.join("\n").split(/\n{2,}/);
  return paragraphs
    .map((words) => words.trim())
    .filter(Boolean)
    .map((value) => ({ type: "paragraph", children: [{ type: "text", value }] }));
}

/** Copies a value of JSON, and counts the characters of its texts. */
function withShortSpaces(value: unknown, counted: { characters: number }): unknown {
  if (typeof value === "string") {
    counted.characters += value.length;
    return value.replace(/\s+/g, (run) => run.slice(0, WHITE_SPACE_MAX));
  }
  if (Array.isArray(value)) return value.map((item) => withShortSpaces(item, counted));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withShortSpaces(field, counted)]));
}
