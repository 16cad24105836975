import { type FileHandle, mkdir, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { SourceError } from "../source.ts";
import type { ArchiveLimits } from "./archive.ts";
import { bytesOf } from "./block-reader.ts";
import { checkRoom, inGib, isBomb, MIB, mostBytes, RATIO_MAX, tooLarge } from "./limits.ts";

/** The disk is looked at again after this many bytes. */
const CHECK_EVERY = 64 * MIB;

/** A file without a name: the system removes it when it is closed, also if the process is killed. */
export interface Unpacked {
  readonly file: FileHandle;
  readonly size: number;
}

/**
 * Unpacks a gzip file into a file without a name, because nothing within a gzip file can be found without reading all
 * before it. The caller closes the result. Errors: `SourceError`, also if the disk has no room.
 */
export async function gunzip(path: string, packed: FileHandle, size: number, limits: ArchiveLimits): Promise<Unpacked> {
  const { file, folder } = await namelessFile(limits.temporaryFolder);
  try {
    checkRoom(folder, await leastBytes(packed, size));
    return { file, size: await unpack(path, packed, size, { file, folder, limits }) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Makes a file without a name. `folder`: where it was, for the room on its disk. */
export async function namelessFile(parent: string = tmpdir()): Promise<{ file: FileHandle; folder: string }> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(parent, "parley-import-"));
  const file = await open(join(folder, "unpacked"), "wx+", 0o600);
  await rm(folder, { recursive: true });
  return { file, folder };
}

/** The last bytes of a gzip file are the unpacked size, without what is above 4 GiB. */
async function leastBytes(packed: FileHandle, size: number): Promise<number> {
  const { buffer, bytesRead } = await packed.read(Buffer.alloc(4), 0, 4, Math.max(0, size - 4));
  return bytesRead < 4 ? size : Math.min(buffer.readUInt32LE(), mostBytes(size, { maxBytes: null }));
}

async function unpack(
  path: string,
  packed: FileHandle,
  size: number,
  { file, folder, limits }: { file: FileHandle; folder: string; limits: ArchiveLimits },
): Promise<number> {
  let [bytes, checked] = [0, 0];
  for await (const chunk of gunzipped(path, bytesOf(packed, 0, size), size, limits)) {
    bytes += chunk.length;
    if (bytes - checked > CHECK_EVERY) {
      checkRoom(folder, CHECK_EVERY);
      checked = bytes;
    }
    await file.write(chunk, 0, chunk.length);
  }
  return bytes;
}

/** Unpacks the bytes of a gzip file of this size. Errors: `SourceError`, also if it unpacks to far too much. */
export async function* gunzipped(
  path: string,
  packed: AsyncIterable<Uint8Array>,
  size: number,
  limits: ArchiveLimits = { maxBytes: null },
): AsyncGenerator<Uint8Array> {
  const most = mostBytes(size, limits);
  let bytes = 0;
  const input = Readable.from(packed, { objectMode: false });
  const output = input.pipe(createGunzip());
  input.on("error", (error) => output.destroy(error));
  try {
    for await (const chunk of output as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > most) throw tooLarge(path, `it unpacks to more than ${inGib(most)}`, most);
      if (isBomb(bytes, size))
        throw new SourceError(`${path} is refused: it unpacks to more than ${RATIO_MAX} times its packed size.`);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof SourceError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    // Errors of the disk are no errors of the export.
    if (code !== undefined && !/^(?:Z_|ERR_)/.test(code)) throw error;
    throw new SourceError(`${path} is a gzip file that is cut off or damaged (${message}). Copy or download it again.`);
  } finally {
    input.destroy();
    output.destroy();
  }
}
