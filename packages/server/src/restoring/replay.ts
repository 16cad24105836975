import { closeSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { bodyOf, ReplicaDamage, sha256 } from "../replica/format.ts";
import type { ReplicaStorage } from "../replica/storage.ts";
import { type Chain, recordsFrom, type Snapshot } from "./chains.ts";
import { Segments, type WritePage } from "./segments.ts";

/** The state that a replay has written. */
export interface Replayed {
  /** The time of the last commit; epoch milliseconds. */
  at: number;
  /** The number of its record. */
  record: number;
  /** The bytes of the file. */
  bytes: number;
  /** When the first commit after it was made; null: it is the last one of the chain. */
  next: number | null;
}

/** Called after each part of the work, with what was done. */
export type Progress = (done: { bytes: number; at: number | null }) => void;

/** The log is missing, altered or ends too early. */
export class LogEnds extends ReplicaDamage {
  /** The time up to which the database can be restored from this snapshot; null: it cannot. */
  readonly intactUntil: number | null;

  constructor(message: string, intactUntil: number | null, options?: ErrorOptions) {
    super(message, options);
    this.intactUntil = intactUntil;
  }
}

/**
 * Writes the database as it was at `until` (null: as new as there is) to an existing file: the pages of the snapshot,
 * and over them the frames of each commit. The file is a whole database when this resolves, and garbage before. Throws
 * `ReplicaDamage` if a part that is needed is missing or altered, `LogEnds` if that is the log.
 */
export async function replay(
  storage: ReplicaStorage,
  { chain, snapshot, until }: { chain: Chain; snapshot: Snapshot; until: number | null },
  target: string,
  progress: Progress = () => {},
): Promise<Replayed> {
  const file = openSync(target, "r+");
  const pending = new PendingPages(`${target}-pending`, snapshot.file.pageSize);
  try {
    ftruncateSync(file, 0);
    await writePages(storage, snapshot, file, progress);
    const reached = await writeFrames(storage, { chain, snapshot, until }, { file, pending }, progress);
    ftruncateSync(file, reached.bytes);
    return reached;
  } finally {
    pending.close();
    closeSync(file);
  }
}

async function writePages(
  storage: ReplicaStorage,
  { folder, file: { pageSize, parts } }: Snapshot,
  file: number,
  progress: Progress,
): Promise<void> {
  let offset = 0;
  for (const [at, part] of parts.entries()) {
    const name = `${folder}pages-${String(at + 1).padStart(6, "0")}`;
    const stored = await storage.read(name);
    if (stored === null) throw new ReplicaDamage(`The part ${name} of a snapshot is missing.`);
    if (sha256(stored) !== part.sha256) throw new ReplicaDamage(`The part ${name} of a snapshot was altered.`);
    const pages = bodyOf(stored, part.pages * pageSize);
    writeAll(file, pages, offset);
    offset += pages.length;
    progress({ bytes: offset, at: null });
  }
}

async function writeFrames(
  storage: ReplicaStorage,
  { chain, snapshot, until }: { chain: Chain; snapshot: Snapshot; until: number | null },
  { file, pending }: { file: number; pending: PendingPages },
  progress: Progress,
): Promise<Replayed> {
  const { start, least, pageSize, parts } = snapshot.file;
  const segments = new Segments(pageSize);
  const snapshotPages = parts.reduce((sum, { pages }) => sum + pages, 0);
  let reached: Replayed = { at: least.at, record: start.record, bytes: snapshotPages * pageSize, next: null };
  let written = 0;
  /** The last record that was read and checked. */
  let done = 0;
  const writePage = (page: number, content: Uint8Array) => writeAll(file, content, (page - 1) * pageSize);
  try {
    for await (const { head, body } of recordsFrom(storage, chain, start.volume)) {
      if (head.n < start.record) continue;
      if (head.n === start.record && (head.type !== "segment" || head.segment !== start.segment))
        throw new ReplicaDamage(`Record ${head.n} does not begin segment ${start.segment}.`);
      if (head.type === "segment") segments.begin(head);
      else if (head.type === "sealed") segments.seal(head);
      else if (head.type === "frames") {
        const isPast = until !== null && head.at > until && head.n > least.record;
        if (isPast && head.commit) return { ...reached, next: head.at };
        if (!isPast) {
          const write = segments.frames({ head, body });
          if (head.commit) {
            pending.moveTo(writePage);
            write(writePage);
            reached = { at: head.at, record: head.n, bytes: head.pages * pageSize, next: null };
            written += head.frames * pageSize;
            progress({ bytes: written, at: head.at });
          } else write((page, content) => pending.add(page, content));
        }
      }
      done = head.n;
    }
  } catch (error) {
    if (!(error instanceof ReplicaDamage)) throw error;
    // The operator chose the last time that is intact.
    if (done >= least.record && until !== null && reached.at === until) return reached;
    throw new LogEnds(error.message, done >= least.record ? reached.at : null, { cause: error });
  }
  if (done >= least.record) return reached;
  throw new LogEnds(`The log of the chain ${chain.name} ends before its snapshot can be used.`, null);
}

/** Pages of a transaction whose commit was not read yet. In a file, because a transaction may be as large as the database. */
class PendingPages {
  readonly #path: string;
  readonly #pageSize: number;
  #file: number | null = null;
  #count = 0;

  constructor(path: string, pageSize: number) {
    this.#path = path;
    this.#pageSize = pageSize;
  }

  add(page: number, content: Uint8Array): void {
    this.#file ??= openSync(this.#path, "w+", 0o600);
    const entry = Buffer.alloc(4 + this.#pageSize);
    entry.writeUInt32BE(page, 0);
    entry.set(content, 4);
    writeAll(this.#file, entry, this.#count * entry.length);
    this.#count += 1;
  }

  /** Writes the pages in their order, and forgets them. */
  moveTo(write: WritePage): void {
    const entry = Buffer.alloc(4 + this.#pageSize);
    for (let at = 0; this.#file !== null && at < this.#count; at += 1) {
      for (let read = 0; read < entry.length; ) {
        const bytes = readSync(this.#file, entry, read, entry.length - read, at * entry.length + read);
        if (bytes === 0) throw new Error(`${this.#path} is shorter than what was written to it.`);
        read += bytes;
      }
      write(entry.readUInt32BE(0), entry.subarray(4));
    }
    this.#count = 0;
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }
}

function writeAll(file: number, bytes: Uint8Array, offset: number): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, offset + at);
}
