import type { Term } from "../db/search-index/search-index.ts";
import { isSingle, type Token, tokenize } from "./index/words.ts";

/** Why a query cannot be run, in words for the user. */
export class QueryProblem {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export interface Range {
  /** UTF-16 units, as in mentions. */
  offset: number;
  length: number;
}

/** A shorter prefix would match a tenth of all words. */
const PREFIX_MIN = 3;
const TERMS_MAX = 20;
const PICTOGRAPH = /\p{Extended_Pictographic}/u;

/**
 * Parses a typed query: words that must all occur, `"phrases"`, and `prefix*`. Nothing else has a meaning: operators
 * are separators, and an unclosed quote ends with the text.
 */
export function parseQuery(text: string): readonly Term[] | QueryProblem {
  const terms = new Map<string, Term>();
  for (const { 1: phrase, 2: word = "" } of text.matchAll(/"([^"]*)(?:"|$)|([^\s"]+)/g)) {
    const wantsPrefix = phrase === undefined && /[^*]\*+$/.test(word);
    const found = termOf(phrase ?? word, wantsPrefix);
    if (found instanceof QueryProblem) return found;
    for (const term of found) terms.set(JSON.stringify(term), term);
  }
  if (terms.size === 0) return new QueryProblem("The search must contain a letter, a digit or an emoji.");
  if (terms.size > TERMS_MAX) return new QueryProblem(`A search may have at most ${TERMS_MAX} words.`);
  return [...terms.values()];
}

function termOf(text: string, wantsPrefix: boolean): Term[] | QueryProblem {
  const tokens = tokenize(text);
  const words = tokens.filter(({ text }) => !isSingle(text)).map(({ text }) => text);
  const last = words.at(-1);
  if (last === undefined) return [];
  if (tokens.some(({ text }) => text === `.${last}`)) return endingInRun(words, last);
  if (!wantsPrefix || PICTOGRAPH.test(last)) return [exact(words)];
  if ([...last].length < PREFIX_MIN) {
    return new QueryProblem(`A prefix such as conf* needs at least ${PREFIX_MIN} characters before the *.`);
  }
  return [{ tokens: words, isPrefix: true }];
}

/**
 * Returns the terms for a query that ends in one character of a run without spaces: in a message the run may continue,
 * so the character may not occur alone there.
 */
function endingInRun(words: readonly string[], last: string): Term[] {
  const before = words.slice(0, -1);
  const pair = before.at(-1);
  const isInPair = pair !== undefined && pair !== last && pair.endsWith(last);
  return [...(before.length > 0 ? [exact(before)] : []), ...(isInPair ? [] : [exact([`.${last}`])])];
}

const exact = (tokens: readonly string[]): Term => ({ tokens, isPrefix: false });

/** Returns the places of the terms in a text, in order and without overlaps; null when a term does not occur. */
export function findTerms(terms: readonly Term[], text: string): Range[] | null {
  const tokens = tokenize(text);
  const found: Range[] = [];
  for (const term of terms) {
    const before = found.length;
    for (let at = 0; at + term.tokens.length <= tokens.length; at++) {
      if (!standsAt(term, tokens, at)) continue;
      const [first, last] = [tokens[at], tokens[at + term.tokens.length - 1]];
      if (first === undefined || last === undefined) continue;
      found.push({ offset: first.offset, length: last.offset + last.length - first.offset });
    }
    if (found.length === before) return null;
  }
  return merged(found);
}

function standsAt({ tokens: wanted, isPrefix }: Term, tokens: readonly Token[], at: number): boolean {
  return wanted.every((word, index) => {
    const text = tokens[at + index]?.text;
    return text === word || (isPrefix && index === wanted.length - 1 && text?.startsWith(word) === true);
  });
}

function merged(ranges: Range[]): Range[] {
  const result: Range[] = [];
  for (const range of ranges.sort((a, b) => a.offset - b.offset)) {
    const last = result.at(-1);
    if (last === undefined || range.offset > last.offset + last.length) result.push({ ...range });
    else last.length = Math.max(last.length, range.offset + range.length - last.offset);
  }
  return result;
}
