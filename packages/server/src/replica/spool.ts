import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Position } from "./chain-log.ts";
import { type LogRecord, NO_HASH, ReplicaDamage, readRecords } from "./format.ts";

/** Bytes that may wait for the replica. Beyond that, the chain is left, so that chat goes on with a bounded disk. */
export const SPOOL_BYTES_MAX = 256 * 1024 * 1024;
const WRITERS_KEPT = 100;
const VOLUME = /^(\d{8})-[0-9a-f]{8}$/;

/** A volume in the spool. */
export interface Spooled {
  /** `<volume>-<writer>`. */
  name: string;
  volume: number;
  bytes: number;
}

/** A chain in the spool, as a server left it. */
export interface SpooledChain {
  chain: string;
  position: Position;
  volumes: Spooled[];
}

/**
 * The folder beside the database in which copied parts of the log wait, synced, until the replica has them. It has one
 * chain at most, and the newest volume of that stays.
 */
export class Spool {
  readonly folder: string;

  /** Creates the folder, closed to other users. */
  constructor(databasePath: string) {
    this.folder = spoolOf(databasePath);
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
  }

  folderOf(chain: string): string {
    return join(this.folder, chain);
  }

  /** Makes the folder of a chain, durably. */
  begin(chain: string): void {
    mkdirSync(this.folderOf(chain), { recursive: true, mode: 0o700 });
    syncFolder(this.folder);
  }

  /** Removes every chain, durably: none may be continued. */
  clear(): void {
    for (const name of this.#chains()) rmSync(this.folderOf(name), { recursive: true, force: true });
    syncFolder(this.folder);
  }

  /** Returns the names of servers that have written from this spool, and adds this one, durably. */
  writersWith(writer: string): string[] {
    const path = join(this.folder, "writers");
    const before = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
    const writers = [...before.filter((name) => name !== ""), writer].slice(-WRITERS_KEPT);
    writeFileSync(path, writers.join("\n"), { mode: 0o600, flush: true });
    return writers;
  }

  /**
   * Returns the chain that the last server left, null if there is none of this epoch. A record that a crash cut off is
   * removed.
   */
  read(epoch: string): SpooledChain | null {
    const [chain, ...others] = this.#chains();
    if (chain === undefined || others.length > 0) return null;
    const names = readdirSync(this.folderOf(chain)).filter((name) => VOLUME.test(name));
    const volumes = names.sort().map((name) => ({ name, volume: Number(name.slice(0, 8)), bytes: 0 }));
    let position: Position | null = null;
    for (const volume of volumes) {
      const path = join(this.folderOf(chain), volume.name);
      const read = recordsIn(readFileSync(path), epoch);
      if (read.position === null) {
        rmSync(path); // a crash came before its first record
        continue;
      }
      truncateSync(path, read.bytes);
      Object.assign(volume, { bytes: read.bytes });
      position = read.position;
    }
    return position === null ? null : { chain, position, volumes: volumes.filter(({ bytes }) => bytes > 0) };
  }

  remove(chain: string, name: string): void {
    rmSync(join(this.folderOf(chain), name), { force: true });
  }

  #chains(): string[] {
    return readdirSync(this.folder).filter((name) => /^\d{6}-[0-9a-f]{8}$/.test(name));
  }
}

export const spoolOf = (databasePath: string): string => `${databasePath}-replica`;

/** Reads the whole records at the beginning; null if there are none, or they are of another epoch. */
function recordsIn(bytes: Uint8Array, epoch: string): { position: Position | null; bytes: number } {
  let read: { position: Position | null; bytes: number } = { position: null, bytes: 0 };
  try {
    for (const record of readRecords(bytes)) {
      if (record.head.type === "volume" && record.head.epoch !== epoch) return { position: null, bytes: 0 };
      read = { position: positionAfter(record, read.position), bytes: record.end };
    }
  } catch (error) {
    if (!(error instanceof ReplicaDamage)) throw error;
  }
  return read;
}

/** Returns the position after a record. `before` is null at the beginning of a volume. */
export function positionAfter({ head, hash }: Pick<LogRecord, "head" | "hash">, before: Position | null): Position {
  const { n, at } = head;
  if (head.type === "volume") {
    const { volume, segment, start, header, frame, sum, sealed } = head;
    return { n, at, hash, volume, segment, start, header, frame, sum, sealed };
  }
  if (before === null) throw new ReplicaDamage(`Record ${n} is not in a volume.`);
  const now = { ...before, n, at, hash };
  if (head.type === "frames") return { ...now, frame: head.first + head.frames - 1, sum: head.sum, sealed: null };
  if (head.type === "sealed") return { ...now, sealed: head.file };
  const { segment, header } = head;
  const bytes = Buffer.from(header, "hex");
  const start = { volume: before.volume, record: n };
  return {
    ...now,
    segment,
    header,
    frame: 0,
    sum: [bytes.readUInt32BE(24), bytes.readUInt32BE(28)],
    sealed: null,
    start,
  };
}

/** The position before the first record of a chain. */
export const BEGINNING: Position = {
  n: 0,
  hash: NO_HASH,
  at: 0,
  volume: 0,
  segment: 0,
  header: "",
  frame: 0,
  sum: [0, 0],
  sealed: null,
  start: { volume: 1, record: 0 },
};

function syncFolder(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
