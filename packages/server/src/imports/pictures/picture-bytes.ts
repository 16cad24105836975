import { type OpenSource, SourceError, type SourceFile } from "../source.ts";

/** Pictures above this size are not taken, whatever they would become. */
const BYTES_MAX = 8 * 1024 * 1024;

/**
 * Returns the bytes of a picture of the export; null if it has none, or more than a picture of a person or an emoji may have.
 * A damaged file is none.
 */
export async function pictureBytes({ path }: SourceFile, open: OpenSource["file"]): Promise<Uint8Array | null> {
  if (path === null) return null;
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of await open(path)) {
      size += piece.length;
      if (size > BYTES_MAX) return null;
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof SourceError) return null;
    throw error;
  }
  return size === 0 ? null : Buffer.concat(pieces);
}
