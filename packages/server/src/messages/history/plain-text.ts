import type { ChatMessage } from "@parley/protocol/models";

type Mentions = ChatMessage["mentions"];

const FENCE = /^[ \t>]*(`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6}[ \t]+/;
const TABLE_RULE = /^[ \t|:-]*-[ \t|:-]*$/;
const ADDRESS = /https?:\/\/[^\s<>"'`|[\]()]+/iy;
const AUTOLINK = /<(?:https?:\/\/|mailto:)[^\s<>]*>/iy;
const DESTINATION = /\]\((?:<[^<>\n]*>|[^\s()<]*(?:\([^\s()]*\)[^\s()]*)*)([ \t]+"[^"\n]*")?\)/y;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const TRAILING = /[.,;:!?*_~]+$/;
const RUN = /([*_~])\1*/y;
const WORD = /[\p{L}\p{N}_]/u;

/**
 * Removes the marks of Markdown from a text, for clients that show text as it is: of headings, emphasis, code and links,
 * whose address follows in parentheses. Marks of lists and quotes and the bars of tables stay, and so do mentions, with
 * offsets in the new text. It is no parser, so that it is linear in the length: it looks at one line at a time.
 */
export function plainText({ content, mentions }: { content: string; mentions: Mentions }) {
  const text = new Stripping(content, mentions);
  let fence = "";
  for (let start = 0; start < content.length; ) {
    const newline = content.indexOf("\n", start);
    const end = newline === -1 ? content.length : newline;
    const line = content.slice(start, end);
    const mark = FENCE.exec(line)?.[1] ?? "";
    if (fence === "" ? mark !== "" : mark.startsWith(fence)) {
      fence = fence === "" ? mark : "";
      text.dropLine(start, end);
    } else if (fence === "") {
      if (line.includes("|") && TABLE_RULE.test(line)) text.dropLine(start, end);
      else text.stripLine(start + (HEADING.exec(line)?.[0].length ?? 0), start, end);
    }
    start = end + 1;
  }
  return text.result();
}

/** The same for a list of messages in JSON. */
export function withoutMarkdown(messagesJson: string): string {
  const messages = JSON.parse(messagesJson) as ChatMessage[];
  return JSON.stringify(messages.map((message) => ({ ...message, ...plainText(message) })));
}

/** Marks which characters of a text go; each that stays is one character of the result. */
class Stripping {
  readonly #content: string;
  readonly #mentions: Mentions;
  readonly #letters: string[];
  readonly #isKept: Uint8Array;

  constructor(content: string, mentions: Mentions) {
    this.#content = content;
    this.#mentions = mentions;
    this.#letters = content.split("");
    this.#isKept = new Uint8Array(content.length);
    for (const { offset, length } of mentions) this.#isKept.fill(1, offset, offset + length);
  }

  result(): { content: string; mentions: Mentions } {
    const before = new Uint32Array(this.#letters.length + 1);
    for (const [at, letter] of this.#letters.entries()) before[at + 1] = (before[at] ?? 0) + letter.length;
    return {
      content: this.#letters.join("").replace(/\n+$/, ""),
      mentions: this.#mentions.map((mention) => ({ ...mention, offset: before[mention.offset] ?? 0 })),
    };
  }

  #drop(start: number, end: number): void {
    for (let at = start; at < end; at++) if (this.#isKept[at] === 0) this.#letters[at] = "";
  }

  /** Drops a line with its end, the last one with the end before it. */
  dropLine(start: number, end: number): void {
    if (end < this.#content.length) this.#drop(start, end + 1);
    else this.#drop(Math.max(start - 1, 0), end);
  }

  /** Strips a line, which begins at `first`, from `start` on. */
  stripLine(start: number, first: number, end: number): void {
    this.#drop(first, start);
    const content = this.#content;
    const ticks = ticksIn(content, start, end);
    /** Where runs of emphasis have begun, and the last open bracket. */
    const open = new Map<string, number>();
    let bracket = -1;
    for (let at = start; at < end; ) {
      const letter = content.charAt(at);
      if (this.#isKept[at] === 1) at++;
      else if (letter === "\\" && PUNCTUATION.test(content.charAt(at + 1))) {
        this.#drop(at, at + 1);
        at += 2;
      } else if (letter === "`") {
        const { length } = runAt(content, at);
        const close = ticks.next(length, at + length);
        if (close !== -1) {
          this.#drop(at, at + length);
          this.#drop(close, close + length);
        }
        at = close === -1 ? at + length : close + length;
      } else if (letter === "[") {
        bracket = at++;
      } else if (letter === "]" && bracket !== -1) {
        at = this.#stripLink(bracket, at);
        bracket = -1;
      } else if (letter === "<" || letter === "h" || letter === "H") {
        at = this.#stripAddress(letter, at);
      } else if (letter === "*" || letter === "_" || letter === "~") {
        const run = runAt(content, at);
        this.#stripEmphasis(run, at, open);
        at += run.length;
      } else at++;
    }
  }

  /** Makes `text (address)` of a link, and of a picture, with its text. Returns where to go on. */
  #stripLink(bracket: number, at: number): number {
    const content = this.#content;
    DESTINATION.lastIndex = at;
    const found = DESTINATION.exec(content);
    if (found === null) return at + 1;
    const { 0: link, 1: title = "" } = found;
    const end = at + link.length;
    const address = link.slice(2, -1 - title.length).replace(/^<(.*)>$/, "$1");
    this.#drop(content[bracket - 1] === "!" ? bracket - 1 : bracket, bracket + 1);
    if (address === "" || content.slice(bracket + 1, at) === address) this.#drop(at, end);
    else {
      if (this.#isKept[at] === 0) this.#letters[at] = " ";
      this.#drop(end - 1 - title.length, end - 1);
      if (content[at + 2] === "<") {
        this.#drop(at + 2, at + 3);
        this.#drop(end - 2 - title.length, end - 1 - title.length);
      }
    }
    return end;
  }

  #stripAddress(letter: string, at: number): number {
    const pattern = letter === "<" ? AUTOLINK : ADDRESS;
    pattern.lastIndex = at;
    const found = pattern.exec(this.#content)?.[0] ?? "";
    if (found === "") return at + 1;
    if (letter !== "<") return at + Math.max(found.replace(TRAILING, "").length, 1);
    this.#drop(at, at + 1);
    this.#drop(at + found.length - 1, at + found.length);
    return at + found.length;
  }

  #stripEmphasis(run: string, at: number, open: Map<string, number>): void {
    const isMark = run.startsWith("~") ? run.length === 2 : run.length <= 3;
    if (!isMark) return;
    const [before, after] = [this.#content.charAt(at - 1), this.#content.charAt(at + run.length)];
    const isUnderscore = run.startsWith("_");
    const begun = open.get(run);
    if (begun !== undefined && /\S/.test(before) && !(isUnderscore && WORD.test(after))) {
      this.#drop(begun, begun + run.length);
      this.#drop(at, at + run.length);
      // Marks that begin within the emphasis cannot end after it.
      for (const [other, place] of open) if (place >= begun) open.delete(other);
    } else if (/\S/.test(after) && !(isUnderscore && WORD.test(before))) open.set(run, at);
  }
}

function runAt(content: string, at: number): string {
  const letter = content.charAt(at);
  if (letter !== "`") {
    RUN.lastIndex = at;
    return RUN.exec(content)?.[0] ?? letter;
  }
  let end = at;
  while (content[end] === "`") end++;
  return content.slice(at, end);
}

/** The runs of backticks of a line by their length. */
function ticksIn(content: string, start: number, end: number): { next(length: number, from: number): number } {
  const places = new Map<number, number[]>();
  for (let at = content.indexOf("`", start); at !== -1 && at < end; ) {
    const { length } = runAt(content, at);
    const list = places.get(length);
    if (list === undefined) places.set(length, [at]);
    else list.push(at);
    at = content.indexOf("`", at + length);
  }
  return {
    next(length, from) {
      // Callers go forward, so that what was passed is not needed again.
      const list = places.get(length) ?? [];
      const left = list.findIndex((place) => place >= from);
      list.splice(0, left === -1 ? list.length : left);
      return list[0] ?? -1;
    },
  };
}
