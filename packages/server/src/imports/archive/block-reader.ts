import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import yauzl from "yauzl";
import { SourceError } from "../source.ts";

const BLOCK = 256 * 1024;

/**
 * Reads a ZIP for `yauzl`, in blocks: a directory of two million entries is read in pieces of some fifty bytes, and
 * would else take as many calls to the system. It does not own the file.
 */
export class BlockReader extends yauzl.RandomAccessReader {
  readonly #file: FileHandle;
  readonly #size: number;
  #block: Buffer = Buffer.alloc(0);
  #from = 0;

  constructor(file: FileHandle, size: number) {
    super();
    this.#file = file;
    this.#size = size;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(bytesOf(this.#file, start, end), { objectMode: false });
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.#bytes(position, length).then(
      (bytes) => callback(null, bytes.copy(buffer, offset)),
      (error: Error) => callback(error),
    );
  }

  override close(callback: (error: Error | null) => void): void {
    callback(null);
  }

  async #bytes(position: number, length: number): Promise<Buffer> {
    if (position < 0 || position > this.#size) throw new Error("it points outside of the file");
    if (position < this.#from || position + length > this.#from + this.#block.length) {
      const block = Buffer.alloc(Math.min(Math.max(length, BLOCK), this.#size - position));
      const { bytesRead } = await this.#file.read(block, 0, block.length, position);
      [this.#block, this.#from] = [block.subarray(0, bytesRead), position];
    }
    return this.#block.subarray(position - this.#from, position - this.#from + length);
  }
}

/** Reads a part of a file: in chunks, up to its end. The file stays open. */
export async function* bytesOf(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(Math.min(BLOCK, end - at)),
      0,
      Math.min(BLOCK, end - at),
      at,
    );
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Reads a whole file, and closes it. `path` is for messages. Errors: `SourceError`, if it has not this many bytes any more. */
export async function* wholeFile(file: FileHandle, size: number, path: string): AsyncGenerator<Buffer> {
  let read = 0;
  try {
    // One byte more than it had, so that a file that has grown is noticed.
    for await (const chunk of bytesOf(file, 0, size + 1)) {
      read += chunk.length;
      yield chunk;
    }
  } finally {
    await file.close();
  }
  if (read !== size) throw new SourceError(`${path} changed while it was read. Start again.`);
}
