const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a];
const [OPEN, CLOSE, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const NULL = [0x6e, 0x75, 0x6c, 0x6c];

/** The names of fields and the places in lists that lead to a value. The document itself has the path []. */
export type JsonPath = readonly (string | number)[];

/** The kind of a document. A list may also be `null`, as some programs write one without elements. */
export type JsonKind = "JSON" | "JSON list";

/** Where a reading is: what may come next. `open` and `comma` are in a list or object that was entered. */
type State = "start" | "mark" | "null" | "open" | "name" | "colon" | "field" | "value" | "after" | "comma" | "end";

/** A list or object that was entered. */
interface Frame {
  readonly path: JsonPath;
  readonly isList: boolean;
  /** The place or name of the value that is read. */
  key: string | number;
}

/** The place of a reading in a JSON document, outside of the values that are read as a whole. */
export class JsonPlace {
  readonly #kind: JsonKind;
  readonly #enters: (path: JsonPath) => boolean;
  readonly #frames: Frame[] = [];
  /** Bytes of a byte order mark or of `null` that were read. */
  #letters = 0;
  #state: State = "start";
  /** Leads to the value that is read. */
  path: JsonPath = [];

  constructor(kind: JsonKind, enters: (path: JsonPath) => boolean) {
    this.#kind = kind;
    this.#enters = enters;
  }

  get state(): State {
    return this.#state;
  }

  /** The lists and objects around the value. */
  get levels(): number {
    return this.#frames.length;
  }

  /** True if the document is `null`, and has ended. */
  get isNull(): boolean {
    return this.#state === "null" && this.#letters === NULL.length;
  }

  /** Goes on behind a byte, or before the first one of a value or name. Returns false if it must not be there. */
  take(byte: number, isFirst: boolean): boolean {
    const next = this.#stateAfter(byte, isFirst);
    if (next === undefined) return false;
    this.#state = next === "value" && this.#enter(byte) ? "open" : next;
    return true;
  }

  /** The value has ended. */
  endValue(): void {
    this.#state = this.#stateAfterValue();
  }

  /** The name of a field has ended. */
  endName(name: string): void {
    const frame = this.#frames.at(-1);
    if (frame !== undefined) frame.key = name;
    this.#state = "colon";
  }

  #stateAfter(byte: number, isFirst: boolean): State | undefined {
    const isSpace = byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
    const isInWord = this.#state === "mark" || (this.#state === "null" && !this.isNull);
    if (isSpace && !isInWord) return this.#state;
    const isEnd = byte === COMMA || byte === CLOSE || byte === CLOSE_OBJECT;
    switch (this.#state) {
      case "start":
        return this.#firstState(byte, isFirst);
      case "mark":
      case "null":
        return this.#stateInWord(byte);
      case "open":
        return this.#isClose(byte) ? this.#leave() : this.#stateBeforePart(byte);
      case "comma":
        return isEnd ? undefined : this.#stateBeforePart(byte);
      case "colon":
        return byte === COLON ? "field" : undefined;
      case "field":
        return isEnd ? undefined : "value";
      case "after":
        return byte === COMMA ? "comma" : this.#isClose(byte) ? this.#leave() : undefined;
      default:
        return undefined;
    }
  }

  #firstState(byte: number, isFirst: boolean): State | undefined {
    this.#letters = 1;
    if (byte === BYTE_ORDER_MARK[0] && isFirst) return "mark";
    if (byte === NULL[0]) return "null";
    return this.#kind === "JSON" || byte === OPEN ? "value" : undefined;
  }

  #stateInWord(byte: number): State | undefined {
    const word = this.#state === "mark" ? BYTE_ORDER_MARK : NULL;
    this.#letters += 1;
    if (byte !== word[this.#letters - 1]) return undefined;
    return this.#state === "mark" && this.#letters === word.length ? "start" : this.#state;
  }

  #stateBeforePart(byte: number): State | undefined {
    if (this.#frames.at(-1)?.isList === true) return "value";
    return byte === QUOTE ? "name" : undefined;
  }

  #isClose = (byte: number): boolean => byte === (this.#frames.at(-1)?.isList === true ? CLOSE : CLOSE_OBJECT);

  #leave(): State {
    this.#frames.pop();
    return this.#stateAfterValue();
  }

  #stateAfterValue(): State {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return "end";
    if (typeof frame.key === "number") frame.key += 1;
    return "after";
  }

  /** Begins a value. Returns true if its parts are values of their own. */
  #enter(byte: number): boolean {
    const frame = this.#frames.at(-1);
    this.path = frame === undefined ? [] : [...frame.path, frame.key];
    if ((byte !== OPEN && byte !== OPEN_OBJECT) || !this.#enters(this.path)) return false;
    this.#frames.push({ path: this.path, isList: byte === OPEN, key: byte === OPEN ? 0 : "" });
    return true;
  }
}
