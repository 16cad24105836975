import { UNSPACED_LETTER } from "@parley/protocol/letters";
import type { Clock } from "../clock.ts";

/** Crockford's 32 symbols: without I, L, O, which are misread, and U (protocol §5). */
const SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const SYMBOL_COUNT = 8;
/** Eight symbols of five bits. */
const BYTES = 5;

/** Makes new codes in stored form: eight symbols without the hyphen, 40 random bits each. */
export function makeCodes(clock: Pick<Clock, "random">, count: number): string[] {
  const bytes = clock.random(count * BYTES);
  return Array.from({ length: count }, (_, n) => encode(bytes.subarray(n * BYTES, (n + 1) * BYTES)));
}

/** Encodes 40 bits: a number holds them exactly and is faster than a bigint. */
function encode(bytes: Uint8Array): string {
  let bits = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  let text = "";
  for (let n = 0; n < SYMBOL_COUNT; n++, bits = Math.floor(bits / 32)) text = SYMBOLS.charAt(bits % 32) + text;
  return text;
}

/** Formats a code for display: `XXXX-XXXX`. */
export function writeCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/**
 * Parses a typed code into its stored form; returns null if it cannot be one. As in Crockford's alphabet, O is 0, I and
 * L are 1.
 */
export function readCode(text: string): string | null {
  const [, left, right] = /^\s*([0-9a-z]{4})-?([0-9a-z]{4})\s*$/i.exec(text) ?? [];
  if (left === undefined || right === undefined) return null;
  const code = (left + right).toUpperCase().replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  return code.includes("U") ? null : code;
}

const WORD = /[\p{L}\p{N}_]/u;
/** Hyphens that editors substitute for the typed one. NFKC already normalizes compatibility forms. */
const HYPHENS = /[\u2010\u2011]/g;

/**
 * True if the post contains the code as a token of its own: not inside a longer word or a longer hyphenated sequence.
 * Case and compatibility forms do not matter (protocol §5). Linear in the length of the text.
 */
export function holdsCode(post: string, code: string): boolean {
  const text = post.normalize("NFKC").replaceAll(HYPHENS, "-").toUpperCase();
  const token = writeCode(code);
  for (let at = text.indexOf(token); at !== -1; at = text.indexOf(token, at + 1)) {
    const end = at + token.length;
    if (!touchesWord(before(text, at), before(text, at - 1)) && !touchesWord(after(text, end), after(text, end + 1)))
      return true;
  }
  return false;
}

/** True if the neighbour is part of a word, or a hyphen that joins one. */
function touchesWord(next: string, beyond: string): boolean {
  return isWord(next) || (next === "-" && isWord(beyond));
}

/** True for word characters. Letters of scripts without spaces do not count: they end a code. */
const isWord = (letter: string): boolean => WORD.test(letter) && !UNSPACED_LETTER.test(letter);

/** Returns the character that ends before `at`, whole even above U+FFFF. */
function before(text: string, at: number): string {
  const low = text.charCodeAt(at - 1);
  const isTail = low >= 0xdc00 && low <= 0xdfff;
  return text.slice(Math.max(0, at - (isTail ? 2 : 1)), Math.max(0, at));
}

function after(text: string, at: number): string {
  const point = text.codePointAt(at);
  return point === undefined ? "" : String.fromCodePoint(point);
}
