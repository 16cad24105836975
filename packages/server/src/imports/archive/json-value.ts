import { SourceError } from "../source.ts";

/** The deepest nesting of brackets that a value may have. */
export const LEVELS_MAX = 64;
export const VALUE_BYTES_MAX = 32 * 1024 * 1024;
/** The most parts of one value: each list, object, and item takes much more memory than its bytes. */
const PARTS_MAX = 500_000;
/** Smaller values cannot have too many parts, and need little memory. */
const LARGE = 1024 * 1024;

const [QUOTE, BACKSLASH, COMMA, OPEN, OPEN_OBJECT] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/** Counts the characters that were replaced in what was read. */
export interface Cleaning {
  replaced: number;
}

const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** A text with such an escape may have a zero character, or half of a pair. */
const RISKY = /\\u(?:0000|[dD][89a-fA-F])/;

/**
 * Parses the bytes of a JSON value, and replaces characters that no text can have. `where` names the file and `place` the
 * value in it, for messages. Errors: `SourceError`.
 */
export function parsedJson(bytes: Uint8Array, where: string, place: string, cleaning: Cleaning): unknown {
  const isLarge = bytes.length > LARGE;
  if (isLarge && hasManyParts(bytes))
    throw new SourceError(
      `${where} has a value of more than ${PARTS_MAX.toLocaleString("en-US")} parts (${place}). Parley cannot read such a large one: take it out of the file.`,
    );
  const text = { value: textOf(bytes, where, place) };
  // Its bytes, its text and its value together may be too large.
  if (isLarge) giveBack(bytes);
  try {
    const value: unknown = JSON.parse(text.value);
    if (!RISKY.test(text.value)) return value;
    text.value = "";
    // The engine keeps the text of the last match.
    RISKY.test("\\u0000");
    if (isLarge) Bun.gc(true);
    return cleaned(value, cleaning);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SourceError(`${where} is invalid: ${place} is no JSON. Export again.`);
  }
}

function textOf(bytes: Uint8Array, where: string, place: string): string {
  try {
    return DECODER.decode(bytes);
  } catch {
    throw new SourceError(`${where} is invalid: ${place} has bytes that are no UTF-8. Export again.`);
  }
}

/** Counts lists, objects, and what is behind commas, outside of texts. */
function hasManyParts(bytes: Uint8Array): boolean {
  let parts = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at + 1);
    else if (byte === COMMA || byte === OPEN || byte === OPEN_OBJECT) parts += 1;
  }
  return parts > PARTS_MAX;
}

/** Returns the place of the quote that ends a string; the length if there is none. */
export function endOfString(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Gives the memory of bytes back that nobody else uses: those that are all of their buffer. */
function giveBack({ buffer, length }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
  Bun.gc(true);
}

/** Replaces the characters in texts that no text can have, also in names of fields. */
function cleaned(value: unknown, cleaning: Cleaning): unknown {
  if (typeof value === "string") {
    if (value.isWellFormed() && !value.includes("\0")) return value;
    const formed = value.toWellFormed();
    const fixed = formed.includes("\0") ? formed.replaceAll("\0", "\u{fffd}") : formed;
    for (let at = 0; at < value.length; at += 1)
      cleaning.replaced += Number(value.charCodeAt(at) !== fixed.charCodeAt(at));
    return fixed;
  }
  if (Array.isArray(value)) return value.map((item) => cleaned(item, cleaning));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map((entry) => cleaned(entry, cleaning) as [string, unknown]));
}
