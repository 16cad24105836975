import type { Root, RootContent } from "hast";
import type { Language } from "./languages.ts";

/** Colours code at once, however long it takes. */
export type Highlight = (language: Language, text: string) => Root;
/** `later`: there is no time for it now. */
export type Coloured = Root | "plain" | "later";

/** Code with more pieces than this stays plain: each is an element of the page. */
const PIECES_MAX = 1_500;
/** The longest time that colouring a block may be expected to take, in milliseconds. */
const BLOCK_MS = 50;
/** The time that all blocks together get, and how much of it comes back in a millisecond. */
const ALL_MS = 60;
const BACK = 0.2;
/** The lengths of the pieces that are coloured first, to find out how long the whole will take. */
const SAMPLES = [250, 1_000];
/** Shorter times are not measured well. */
const LEAST_MS = 1;
/** Blocks whose colours are kept: a list that scrolls shows the same ones again and again. */
const KEPT = 300;

/**
 * Colours blocks of code within a share of the page's time. A grammar may look from each character to the end of the
 * text, so a block that is made for it would take seconds, and nothing can stop it once it has begun. Therefore pieces of
 * the text are coloured first, and the whole only if they say that it will not take long.
 */
export class Colouring {
  readonly #highlight: Highlight;
  readonly #now: () => number;
  readonly #known = new Map<string, Root | "plain">();
  readonly #ready = new Set<Language>();
  #left = ALL_MS;
  #at: number;

  constructor(highlight: Highlight, now = () => performance.now()) {
    this.#highlight = highlight;
    this.#now = now;
    this.#at = now();
  }

  /** Returns code as a tree of pieces with classes, or that it stays as it is. */
  colour(language: Language, text: string): Coloured {
    const key = `${language} ${text}`;
    const known = this.#known.get(key);
    if (known === undefined && !this.#hasTime()) return "later";
    const coloured = known ?? this.#inTime(language, text);
    this.#known.delete(key);
    this.#known.set(key, coloured);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KEPT && oldest !== undefined) this.#known.delete(oldest);
    return coloured;
  }

  #hasTime(): boolean {
    const at = this.#now();
    this.#left = Math.min(ALL_MS, this.#left + BACK * (at - this.#at));
    this.#at = at;
    return this.#left > 0;
  }

  #inTime(language: Language, text: string): Root | "plain" {
    // The first use of a grammar builds it, which says nothing about the text.
    if (!this.#ready.has(language)) this.#highlight(language, "");
    this.#ready.add(language);
    const started = this.#now();
    const tree = this.#isCheap(language, text) ? this.#highlight(language, text) : "plain";
    this.#left -= this.#now() - started;
    return tree === "plain" || pieces(tree.children) > PIECES_MAX ? "plain" : tree;
  }

  /**
   * Colours the text in pieces, first in short and then in longer ones. For ordinary code both take the same time. A text
   * whose longer pieces take more time for each letter would take that much more again as a whole.
   */
  #isCheap(language: Language, text: string): boolean {
    let expected = 0;
    let before: number | undefined;
    for (const length of SAMPLES) {
      const times = text.length / length;
      if (times <= 1) break;
      const took = this.#inPieces(language, text, length);
      expected = before === undefined ? took : took * Math.max(1, took / before);
      if (expected > BLOCK_MS) return false;
      before = Math.max(took, LEAST_MS);
      // Even if the time grows with the cube of the length.
      if (before * times ** 2 <= BLOCK_MS) break;
    }
    return true;
  }

  /** Returns the milliseconds that it takes to colour the pieces; infinite if it takes too long for a block. */
  #inPieces(language: Language, text: string, length: number): number {
    const started = this.#now();
    for (let from = 0; from < text.length; from += length) {
      this.#highlight(language, text.slice(from, from + length));
      if (this.#now() - started > BLOCK_MS) return Infinity;
    }
    return this.#now() - started;
  }
}

function pieces(nodes: readonly RootContent[]): number {
  return nodes.reduce((sum, node) => sum + 1 + ("children" in node ? pieces(node.children) : 0), 0);
}
