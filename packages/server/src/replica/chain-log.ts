import type { createHash } from "node:crypto";
import type fs from "node:fs";
import type { walChecksum } from "./format.ts";

/** How far the log is copied: what the next record follows. */
export interface Position {
  /** The newest record's number, hash and time; 0, `NO_HASH` and 0 before the first. */
  n: number;
  hash: string;
  at: number;
  /** The volume that is written now; the last one, after a start. */
  volume: number;
  /** The segment (0: none), its log's header in hex, its last copied frame, and the running checksum there. */
  segment: number;
  header: string;
  frame: number;
  sum: [number, number];
  /** The database's file when the segment was sealed; null if it is not sealed. */
  sealed: DatabaseFile | null;
  /** The record that began the segment, and its volume. */
  start: { volume: number; record: number };
}

export interface DatabaseFile {
  modified: string;
  bytes: number;
}

/** A volume in the spool. */
export interface SpoolVolume {
  volume: number;
  bytes: number;
}

export interface Chain {
  /** The folder of its volumes in the spool, which exists. */
  folder: string;
  writer: string;
  epoch: string;
}

interface Parts {
  files: typeof fs;
  hasher: typeof createHash;
  checksum: typeof walChecksum;
  sizes: { volume: number };
}

export type ChainLog = InstanceType<ReturnType<typeof chainLog>>;

/**
 * Returns the class that writes the records of a chain into volumes in the spool. It runs in the replica's thread as a
 * text (`threadProgram`), so it names nothing outside itself.
 *
 * Errors: `CHAIN_BROKEN` if the log is not what it must be: the chain must be left. After any other one, such as a full
 * disk, the position is that of the last whole record, and the caller may go on from there.
 */
export function chainLog({ files, hasher, checksum, sizes }: Parts) {
  const FRAME_HEADER = 24;
  const broken = (reason: string): Error => Object.assign(new Error(reason), { code: "CHAIN_BROKEN" });

  return class {
    readonly position: Position;
    readonly #chain: Chain;
    #handle = -1;
    #bytes = 0;
    #touched: SpoolVolume[] = [];

    /** Begins the volume after the position's. */
    constructor(chain: Chain, from: Position, now: number) {
      this.#chain = chain;
      this.position = { ...from };
      this.#beginVolume(now);
    }

    /** Returns the volumes to which records were added since the last call. All but the last are complete. */
    touched(): SpoolVolume[] {
      const volumes = this.#touched;
      this.#touched = [];
      return volumes;
    }

    /** Begins the next segment. The one before must be sealed, because its log is overwritten. */
    beginSegment(header: string, now: number): void {
      const { position } = this;
      if (position.segment > 0 && position.sealed === null)
        throw broken("SQLite's log restarted before all of it was copied");
      const bytes = Buffer.from(header, "hex");
      const sum = checksum(bytes.subarray(0, 24), (bytes.readUInt32BE(0) & 1) === 1, [0, 0]);
      if (sum[0] !== bytes.readUInt32BE(24) || sum[1] !== bytes.readUInt32BE(28))
        throw broken("the header of SQLite's log does not match its checksum");
      const segment = position.segment + 1;
      this.#append({ type: "segment", segment, header, before: position.frame }, now);
      const start = { volume: position.volume, record: position.n };
      Object.assign(position, { segment, header, frame: 0, sum, sealed: null, start });
    }

    /** Adds frames of the log that follow the position: all up to the last commit among them, or all if there is none. */
    addFrames(frames: Buffer, size: number, now: number): void {
      const { position } = this;
      const bigEndian = (Number.parseInt(position.header.slice(0, 8), 16) & 1) === 1;
      const salts = position.header.slice(32, 48);
      const whole = { count: 0, sum: position.sum, pages: 0 };
      let { sum } = position;
      for (let at = 0; at < frames.length; at += size) {
        const frame = frames.subarray(at, at + size);
        sum = checksum(frame.subarray(FRAME_HEADER), bigEndian, checksum(frame.subarray(0, 8), bigEndian, sum));
        const matches = sum[0] === frame.readUInt32BE(16) && sum[1] === frame.readUInt32BE(20);
        if (!matches || frame.toString("hex", 8, 16) !== salts) throw broken("a frame of SQLite's log is damaged");
        const pages = frame.readUInt32BE(4);
        if (pages > 0) Object.assign(whole, { count: at / size + 1, sum, pages });
      }
      const commit = whole.count > 0;
      if (!commit) Object.assign(whole, { count: frames.length / size, sum });
      const body = Bun.zstdCompressSync(frames.subarray(0, whole.count * size), { level: 1 });
      const { segment, frame } = position;
      const bounds = { first: frame + 1, frames: whole.count, commit, pages: whole.pages, sum: whole.sum };
      const digest = hasher("sha256").update(body).digest("hex");
      this.#append({ type: "frames", segment, ...bounds, bytes: body.length, sha256: digest }, now, body);
      Object.assign(position, { frame: frame + whole.count, sum: whole.sum, sealed: null });
    }

    /** Notes that the file has all of the segment. Does nothing if it is noted already. */
    seal(file: DatabaseFile, now: number): void {
      if (this.position.sealed !== null) return;
      const { segment, frame: frames } = this.position;
      this.#append({ type: "sealed", segment, frames, file }, now);
      this.position.sealed = file;
    }

    /** After a sync that failed, nobody knows what the disk has. */
    sync(): void {
      try {
        files.fdatasyncSync(this.#handle);
      } catch (error) {
        throw broken(`the spool cannot be synced: ${error}`);
      }
    }

    close(): void {
      files.closeSync(this.#handle);
    }

    #append(head: object, now: number, body?: Uint8Array): void {
      if (this.#bytes >= sizes.volume) this.#beginVolume(now);
      this.#add(head, now, body);
    }

    #beginVolume(now: number): void {
      const { folder, writer, epoch } = this.#chain;
      const volume = this.position.volume + 1;
      const handle = files.openSync(`${folder}/${String(volume).padStart(8, "0")}-${writer}`, "w", 0o600);
      if (this.#handle !== -1) {
        this.sync();
        this.close();
      }
      this.#handle = handle;
      this.#bytes = 0;
      this.position.volume = volume;
      const { segment, start, header, frame, sum, sealed } = this.position;
      this.#add({ type: "volume", volume, writer, epoch, segment, start, header, frame, sum, sealed }, now);
    }

    /** Writes a record whole, or not at all. */
    #add(head: object, now: number, body: Uint8Array = new Uint8Array()): void {
      const { position } = this;
      const [n, at] = [position.n + 1, Math.max(now, position.at)];
      const line = Buffer.from(JSON.stringify({ n, previous: position.hash, at, ...head }));
      const record = Buffer.concat([line, Buffer.from("\n"), body]);
      try {
        for (let done = 0; done < record.length; )
          done += files.writeSync(this.#handle, record, done, record.length - done, this.#bytes + done);
      } catch (error) {
        files.ftruncateSync(this.#handle, this.#bytes);
        throw error;
      }
      this.#bytes += record.length;
      Object.assign(position, { n, at, hash: hasher("sha256").update(line).digest("hex") });
      const known = this.#touched.find(({ volume }) => volume === position.volume);
      if (known === undefined) this.#touched.push({ volume: position.volume, bytes: this.#bytes });
      else known.bytes = this.#bytes;
    }
  };
}
