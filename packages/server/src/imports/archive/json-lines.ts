import { SourceError } from "../source.ts";
import { type Cleaning, LEVELS_MAX, parsedJson, VALUE_BYTES_MAX } from "./json-value.ts";

/** A line of a file of JSON lines. */
export interface JsonLine {
  readonly value: unknown;
  /** Its number in the file, from 1. */
  readonly number: number;
}

export interface JsonLines {
  /** The lines, some at a time. Blank ones are left out. */
  readonly lines: AsyncIterable<readonly JsonLine[]>;
  /** Characters that were replaced so far, because no text can have them: U+0000 and halves of pairs. */
  readonly replaced: () => number;
}

const [LINE_FEED, SPACE, QUOTE, BACKSLASH] = [0x0a, 0x20, 0x22, 0x5c];
const [OPEN, CLOSE, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const BYTE_ORDER_MARK = Uint8Array.of(0xef, 0xbb, 0xbf);

/**
 * Reads a file of JSON lines of any length: only one line is in memory as a whole. `where` names the file for messages.
 * `isWanted` decides by the bytes of a line; others are neither parsed nor checked. Errors: `SourceError`, with the line.
 */
export function readJsonLines(
  chunks: AsyncIterable<Uint8Array>,
  where: string,
  isWanted: (line: Uint8Array) => boolean = () => true,
): JsonLines {
  const cleaning: Cleaning = { replaced: 0 };
  return { lines: linesOf(chunks, where, isWanted, cleaning), replaced: () => cleaning.replaced };
}

async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  where: string,
  isWanted: (line: Uint8Array) => boolean,
  cleaning: Cleaning,
): AsyncGenerator<JsonLine[]> {
  let number = 0;
  for await (const lines of splitLines(chunks, where)) {
    const found: JsonLine[] = [];
    for (const line of lines) {
      number += 1;
      const bytes = number === 1 ? withoutMark(line) : line;
      if (isBlank(bytes) || !isWanted(bytes)) continue;
      refuseDeep(bytes, where, number);
      found.push({ value: parsedJson(bytes, where, `line ${number}`, cleaning), number });
    }
    if (found.length > 0) yield found;
  }
}

/** Splits a file at its line feeds. What is returned is valid until the next step only. */
async function* splitLines(chunks: AsyncIterable<Uint8Array>, where: string): AsyncGenerator<Uint8Array[]> {
  let [begun, length, number]: [Uint8Array[], number, number] = [[], 0, 1];
  for await (const chunk of chunks) {
    const lines: Uint8Array[] = [];
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      const rest = chunk.subarray(from, end);
      refuseLong(length + rest.length, where, number);
      lines.push(begun.length === 0 ? rest : Buffer.concat([...begun, rest]));
      [begun, length, from] = [[], 0, end + 1];
      number += 1;
    }
    const rest = chunk.subarray(from);
    length += rest.length;
    refuseLong(length, where, number);
    // The chunk may be used again for the next bytes.
    if (rest.length > 0) begun.push(Uint8Array.from(rest));
    if (lines.length > 0) yield lines;
  }
  if (length > 0) yield [Buffer.concat(begun)];
}

function refuseLong(length: number, where: string, number: number): void {
  if (length <= VALUE_BYTES_MAX) return;
  throw new SourceError(
    `${where} has a line of more than 32 MiB (line ${number}). Parley cannot read such a large one: take it out of the file.`,
  );
}

const withoutMark = (line: Uint8Array): Uint8Array =>
  BYTE_ORDER_MARK.every((byte, at) => line[at] === byte) ? line.subarray(BYTE_ORDER_MARK.length) : line;

const isBlank = (line: Uint8Array): boolean => line.every((byte) => byte <= SPACE);

/** The engine's parser reads any depth, and needs much memory for it. */
function refuseDeep(line: Uint8Array, where: string, number: number): void {
  let depth = 0;
  for (let at = 0; at < line.length; at += 1) {
    const byte = line[at];
    if (byte === QUOTE) at = endOfString(line, at + 1);
    else if (byte === OPEN || byte === OPEN_OBJECT) depth += 1;
    else if (byte === CLOSE || byte === CLOSE_OBJECT) depth -= 1;
    if (depth <= LEVELS_MAX) continue;
    throw new SourceError(`${where} is invalid: line ${number} has more than ${LEVELS_MAX} levels. Export again.`);
  }
}

/** Returns the place of the quote that ends a string; the length if there is none. */
function endOfString(line: Uint8Array, from: number): number {
  let at = from;
  while (at < line.length && line[at] !== QUOTE) at += line[at] === BACKSLASH ? 2 : 1;
  return at;
}
