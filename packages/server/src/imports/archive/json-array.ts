import { ArrayCutter } from "./array-cutter.ts";
import { type Cleaning, parsedJson } from "./json-value.ts";

export interface JsonArray {
  /** The elements, some at a time. */
  readonly elements: AsyncIterable<readonly unknown[]>;
  /** Characters that were replaced so far, because no text can have them: U+0000 and halves of pairs. */
  readonly replaced: () => number;
}

/**
 * Reads a JSON array of any length: only one element is in memory as a whole. `null` is an array without elements, as
 * some programs write it. `where` names the file for messages. Errors: `SourceError`, with the byte.
 *
 * The ends of the elements are found by counting brackets outside of strings, and the engine's own parser reads each:
 * several times as fast as a parser that makes an event of each token.
 */
export function readJsonArray(chunks: AsyncIterable<Uint8Array>, where: string): JsonArray {
  const cleaning = { replaced: 0 };
  return { elements: elements(chunks, where, cleaning), replaced: () => cleaning.replaced };
}

async function* elements(
  chunks: AsyncIterable<Uint8Array>,
  where: string,
  cleaning: Cleaning,
): AsyncGenerator<unknown[]> {
  const cutter = new ArrayCutter(where);
  for await (const chunk of chunks) {
    const found: unknown[] = [];
    cutter.cut(chunk, (bytes, at) => found.push(parsedJson(bytes, where, `the value at byte ${at}`, cleaning)));
    if (found.length > 0) yield found;
  }
  cutter.end();
}
