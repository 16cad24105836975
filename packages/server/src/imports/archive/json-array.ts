import { readJsonDocument } from "./json-document.ts";
import type { JsonPath } from "./json-place.ts";

export interface JsonArray {
  /** The elements, some at a time. */
  readonly elements: AsyncIterable<readonly unknown[]>;
  /** Characters that were replaced so far, because no text can have them: U+0000 and halves of pairs. */
  readonly replaced: () => number;
}

/**
 * Reads a JSON array of any length (`readJsonDocument`). `null` is an array without elements, as some programs write it.
 * Errors: `SourceError`, with the byte.
 */
export function readJsonArray(chunks: AsyncIterable<Uint8Array>, where: string): JsonArray {
  const { values, replaced } = readJsonDocument(chunks, where, isDocument, "JSON list");
  async function* elements(): AsyncGenerator<unknown[]> {
    for await (const some of values) yield some.filter(({ path }) => !isDocument(path)).map(({ value }) => value);
  }
  return { elements: elements(), replaced };
}

const isDocument = (path: JsonPath): boolean => path.length === 0;
