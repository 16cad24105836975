import type { Hit, Mention, Text } from "./text.ts";

/** A piece of a node's value. */
export type Piece = { kind: "text" | "hit"; text: string } | { kind: "mention"; text: string; name: string };

/**
 * Where mentions and hits are in a message. The parser reads a text in which each letter of a mention is a letter of
 * its own from a private area of Unicode, one that the message does not contain: so no letter of a mention is Markdown,
 * offsets stay, and mentions are found again wherever the parser puts them.
 */
export interface Marks {
  /** The content as the parser reads it. */
  masked: string;
  /** Splits a value, which is in the content at these offsets, into text, mentions and hits. */
  split(value: string, start: number, end: number): Piece[];
  /** Restores a value that is not shown in pieces. */
  restore(value: string): string;
  /** Returns how many letters of a value belong to mentions. */
  count(value: string): number;
}

const FIRST_PRIVATE = 0xe000;
const PRIVATE = /[\ue000-\uf8ff]/g;
const PRIVATE_RUNS = /([\ue000-\uf8ff])\1*/g;
const REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|\w{1,31});/iy;

export function marksOf({ content, mentions }: Text, hits: readonly Hit[] = []): Marks {
  const masks = new Map<string, Mention>();
  let masked = "";
  for (const mention of apart(mentions, content.length)) {
    const letter = unusedLetter(content, masks);
    if (letter === null) break;
    masks.set(letter, mention);
    masked += content.slice(masked.length, mention.offset) + letter.repeat(mention.length);
  }
  masked += content.slice(masked.length);

  const original = ({ offset, length }: Mention, shown: number) =>
    content.slice(offset, offset + Math.min(length, shown));
  const restore = (value: string) =>
    value.replaceAll(PRIVATE_RUNS, (run, letter: string) => {
      const mention = masks.get(letter);
      return mention === undefined ? run : original(mention, run.length);
    });
  const split = (value: string, start: number, end: number): Piece[] => {
    const isHit = hits.length === 0 ? () => false : hitsIn(value, masked.slice(start, end), start, hits);
    const pieces: Piece[] = [];
    let at = 0;
    for (const { 0: run, 1: letter = "", index } of value.matchAll(PRIVATE_RUNS)) {
      const mention = masks.get(letter);
      if (mention === undefined) continue;
      pieces.push(...partsOf(value, at, index, isHit));
      pieces.push({ kind: "mention", text: original(mention, run.length), name: mention.name });
      at = index + run.length;
    }
    return [...pieces, ...partsOf(value, at, value.length, isHit)];
  };
  const count = (value: string) => [...value.matchAll(PRIVATE)].filter(([letter]) => masks.has(letter)).length;
  return { masked, split, restore, count };
}

/** Returns those mentions, from the first, that are within the text and do not overlap an earlier one. */
function apart(mentions: readonly Mention[], length: number): Mention[] {
  let end = 0;
  return mentions
    .toSorted((one, other) => one.offset - other.offset)
    .filter((mention) => {
      const fits = mention.offset >= end && mention.length > 0 && mention.offset + mention.length <= length;
      if (fits) end = mention.offset + mention.length;
      return fits;
    });
}

function unusedLetter(content: string, masks: ReadonlyMap<string, unknown>): string | null {
  for (let code = FIRST_PRIVATE; code < 0xf900; code++) {
    const letter = String.fromCharCode(code);
    if (!masks.has(letter) && !content.includes(letter)) return letter;
  }
  return null;
}

function partsOf(value: string, start: number, end: number, isHit: (at: number) => boolean): Piece[] {
  const pieces: Piece[] = [];
  for (let at = start; at < end; ) {
    const hit = isHit(at);
    let next = at + 1;
    while (next < end && isHit(next) === hit) next++;
    pieces.push({ kind: hit ? "hit" : "text", text: value.slice(at, next) });
    at = next;
  }
  return pieces;
}

/**
 * Returns which characters of a node's value belong to hits. The source has more characters than the value: fences,
 * escapes, character references, and the marks of quotes and lists at the beginnings of lines.
 */
function hitsIn(value: string, source: string, start: number, hits: readonly Hit[]): (at: number) => boolean {
  const offsets: number[] = [];
  let from = 0;
  for (let at = 0; at < value.length; at++) {
    REFERENCE.lastIndex = from;
    const reference = value[at] === "&" ? null : REFERENCE.exec(source);
    const found = reference === null ? source.indexOf(value.charAt(at), from) : from;
    // A character that is not in the source as it is cannot be found.
    if (found === -1) continue;
    offsets[at] = start + found;
    from = found + (reference?.[0].length ?? 1);
  }
  return (at) => {
    const place = offsets[at] ?? -1;
    return hits.some(({ offset, length }) => place >= offset && place < offset + length);
  };
}
