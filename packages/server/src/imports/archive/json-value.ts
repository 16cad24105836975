import { SourceError } from "../source.ts";

/** The deepest nesting of brackets that a value may have. */
export const LEVELS_MAX = 64;
export const VALUE_BYTES_MAX = 32 * 1024 * 1024;

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
  let text: string;
  try {
    text = DECODER.decode(bytes);
  } catch {
    throw new SourceError(`${where} is invalid: ${place} has bytes that are no UTF-8. Export again.`);
  }
  try {
    const value: unknown = JSON.parse(text);
    return RISKY.test(text) ? cleaned(value, cleaning) : value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SourceError(`${where} is invalid: ${place} is no JSON. Export again.`);
  }
}

/** Replaces the characters in texts that no text can have, also in names of fields. */
function cleaned(value: unknown, cleaning: Cleaning): unknown {
  if (typeof value === "string") {
    const fixed = value.toWellFormed().replaceAll("\0", "\u{fffd}");
    if (fixed !== value)
      for (let at = 0; at < value.length; at += 1) cleaning.replaced += Number(value[at] !== fixed[at]);
    return fixed;
  }
  if (Array.isArray(value)) return value.map((item) => cleaned(item, cleaning));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map((entry) => cleaned(entry, cleaning) as [string, unknown]));
}
