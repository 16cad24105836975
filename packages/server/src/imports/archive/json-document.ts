import { SourceError } from "../source.ts";
import { JsonCutter, type JsonValue } from "./json-cutter.ts";
import type { JsonKind, JsonPath } from "./json-place.ts";

export type { JsonPath, JsonValue };

/** A text with such an escape may have a zero character, or half of a pair. */
const RISKY = /\\u(?:0000|[dD][89a-fA-F])/;

export interface JsonDocument {
  /** The values, some at a time. */
  readonly values: AsyncIterable<readonly JsonValue[]>;
  /** Characters that were replaced so far, because no text can have them: U+0000 and halves of pairs. */
  readonly replaced: () => number;
}

/**
 * Reads a JSON document of any length: only one value is in memory as a whole. It enters the objects and lists for whose
 * path `enters` is true, and returns everything else as it is, in the order of the document. `where` names the file for
 * messages. Errors: `SourceError`, with the byte.
 *
 * The ends of the values are found by counting brackets outside of strings, and the engine's own parser reads each:
 * several times as fast as a parser that makes an event of each token.
 */
export function readJsonDocument(
  chunks: AsyncIterable<Uint8Array>,
  where: string,
  enters: (path: JsonPath) => boolean,
  kind: JsonKind = "JSON",
): JsonDocument {
  const cleaning = { replaced: 0 };
  const cutter = new JsonCutter({ where, kind, enters, parse: (bytes, at) => parsed(bytes, at, where, cleaning) });
  return { values: values(chunks, cutter), replaced: () => cleaning.replaced };
}

async function* values(chunks: AsyncIterable<Uint8Array>, cutter: JsonCutter): AsyncGenerator<JsonValue[]> {
  for await (const chunk of chunks) {
    const found = cutter.cut(chunk);
    if (found.length > 0) yield found;
  }
  const last = cutter.end();
  if (last.length > 0) yield last;
}

const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function parsed(bytes: Uint8Array, at: number, where: string, cleaning: { replaced: number }): unknown {
  let text: string;
  try {
    text = DECODER.decode(bytes);
  } catch {
    throw new SourceError(`${where} is invalid: the value at byte ${at} has bytes that are no UTF-8. Export again.`);
  }
  try {
    const value: unknown = JSON.parse(text);
    return RISKY.test(text) ? cleaned(value, cleaning) : value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SourceError(`${where} is invalid: the value at byte ${at} is no JSON. Export again.`);
  }
}

/** Replaces the characters in texts that no text can have, also in names of fields. */
function cleaned(value: unknown, cleaning: { replaced: number }): unknown {
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
