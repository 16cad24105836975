import { SourceError } from "../source.ts";
import { LEVELS_MAX, VALUE_BYTES_MAX } from "./json-value.ts";

const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const NULL = [0x6e, 0x75, 0x6c, 0x6c];

/** Where the reading is: what may come next. */
type State = "start" | "mark" | "null" | "open" | "value" | "after" | "comma" | "end";

type Found = (bytes: Uint8Array, at: number) => void;

/** Returns where the next quote, bracket or comma is; the length if there is none. */
function nextMark(bytes: Uint8Array, from: number, length: number): number {
  let at = from;
  while (at < length) {
    const byte = bytes[at];
    if (byte === QUOTE || byte === COMMA || byte === OPEN || byte === CLOSE) break;
    if (byte === OPEN_OBJECT || byte === CLOSE_OBJECT) break;
    at += 1;
  }
  return at;
}

/** Cuts the bytes of a JSON array, which arrive in chunks, into those of its elements. It does not check these. */
export class ArrayCutter {
  readonly #where: string;
  #state: State = "start";
  /** Bytes of a byte order mark or of `null` that were read. */
  #letters = 0;
  /** The bytes that are not done with: the beginning of an element, and the chunk. */
  #bytes = new Uint8Array(64 * 1024);
  #length = 0;
  /** Where the element begins in `bytes`, and where the reading goes on. */
  #start = 0;
  #at = 0;
  /** Bytes of the file before `bytes`. */
  #before = 0;
  #depth = 0;
  #inString = false;
  #isEscaped = false;

  /** `where` names the file for messages. */
  constructor(where: string) {
    this.#where = where;
  }

  cut(chunk: Uint8Array, found: Found): void {
    this.#append(chunk);
    while (this.#at < this.#length) {
      if (this.#state === "value") this.#readValue(found);
      else this.#readBetween(this.#bytes[this.#at] ?? 0);
    }
  }

  end(): void {
    const isNull = this.#state === "null" && this.#letters === NULL.length;
    if (this.#state !== "end" && !isNull) throw this.#problem("it is cut off", this.#length);
  }

  #append(chunk: Uint8Array): void {
    const from = this.#state === "value" ? this.#start : this.#at;
    this.#bytes.copyWithin(0, from, this.#length);
    this.#before += from;
    this.#length -= from;
    this.#at -= from;
    this.#start = 0;
    const needed = this.#length + chunk.length;
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = needed;
  }

  /** Reads one byte that belongs to no element. */
  #readBetween(byte: number): void {
    const next = this.#stateAfter(byte);
    if (next === undefined) throw this.#problem("it has a character that is not expected there", this.#at);
    this.#state = next;
    if (next === "value") this.#start = this.#at;
    else this.#at += 1;
  }

  #stateAfter(byte: number): State | undefined {
    const isSpace = byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
    switch (this.#state) {
      case "mark":
        this.#letters += 1;
        if (byte !== BYTE_ORDER_MARK[this.#letters - 1]) return undefined;
        return this.#letters === BYTE_ORDER_MARK.length ? "start" : "mark";
      case "null":
        if (this.#letters === NULL.length) return isSpace ? "null" : undefined;
        this.#letters += 1;
        return byte === NULL[this.#letters - 1] ? "null" : undefined;
      case "start":
        this.#letters = 1;
        if (byte === BYTE_ORDER_MARK[0] && this.#before + this.#at === 0) return "mark";
        if (byte === NULL[0]) return "null";
        return isSpace ? "start" : byte === OPEN ? "open" : undefined;
      case "open":
        return isSpace ? "open" : byte === CLOSE ? "end" : "value";
      case "after":
        return isSpace ? "after" : byte === COMMA ? "comma" : byte === CLOSE ? "end" : undefined;
      case "comma":
        return isSpace ? "comma" : byte === COMMA || byte === CLOSE ? undefined : "value";
      default:
        return isSpace ? this.#state : undefined;
    }
  }

  /** Reads on to the end of the element, or to the end of the chunk. */
  #readValue(found: Found): void {
    const [bytes, length] = [this.#bytes, this.#length];
    let at = this.#at;
    while (at < length) {
      at = this.#inString ? this.#endOfString(bytes, at, length) : nextMark(bytes, at, length);
      if (at >= length) break;
      if (this.#inString) this.#inString = false;
      else if (this.#readMark(bytes[at] ?? 0, at, found)) return;
      at += 1;
    }
    this.#at = length;
    this.#refuseSize(length);
  }

  /** Returns where the string ends, or the length if that is in a later chunk. */
  #endOfString(bytes: Uint8Array, from: number, length: number): number {
    let at = from;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      at += 1;
    }
    while (at < length) {
      const byte = bytes[at];
      if (byte === QUOTE) return at;
      at += byte === BACKSLASH ? 2 : 1;
    }
    this.#isEscaped = at > length;
    return length;
  }

  /** Returns true if the element ended. */
  #readMark(byte: number, at: number, found: Found): boolean {
    if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN) this.#open(at);
    else if (byte === CLOSE_OBJECT || byte === CLOSE) {
      // The bracket that closes the list ends a number or word in it.
      if (this.#depth === 0) return this.#give(at, found);
      this.#depth -= 1;
      if (this.#depth === 0) return this.#give(at + 1, found);
    } else if (this.#depth === 0) return this.#give(at, found);
    return false;
  }

  #open(at: number): void {
    this.#depth += 1;
    // The list itself is the first level.
    if (this.#depth >= LEVELS_MAX) throw this.#problem(`it has more than ${LEVELS_MAX} levels`, at);
  }

  #give(end: number, found: Found): true {
    this.#refuseSize(end);
    found(this.#bytes.subarray(this.#start, end), this.#before + this.#start);
    this.#at = end;
    this.#state = "after";
    return true;
  }

  #refuseSize(end: number): void {
    if (end - this.#start <= VALUE_BYTES_MAX) return;
    throw new SourceError(
      `${this.#where} has a value of more than 32 MiB at byte ${this.#before + this.#start}. Parley cannot read such a large one: take it out of the file.`,
    );
  }

  #problem(what: string, at: number): SourceError {
    return new SourceError(`${this.#where} is no valid JSON list: ${what} (byte ${this.#before + at}). Export again.`);
  }
}
