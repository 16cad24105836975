import { type FileHandle, open } from "node:fs/promises";
import { SourceError } from "../source.ts";
import type { Archive, ArchiveLimits } from "./archive.ts";
import { bytesOf } from "./block-reader.ts";
import { EntryList } from "./entry-list.ts";
import { quoted } from "./entry-names.ts";
import { gunzip } from "./gunzip.ts";
import { TarDirectory } from "./tar-directory.ts";
import { BLOCK, isTar } from "./tar-header.ts";

/** Opens a tar file, and checks its whole directory. */
export async function openTar(path: string, size: number): Promise<Archive> {
  return archiveOf(path, await open(path, "r"), size);
}

/** Opens a compressed tar file. It is unpacked once, as a whole, into a file that nobody else sees. */
export async function openTarGz(path: string, size: number, limits: ArchiveLimits): Promise<Archive> {
  await using packed = await open(path, "r");
  const unpacked = await gunzip(path, packed, size, limits);
  const { buffer, bytesRead } = await unpacked.file.read(Buffer.alloc(BLOCK), 0, BLOCK, 0);
  if (bytesRead === BLOCK && isTar(buffer)) return archiveOf(path, unpacked.file, unpacked.size);
  await unpacked.file.close();
  throw new SourceError(`${path} is a gzip file without a tar file in it. Name the export's archive or folder.`);
}

/** The archive closes the file, and so does an error. */
async function archiveOf(path: string, file: FileHandle, size: number): Promise<Archive> {
  const entries = new EntryList(path);
  const close = async (): Promise<void> => {
    entries[Symbol.dispose]();
    await file.close();
  };
  try {
    await new TarDirectory(file, size, entries, path).read();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...entries.directory,
    read: (name) => readEntry(file, entries, path, name),
    range: (name, start, end) => {
      const offset = entries.find(name)?.offset ?? size;
      return bytesOf(file, offset + start, offset + end);
    },
    [Symbol.asyncDispose]: close,
  };
}

async function* readEntry(
  file: FileHandle,
  entries: EntryList,
  path: string,
  name: string,
): AsyncGenerator<Uint8Array> {
  const entry = entries.find(name);
  if (entry === null) throw new SourceError(`${path} has no file ${quoted(name)}.`);
  let read = 0;
  for await (const chunk of bytesOf(file, entry.offset, entry.offset + entry.size)) {
    read += chunk.length;
    yield chunk;
  }
  if (read !== entry.size) throw new SourceError(`${path} changed while it was read. Start again.`);
}
