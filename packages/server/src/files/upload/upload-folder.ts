import { createHash } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "../../errors.ts";

/** Bytes that one write takes; a file in many small parts is written in few calls. */
const PIECE = 256 * 1024;

/** The temporary files of one upload. Disposing it removes those that were not stored. */
export class UploadFolder implements AsyncDisposable {
  /** The file as it was uploaded. */
  readonly original: string;
  readonly #prefix: string;
  readonly #paths: string[] = [];

  constructor(folder: string, name: string) {
    this.#prefix = join(folder, `upload-${name}`);
    this.original = this.newPath();
  }

  /** Returns a path at which nothing is. */
  newPath(): string {
    const path = `${this.#prefix}-${this.#paths.length}`;
    this.#paths.push(path);
    return path;
  }

  /** Writes a new file of these parts. Errors: `storage_full`. */
  async write(parts: readonly Uint8Array[]): Promise<string> {
    const path = this.newPath();
    const file = await open(path, "wx", 0o600);
    try {
      let held: Uint8Array[] = [];
      let length = 0;
      for (const part of parts) {
        held.push(part);
        length += part.length;
        if (length < PIECE) continue;
        await writeAll(file, held);
        held = [];
        length = 0;
      }
      await writeAll(file, held);
    } finally {
      await file.close();
    }
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const path of this.#paths) await rm(path, { force: true });
  }
}

type Handle = Awaited<ReturnType<typeof open>>;

/** Writes all pieces. Errors: `storage_full`. */
export async function writeAll(file: Handle, pieces: readonly Uint8Array[]): Promise<void> {
  try {
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; ) at += (await file.write(piece, at, piece.length - at)).bytesWritten;
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOSPC" || code === "EDQUOT") throw fail("storage_full", { retryAfter: 30, cause: error });
    throw error;
  }
}

/** Returns the hash of a file's bytes, hex, and their number, without holding them in memory. */
export async function hashFile(path: string): Promise<{ sha256: string; size: number }> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const piece of Bun.file(path).stream()) {
    hash.update(piece);
    size += piece.length;
  }
  return { sha256: hash.digest("hex"), size };
}
