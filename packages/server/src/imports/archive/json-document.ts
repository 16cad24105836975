import { JsonCutter, type JsonValue } from "./json-cutter.ts";
import type { JsonKind, JsonPath } from "./json-place.ts";
import { parsedJson } from "./json-value.ts";

export type { JsonPath, JsonValue };

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
  const cutter = new JsonCutter({
    where,
    kind,
    enters,
    parse: (bytes, at) => parsedJson(bytes, where, `the value at byte ${at}`, cleaning),
  });
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
