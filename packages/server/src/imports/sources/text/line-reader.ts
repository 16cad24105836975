import type { PhrasingContent } from "mdast";
import { characterAfter, characterBefore, isSpace } from "./inline-text.ts";
import { MarkedLine } from "./marked-line.ts";

/** A sign before and after words that changes how they look. */
export interface Mark {
  readonly sign: string;
  readonly type: "strong" | "emphasis" | "delete";
  /** True: it may be within a word, too. */
  readonly isInWords: boolean;
}

/** What was read at a place, and where the reading goes on. */
export interface Found {
  readonly nodes: readonly PhrasingContent[];
  readonly end: number;
}

export interface LineRules {
  /** Longer signs are before shorter ones with the same beginning. */
  readonly marks: readonly Mark[];
  /** The other characters that may begin something. */
  readonly signs: string;
  /** Reads what a sign begins; null if it is text. */
  special(line: string, at: number): Found | null;
}

const WORD = /[\p{L}\p{N}\p{M}]/u;

/** Reads the marks of one line. Nothing in code is a mark. The work is in proportion to the line. */
export function readLine(line: string, rules: LineRules): PhrasingContent[] {
  const read = new MarkedLine();
  const code = new CodeSpans(line);
  const signs = new Set([...rules.signs, "`", ...rules.marks.map(({ sign }) => sign.charAt(0))]);
  let from = 0;
  for (let at = 0; at < line.length; ) {
    if (!signs.has(line.charAt(at))) {
      at += 1;
      continue;
    }
    read.text(line.slice(from, at));
    from = at = readSign(line, at, { read, code, rules });
  }
  read.text(line.slice(from));
  return read.end();
}

interface Reading {
  readonly read: MarkedLine;
  readonly code: CodeSpans;
  readonly rules: LineRules;
}

/** Reads what begins here, and returns where the next thing does. */
function readSign(line: string, at: number, { read, code, rules }: Reading): number {
  const found = line[at] === "`" ? code.at(at) : rules.special(line, at);
  if (found !== null) {
    for (const node of found.nodes) read.add(node);
    return found.end;
  }
  const mark = markAt(line, at, rules.marks, read);
  if (mark !== undefined) return readMark(line, at, mark, read);
  read.text(line.charAt(at));
  return at + 1;
}

/** Of `***`, the mark that was opened last ends first. */
function markAt(line: string, at: number, marks: readonly Mark[], read: MarkedLine): Mark | undefined {
  const fitting = marks.filter(({ sign }) => line.startsWith(sign, at));
  const isThree = line.startsWith((line[at] ?? "").repeat(3), at);
  const last = isThree ? fitting.find(({ sign }) => sign === read.last) : undefined;
  return last ?? fitting[0];
}

function readMark(line: string, at: number, { sign, type, isInWords }: Mark, read: MarkedLine): number {
  const end = at + sign.length;
  const [before, after] = [characterBefore(line, at), characterAfter(line, end)];
  const mayClose = !isSpace(before) && (isInWords || !WORD.test(after));
  const mayOpen = !isSpace(after) && (isInWords || !WORD.test(before));
  if (mayClose && read.isOpen(sign)) read.close(sign, type);
  else if (mayOpen) read.open(sign);
  else read.text(sign);
  return end;
}

/** Finds code in a line: what is between two runs of as many backticks. */
class CodeSpans {
  readonly #line: string;
  /** Where runs of this length begin, the last one first. */
  readonly #runs = new Map<number, number[]>();

  constructor(line: string) {
    this.#line = line;
    for (const { index, 0: run } of [...line.matchAll(/`+/g)].reverse()) {
      const places = this.#runs.get(run.length) ?? [];
      places.push(index);
      this.#runs.set(run.length, places);
    }
  }

  /** Reads the code that begins here; a run that nothing closes is text. */
  at(at: number): Found {
    let end = at;
    while (this.#line[end] === "`") end += 1;
    const places = this.#runs.get(end - at) ?? [];
    while ((places.at(-1) ?? at + 1) <= at) places.pop();
    const close = places.at(-1);
    const value = close === undefined ? "" : this.#line.slice(end, close).trim();
    if (close === undefined || value === "") return { nodes: [text(this.#line.slice(at, end))], end };
    return { nodes: [{ type: "inlineCode", value }], end: close + (end - at) };
  }
}

const text = (value: string): PhrasingContent => ({ type: "text", value });
