import { deserialize } from "bson";
import { SourceError } from "../source.ts";

const DOCUMENT_MAX = 32 * 1024 * 1024;
/** A length, the end, and nothing between. */
const DOCUMENT_MIN = 5;
const DEEPEST = 64;

/** A document of a collection. */
export interface BsonDocument {
  /** Null if it is damaged. Times are milliseconds, ids are text. */
  readonly value: Readonly<Record<string, unknown>> | null;
  /** Where its bytes are in the collection. */
  readonly offset: number;
  readonly length: number;
}

/**
 * Reads a collection as `mongodump` writes it: documents after each other, each of which begins with its length. Only one is
 * in memory as a whole. `where` names the file for messages. `replaced`: called for each text with U+0000, which is replaced.
 * Errors: `SourceError`, with the byte.
 */
export async function* readBson(
  chunks: AsyncIterable<Uint8Array>,
  where: string,
  replaced: () => void = () => {},
): AsyncGenerator<BsonDocument> {
  let [parts, have, offset]: [Uint8Array[], number, number] = [[], 0, 0];
  let needed = 4;
  for await (const chunk of chunks) {
    parts.push(chunk);
    have += chunk.length;
    if (have < needed) continue;
    let rest = parts.length === 1 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat(parts);
    for (;;) {
      needed = rest.length < 4 ? 4 : rest.readInt32LE(0);
      if (rest.length >= 4 && (needed < DOCUMENT_MIN || needed > DOCUMENT_MAX)) throw damaged(where, offset, needed);
      if (rest.length < needed) break;
      const length = needed;
      yield { value: fieldsIn(rest.subarray(0, length), replaced), offset, length };
      rest = rest.subarray(length);
      offset += length;
    }
    [parts, have] = [[rest], rest.length];
  }
  if (have > 0) throw new SourceError(`${where} is cut off (byte ${offset}). Dump the database again.`);
}

const damaged = (where: string, offset: number, length: number): SourceError =>
  new SourceError(
    length > DOCUMENT_MAX
      ? `${where} has a document of more than 32 MiB at byte ${offset}. No program writes this: dump the database again.`
      : `${where} is no valid BSON (byte ${offset}). Dump the database again.`,
  );

function fieldsIn(bytes: Uint8Array, replaced: () => void): BsonDocument["value"] {
  try {
    return plain(deserialize(bytes, { promoteBuffers: true }), replaced, 0) as BsonDocument["value"];
  } catch {
    // Whatever is wrong in a document, the next one begins where its length says.
    return null;
  }
}

/** Returns a value of BSON as one of JSON. Bytes stay bytes; what JSON has nothing for is absent. */
function plain(value: unknown, replaced: () => void, depth: number): unknown {
  if (typeof value === "string") {
    if (!value.includes("\0")) return value;
    replaced();
    return value.replaceAll("\0", "\u{fffd}");
  }
  if (value === null || typeof value !== "object" || value instanceof Uint8Array) return value;
  if (value instanceof Date) return value.getTime();
  if (depth >= DEEPEST) return undefined;
  if (Array.isArray(value)) return value.map((item) => plain(item, replaced, depth + 1));
  if ("_bsontype" in value) return "toHexString" in value ? String(value) : undefined;
  const fields = Object.entries(value).map(([name, field]) => [
    name.replaceAll("\0", "\u{fffd}"),
    plain(field, replaced, depth + 1),
  ]);
  return Object.fromEntries(fields);
}
