import { SourceError } from "../source.ts";
import { type JsonKind, type JsonPath, JsonPlace } from "./json-place.ts";

const DEEPEST = 64;
const VALUE_BYTES_MAX = 32 * 1024 * 1024;
const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d];

export interface JsonValue {
  readonly path: JsonPath;
  readonly value: unknown;
}

export interface CutterOptions {
  /** Names the file for messages. */
  readonly where: string;
  readonly kind: JsonKind;
  /** True for the objects and lists whose parts are values of their own. */
  readonly enters: (path: JsonPath) => boolean;
  /** Reads the bytes of a value, or of the name of a field. */
  readonly parse: (bytes: Uint8Array, at: number) => unknown;
}

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

/** Cuts the bytes of a JSON document, which arrive in chunks, into those of its values, and has each of them read. */
export class JsonCutter {
  readonly #options: CutterOptions;
  readonly #place: JsonPlace;
  /** The bytes that are not done with: the beginning of a value, and the chunk. */
  #bytes = new Uint8Array(64 * 1024);
  #length = 0;
  /** Where the value or name begins in `bytes`, and where the reading goes on. */
  #start = 0;
  #at = 0;
  /** Bytes of the file before `bytes`. */
  #before = 0;
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #found: JsonValue[] = [];

  constructor(options: CutterOptions) {
    this.#options = options;
    this.#place = new JsonPlace(options.kind, options.enters);
  }

  /** Returns the values that end in this chunk. */
  cut(chunk: Uint8Array): JsonValue[] {
    this.#append(chunk);
    while (this.#at < this.#length) {
      if (this.#place.state === "value") this.#readValue();
      else if (this.#place.state === "name") this.#readName();
      else this.#readBetween(this.#bytes[this.#at] ?? 0);
    }
    return this.#taken();
  }

  /** Returns the value that ends with the document: one that is no list or object. */
  end(): JsonValue[] {
    const { state, levels, isNull } = this.#place;
    if (state === "value" && levels === 0 && this.#depth === 0 && !this.#inString) this.#give(this.#length);
    else if (isNull) this.#found.push({ path: [], value: null });
    else if (state !== "end") throw this.#problem("it is cut off", this.#length);
    return this.#taken();
  }

  #taken(): JsonValue[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #append(chunk: Uint8Array): void {
    const { state } = this.#place;
    const from = state === "value" || state === "name" ? this.#start : this.#at;
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

  /** Reads one byte that belongs to no value. */
  #readBetween(byte: number): void {
    const isTaken = this.#place.take(byte, this.#before + this.#at === 0);
    if (!isTaken) throw this.#problem("it has a character that is not expected there", this.#at);
    const { state } = this.#place;
    if (state === "open") this.#refuseDepth(this.#at);
    if (state === "value" || state === "name") this.#start = this.#at;
    if (state !== "value") this.#at += 1;
  }

  /** Reads on to the end of the name of a field, or to the end of the chunk. */
  #readName(): void {
    const at = this.#endOfString(this.#bytes, this.#at, this.#length);
    this.#at = at;
    this.#refuseSize(at);
    if (at >= this.#length) return;
    const name = this.#options.parse(this.#bytes.subarray(this.#start, at + 1), this.#before + this.#start);
    this.#at = at + 1;
    this.#place.endName(String(name));
  }

  /** Reads on to the end of the value, or to the end of the chunk. */
  #readValue(): void {
    const [bytes, length] = [this.#bytes, this.#length];
    let at = this.#at;
    while (at < length) {
      at = this.#inString ? this.#endOfString(bytes, at, length) : nextMark(bytes, at, length);
      if (at >= length) break;
      if (this.#inString) this.#inString = false;
      else if (this.#readMark(bytes[at] ?? 0, at)) return;
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

  /** Returns true if the value ended. */
  #readMark(byte: number, at: number): boolean {
    if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN) {
      this.#depth += 1;
      this.#refuseDepth(at);
    } else if (byte === CLOSE_OBJECT || byte === CLOSE) {
      // The bracket that closes the list or object ends a number or word in it.
      if (this.#depth === 0) return this.#give(at);
      this.#depth -= 1;
      if (this.#depth === 0) return this.#give(at + 1);
    } else if (this.#depth === 0) return this.#give(at);
    return false;
  }

  #refuseDepth(at: number): void {
    if (this.#place.levels + this.#depth > DEEPEST) throw this.#problem(`it has more than ${DEEPEST} levels`, at);
  }

  #give(end: number): true {
    this.#refuseSize(end);
    const value = this.#options.parse(this.#bytes.subarray(this.#start, end), this.#before + this.#start);
    this.#found.push({ path: this.#place.path, value });
    this.#at = end;
    this.#place.endValue();
    return true;
  }

  #refuseSize(end: number): void {
    if (end - this.#start <= VALUE_BYTES_MAX) return;
    throw new SourceError(
      `${this.#options.where} has a value of more than 32 MiB at byte ${this.#before + this.#start}. Parley cannot read such a large one: take it out of the file.`,
    );
  }

  #problem(what: string, at: number): SourceError {
    const { where, kind } = this.#options;
    return new SourceError(`${where} is no valid ${kind}: ${what} (byte ${this.#before + at}). Export again.`);
  }
}
