import { addressAt, hrefOf } from "./addresses.ts";

/** A part of a text in which a mention notifies nobody. Offsets count UTF-16 units. */
export interface QuietPart {
  /** In code and addresses an `@` is no mention; in a quote it is one that notifies nobody. */
  kind: "code" | "address" | "quote";
  start: number;
  end: number;
}

/** A piece of a paragraph: a line without the marks of quotes and lists. */
export interface InlineText {
  /** Its offset in the message. */
  start: number;
  text: string;
}

const BACKTICKS = /`+/g;
const AUTOLINK = /<(?:[a-z][a-z\d+.-]{1,31}:[^\s<>\0-\x20]*|[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d.-]+)>/iy;
const FORMULA = /(?:\$\$[^$\n]{1,396}\$\$|\$(?![\s$])(?:[^$\\\n]|\\[^\n]){0,397}(?<![\s\\])\$(?![\d$]))/y;
const RESOURCE =
  /\([ \t\n]*(?:<([^<>\n]*)>|((?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))*))(?:[ \t\n]+(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?[ \t\n]*\)/sy;
const SPECIAL = /[\\`<$hH[\]]/g;
const WORD = /\w/;
const ESCAPED = /[!-/:-@[-`{-~]/;
/** How many addresses that are none are read to their end, which keeps hostile texts linear. */
const BROKEN_MAX = 50;

/** Finds code and addresses in a paragraph. */
export function quietInline(pieces: readonly InlineText[]): QuietPart[] {
  const text = pieces.map((piece) => piece.text).join("\n");
  const found: QuietPart[] = [];
  const add = (kind: QuietPart["kind"], start: number, end: number) => {
    found.push({ kind, start: start + shiftAt(pieces, start), end: end + shiftAt(pieces, end - 1) });
  };
  const runs = runsOf(text);
  let openBrackets = 0;
  let broken = 0;
  SPECIAL.lastIndex = 0;
  for (let special = SPECIAL.exec(text); special !== null; special = SPECIAL.exec(text)) {
    const at = special.index;
    const skip = (end: number) => {
      SPECIAL.lastIndex = end;
    };
    const [mark] = special;
    if (mark === "\\") skip(ESCAPED.test(text.charAt(at + 1)) ? at + 2 : at + 1);
    else if (mark === "`") {
      const { length, closes } = runs.take(at);
      if (closes !== null) add("code", at, closes);
      skip(closes ?? at + length);
    } else if (mark === "<") {
      const link = matchAt(AUTOLINK, text, at);
      if (link === null) continue;
      const address = link[0].slice(1, -1);
      if (hrefOf(address.includes(":") ? address : `mailto:${address}`) !== null)
        add("address", at, at + link[0].length);
      skip(at + link[0].length);
    } else if (mark === "[") openBrackets += 1;
    else if (mark === "]") {
      const resource = openBrackets > 0 ? matchAt(RESOURCE, text, at + 1) : null;
      openBrackets = Math.max(0, openBrackets - 1);
      if (resource === null) continue;
      openBrackets = 0;
      const end = at + 1 + resource[0].length;
      if (hrefOf(resource[1] ?? resource[2] ?? "") !== null) add("address", at + 1, end);
      skip(end);
    } else if (at > 0 && (WORD.test(text.charAt(at - 1)) || text.charAt(at - 1) === "$")) continue;
    else if (mark === "$") {
      const formula = matchAt(FORMULA, text, at);
      if (formula !== null) skip(at + formula[0].length);
    } else if (broken < BROKEN_MAX && /^https?:\/\//i.test(text.slice(at, at + 8))) {
      const address = addressAt(text.slice(at));
      if (address === "") broken += 1;
      else {
        add("address", at, at + address.length);
        skip(at + address.length);
      }
    }
  }
  return found;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Returns what to add to an offset in the paragraph for the one in the message. */
function shiftAt(pieces: readonly InlineText[], at: number): number {
  let from = 0;
  for (const { start, text } of pieces) {
    if (at <= from + text.length) return start - from;
    from += text.length + 1;
  }
  return 0;
}

/** The runs of backticks of a paragraph; each is asked for at most once, in order. */
function runsOf(text: string) {
  const byLength = new Map<number, number[]>();
  const lengths = new Map<number, number>();
  for (const { 0: run, index } of text.matchAll(BACKTICKS)) {
    lengths.set(index, run.length);
    const same = byLength.get(run.length);
    if (same === undefined) byLength.set(run.length, [index]);
    else same.push(index);
  }
  return {
    /** Returns the length of the run there, and the end of the next run of that length; null: there is none. */
    take(at: number): { length: number; closes: number | null } {
      const length = lengths.get(at) ?? /^`*/.exec(text.slice(at))?.[0].length ?? 1;
      const same = byLength.get(length) ?? [];
      while (same.length > 0 && (same[0] ?? 0) <= at) same.shift();
      const next = same[0];
      return { length, closes: next === undefined ? null : next + length };
    },
  };
}
