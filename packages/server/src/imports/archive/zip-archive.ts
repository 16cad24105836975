import { type FileHandle, open } from "node:fs/promises";
import { crc32, inflateRawSync } from "node:zlib";
import yauzl from "yauzl";
import { SourceError } from "../source.ts";
import type { Archive, ArchiveLimits } from "./archive.ts";
import { BlockReader } from "./block-reader.ts";
import { ENTRIES_MAX, type Entry, EntryList, type Place } from "./entry-list.ts";
import { quoted } from "./entry-names.ts";
import { inGib, isBomb, MIB, mostBytes, RATIO_MAX, tooLarge } from "./limits.ts";

/** Smaller entries are unpacked at once, which is faster than a stream. */
const AT_ONCE = 2 * MIB;
const [STORED, DEFLATED] = [0, 8];
const [ENCRYPTED, NAME_IS_UTF8] = [1, 0x800];
const [UNIX, TYPE_OF_FILE, LINK] = [3, 0o170000, 0o120000];

/** Opens a ZIP, and checks its whole directory. */
export async function openZip(path: string, size: number, limits: ArchiveLimits): Promise<Archive> {
  const file = await open(path, "r");
  const entries = new EntryList(path);
  try {
    const zip = await openDirectory(file, path, size);
    await addEntries(zip, entries, path);
    refuseBomb(entries.bytes, path, size, limits);
    return {
      ...entries.directory,
      read: (name) => readEntry(zip, file, entries, path, name),
      async [Symbol.asyncDispose]() {
        entries[Symbol.dispose]();
        await file.close();
      },
    };
  } catch (error) {
    entries[Symbol.dispose]();
    await file.close();
    throw error;
  }
}

async function openDirectory(file: FileHandle, path: string, size: number): Promise<yauzl.ZipFile> {
  const options = { autoClose: false, lazyEntries: true, decodeStrings: false };
  try {
    const zip = await yauzl.fromRandomAccessReaderPromise(new BlockReader(file, size), size, options);
    if (zip.entryCount <= ENTRIES_MAX) return zip;
  } catch (error) {
    throw await notZip(file, path, error as Error);
  }
  throw new SourceError(`${path} is refused: it has more than 2,000,000 files. No exporting program writes this.`);
}

async function notZip(file: FileHandle, path: string, { message }: Error): Promise<SourceError> {
  const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
  if (buffer.subarray(0, 2).toString("latin1") === "PK") {
    return new SourceError(`${path} is cut off or damaged (${inner(message)}). Copy or download it again.`);
  }
  return new SourceError(
    `${path} is no ZIP and no tar file. Name the export's archive, or the folder to which you unpacked it.`,
  );
}

/** Makes a library's sentence a part of ours. */
const inner = (message: string): string => message.replace(/\.$/, "").replace(/[\p{Cc}]/gu, "?");

async function addEntries(zip: yauzl.ZipFile, entries: EntryList, path: string): Promise<void> {
  try {
    for await (const entry of zip.eachEntry()) addEntry(entry, entries, path);
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new SourceError(
      `${path} is damaged: its directory says ${inner((error as Error).message)}. Download it again.`,
    );
  }
}

function addEntry(entry: yauzl.Entry, entries: EntryList, path: string): void {
  const name = nameOf(entry, path);
  if (name.endsWith("/")) {
    entries.count(name);
    return;
  }
  const { compressionMethod: method, compressedSize: packedSize, uncompressedSize: size, crc32: crc } = entry;
  const refuse = (what: string): never => {
    throw new SourceError(`${path} is refused: ${quoted(name)} ${what}.`);
  };
  if (isLink(entry)) refuse("is a link. No exporting program writes this; export again");
  if (entry.generalPurposeBitFlag & ENCRYPTED) refuse("is encrypted. Decrypt the archive first");
  if (method !== STORED && method !== DEFLATED) refuse(`is packed by an unusual method (${method}). Pack it again`);
  if (isBomb(size, packedSize))
    refuse(`would unpack to ${Math.ceil(size / MIB)} MiB, more than ${RATIO_MAX} times its packed size`);
  entries.add(name, size, { offset: entry.relativeOffsetOfLocalHeader, packedSize, method, crc });
}

const isLink = ({ versionMadeBy, externalFileAttributes }: yauzl.Entry): boolean =>
  versionMadeBy >> 8 === UNIX && ((externalFileAttributes >>> 16) & TYPE_OF_FILE) === LINK;

/** Names are UTF-8 also in archives that do not say so; what is not is in the character set of the first ZIPs. */
function nameOf(entry: yauzl.Entry, path: string): string {
  // The directory is read without `decodeStrings`.
  const { fileNameRaw: raw, generalPurposeBitFlag: flags, extraFields } = entry;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(raw);
  } catch {
    const name = yauzl.getFileNameLowLevel(flags, raw, extraFields, true);
    if ((flags & NAME_IS_UTF8) === 0) return name;
    throw new SourceError(`${path} is damaged: the name ${quoted(name)} is no valid UTF-8. Export again.`);
  }
}

function refuseBomb(bytes: number, path: string, size: number, limits: ArchiveLimits): void {
  const most = mostBytes(size, limits);
  if (bytes > most) throw tooLarge(path, `it would unpack to ${inGib(bytes)}`, most);
}

async function* readEntry(
  zip: yauzl.ZipFile,
  file: FileHandle,
  entries: EntryList,
  path: string,
  name: string,
): AsyncGenerator<Uint8Array> {
  const entry = entries.find(name);
  if (entry === null) throw new SourceError(`${path} has no file ${quoted(name)}.`);
  let [bytes, crc] = [0, 0];
  try {
    for await (const chunk of entry.size <= AT_ONCE ? [await unpacked(zip, file, entry)] : stream(zip, entry)) {
      bytes += chunk.length;
      crc = crc32(chunk, crc);
      yield chunk;
    }
  } catch (error) {
    throw damaged(path, name, inner((error as Error).message));
  }
  if (bytes !== entry.size) throw damaged(path, name, `it has ${bytes} bytes instead of ${entry.size}`);
  if (crc !== entry.crc) throw damaged(path, name, "its checksum is wrong");
}

const damaged = (path: string, name: string, what: string): SourceError =>
  new SourceError(`${path} is damaged: ${quoted(name)} cannot be read (${what}). Copy or download it again.`);

async function unpacked(zip: yauzl.ZipFile, file: FileHandle, entry: Entry & Place): Promise<Uint8Array> {
  if (entry.packedSize > AT_ONCE + entry.size) throw new Error("its packed size is wrong");
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(headerOf(entry), { minimal: true });
  const packed = Buffer.alloc(entry.packedSize);
  await file.read(packed, 0, entry.packedSize, fileDataStart);
  if (entry.method === STORED) return packed;
  // One byte more than it should be, so that a longer one is noticed.
  return inflateRawSync(packed, { maxOutputLength: entry.size + 1 });
}

const stream = (zip: yauzl.ZipFile, entry: Entry & Place): AsyncIterable<Uint8Array> => ({
  async *[Symbol.asyncIterator]() {
    for await (const chunk of await zip.openReadStreamPromise(headerOf(entry))) yield chunk as Uint8Array;
  },
});

/** Makes the entry that `yauzl` gave once from what the list keeps of it. */
function headerOf({ offset, packedSize, size, method, crc }: Entry & Place): yauzl.Entry {
  return Object.assign(new yauzl.Entry(), {
    relativeOffsetOfLocalHeader: offset,
    compressedSize: packedSize,
    uncompressedSize: size,
    compressionMethod: method,
    crc32: crc,
    generalPurposeBitFlag: 0,
  });
}
