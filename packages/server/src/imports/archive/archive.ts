import type { Entry } from "./entry-list.ts";

/** An export as its files: a ZIP, a tar file or a folder. Nothing is ever extracted to a name of it. */
export interface Archive extends AsyncDisposable {
  /** As the user named it, for messages. */
  readonly path: string;
  /** SHA-256 of the names, sizes and checksums, hex. */
  readonly fingerprint: string;
  /** Bytes of all files together. */
  readonly bytes: number;
  /** Where copies of parts of it may be, while it is open (`ArchiveLimits`). */
  readonly temporaryFolder?: string;
  find(name: string): Entry | null;
  /** Returns the files whose names begin so, sorted by name. */
  under(prefix: string): Iterable<Entry>;
  /** Returns the names of what is directly in a folder; those of folders end with `/`, as the argument does unless "". */
  children(folder: string): Iterable<string>;
  /** Returns the bytes of a file. Throws a `SourceError` if they are damaged; then what was returned before is, too. */
  read(name: string): AsyncIterable<Uint8Array>;
  /** Returns the bytes of a part of a file; absent if the archive must read all before it, as a ZIP. */
  range?(name: string, start: number, end: number): AsyncIterable<Uint8Array>;
}

export interface ArchiveLimits {
  /** The most bytes of all files together; null: what a true export can have, 100 times the archive and 1 GiB. */
  readonly maxBytes: number | null;
  /** Where a compressed tar file is unpacked for the time of its reading; absent: the folder of the system for this. */
  readonly temporaryFolder?: string;
}
