import { SourceError } from "../source.ts";
import { type Cleaning, endOfString, LEVELS_MAX, parsedJson, VALUE_BYTES_MAX } from "./json-value.ts";

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

const [LINE_FEED, SPACE, QUOTE] = [0x0a, 0x20, 0x22];
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
  const cutter = new LineCutter(where);
  const reader =
    (found: JsonLine[]): Found =>
    (bytes, number) => {
      if (isBlank(bytes) || !isWanted(bytes)) return;
      refuseDeep(bytes, where, number);
      found.push({ value: parsedJson(bytes, where, `line ${number}`, cleaning), number });
    };
  for await (const chunk of chunks) {
    const found: JsonLine[] = [];
    // The bytes of a line are dropped before its value is used: both together may be too large.
    cutter.cut(chunk, reader(found));
    if (found.length > 0) yield found;
  }
  const last: JsonLine[] = [];
  cutter.end(reader(last));
  yield last;
}

type Found = (line: Uint8Array, number: number) => void;

/** Cuts bytes, which arrive in chunks, at their line feeds. */
class LineCutter {
  readonly #where: string;
  /** The parts of the line that has begun. */
  #begun: Uint8Array[] = [];
  #length = 0;
  #number = 1;

  /** `where` names the file for messages. */
  constructor(where: string) {
    this.#where = where;
  }

  cut(chunk: Uint8Array, found: Found): void {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      this.#add(chunk.subarray(from, end));
      this.#give(found);
      from = end + 1;
    }
    this.#add(chunk.subarray(from));
    // The chunk may be used again for the next bytes.
    const last = this.#begun.pop();
    if (last !== undefined) this.#begun.push(Uint8Array.from(last));
  }

  end(found: Found): void {
    if (this.#length > 0) this.#give(found);
  }

  #add(part: Uint8Array): void {
    this.#length += part.length;
    refuseLong(this.#length, this.#where, this.#number);
    if (part.length > 0) this.#begun.push(part);
  }

  #give(found: Found): void {
    const line = joined(this.#begun, this.#length);
    this.#length = 0;
    this.#number += 1;
    found(this.#number === 2 ? withoutMark(line) : line, this.#number - 1);
  }
}

/** Returns the bytes of the parts, of which none is left: both together may be too large. */
function joined(parts: Uint8Array[], length: number): Uint8Array {
  const [first = new Uint8Array()] = parts;
  const line = parts.length <= 1 ? first : new Uint8Array(length);
  let at = 0;
  if (parts.length > 1)
    for (const part of parts) {
      line.set(part, at);
      at += part.length;
    }
  parts.length = 0;
  return line;
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
