import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { zstdCompressSync } from "node:zlib";
import {
  FORMAT,
  FRAME_HEADER_BYTES,
  NO_HASH,
  type RecordHead,
  sha256,
  WAL_HEADER_BYTES,
  walChecksum,
} from "../../../src/replica/format.ts";
import type { ReplicaStorage } from "../../../src/replica/storage.ts";

const WRITER = "0123abcd";
const FRAMES_MAX = 16;
type NewHead = RecordHead extends infer Head ? (Head extends RecordHead ? Omit<Head, "n" | "previous"> : never) : never;

/** Writes a replica of a database by the letter of format.ts, one step at a time: each `tick` is one object. */
export class SmallReplica {
  readonly name: string;
  readonly #storage: ReplicaStorage;
  readonly #path: string;
  readonly #database: string;
  #n = 0;
  #hash = NO_HASH;
  #volume = 0;
  #piece = 0;
  #segment = 0;
  #frames = 0;
  #sum: [number, number] = [0, 0];
  #header = "";
  #snapshots = 0;
  #pageSize = 0;

  constructor(storage: ReplicaStorage, path: string, { chain = 1, database = "d".repeat(32) } = {}) {
    this.name = `${String(chain).padStart(6, "0")}-aaaabbbb`;
    this.#storage = storage;
    this.#path = path;
    this.#database = database;
  }

  /** Begins the chain with a snapshot of the database's file, into which all of the log was copied, and a volume. */
  async begin(at: number, epoch = "e"): Promise<void> {
    const file = readFileSync(this.#path);
    this.#pageSize = file.readUInt16BE(16) === 1 ? 65_536 : file.readUInt16BE(16);
    await this.#json("identity.json", { format: FORMAT, database: this.#database });
    await this.#json(`chains/${this.name}/chain.json`, {
      format: FORMAT,
      database: this.#database,
      epoch,
      pageSize: this.#pageSize,
      writer: WRITER,
      at,
      reason: "test",
    });
    await this.newVolume(at, epoch);
  }

  async newVolume(at: number, epoch = "e"): Promise<void> {
    this.#volume += 1;
    this.#piece = 0;
    await this.#append([
      this.#record({ at, type: "volume", volume: this.#volume, writer: WRITER, epoch, ...this.#standing }),
    ]);
  }

  /** Copies what the log has more than before. Returns the name of the object; null if there is nothing. */
  async tick(at: number): Promise<string | null> {
    const log = readFileSync(`${this.#path}-wal`);
    const header = log.subarray(0, WAL_HEADER_BYTES).toString("hex");
    const records: Buffer[] = [];
    if (header !== this.#header) {
      const before = this.#frames;
      this.#segment += 1;
      [this.#header, this.#frames] = [header, 0];
      this.#sum = walChecksum(log.subarray(0, WAL_HEADER_BYTES - 8), isBig(log), [0, 0]);
      records.push(this.#record({ at, type: "segment", segment: this.#segment, header, before }));
    }
    const length = FRAME_HEADER_BYTES + this.#pageSize;
    for (;;) {
      const first = WAL_HEADER_BYTES + this.#frames * length;
      let count = 0;
      let pages = 0;
      let sum = this.#sum;
      for (let from = first; from + length <= log.length && count < FRAMES_MAX; from += length) {
        const next = walChecksum(log.subarray(from, from + 8), isBig(log), sum);
        const whole = walChecksum(log.subarray(from + FRAME_HEADER_BYTES, from + length), isBig(log), next);
        if (whole[0] !== log.readUInt32BE(from + 16) || whole[1] !== log.readUInt32BE(from + 20)) break;
        [sum, pages, count] = [whole, log.readUInt32BE(from + 4), count + 1];
      }
      if (count === 0) break;
      const stored = zstdCompressSync(log.subarray(first, first + count * length));
      const head = { at, type: "frames" as const, segment: this.#segment, first: this.#frames + 1, frames: count };
      const body = { commit: pages > 0, pages, sum, bytes: stored.length, sha256: sha256(stored) };
      records.push(this.#record({ ...head, ...body }, stored));
      this.#frames += count;
      this.#sum = sum;
    }
    return records.length === 0 ? null : this.#append(records);
  }

  /** Copies the database's file, from which a replay can begin at the segment that began last, once all until now is applied. */
  async snapshot(at: number): Promise<string> {
    this.#snapshots += 1;
    const folder = `chains/${this.name}/snapshots/${String(this.#snapshots).padStart(6, "0")}/`;
    const file = readFileSync(this.#path);
    const parts: { pages: number; bytes: number; sha256: string }[] = [];
    const size = 8 * this.#pageSize;
    for (let from = 0; from < file.length; from += size) {
      const pages = file.subarray(from, from + size);
      const stored = zstdCompressSync(pages);
      parts.push({ pages: pages.length / this.#pageSize, bytes: stored.length, sha256: sha256(stored) });
      await this.#storage.write(`${folder}pages-${String(parts.length).padStart(6, "0")}`, stored);
    }
    const start = { volume: this.#startVolume, record: this.#startRecord, segment: this.#segment };
    const least = { record: this.#n, at };
    await this.#json(`${folder}snapshot.json`, {
      format: FORMAT,
      pageSize: this.#pageSize,
      began: at,
      at,
      start,
      least,
      parts,
    });
    return folder;
  }

  /** The fields by which a volume repeats the records before it. */
  get #standing() {
    return {
      segment: this.#segment,
      start: { volume: this.#startVolume, record: this.#startRecord },
      header: this.#header,
      frame: this.#frames,
      sum: this.#sum,
      sealed: null,
    };
  }

  #startVolume = 0;
  #startRecord = 0;

  #record(head: NewHead, body: Uint8Array = new Uint8Array()): Buffer {
    this.#n += 1;
    if (head.type === "segment") [this.#startVolume, this.#startRecord] = [this.#volume, this.#n];
    const text = JSON.stringify({ n: this.#n, previous: this.#hash, ...head });
    this.#hash = sha256(Buffer.from(text));
    return Buffer.concat([Buffer.from(`${text}\n`), body]);
  }

  async #append(records: readonly Buffer[]): Promise<string> {
    this.#piece += 1;
    const digits = (value: number) => String(value).padStart(8, "0");
    const name = `chains/${this.name}/log/${digits(this.#volume)}-${WRITER}.${digits(this.#piece)}`;
    await this.#storage.write(name, Buffer.concat(records));
    return name;
  }

  #json(name: string, value: object): Promise<void> {
    return this.#storage.write(name, Buffer.from(JSON.stringify(value)));
  }
}

const isBig = (log: Buffer): boolean => (log.readUInt32BE(0) & 1) === 1;

/** Opens a database whose log only the test copies back. */
export function logged(path: string, pageSize = 4096): Database {
  const database = new Database(path);
  database.run(`pragma page_size = ${pageSize}`);
  database.run("pragma journal_mode = wal");
  database.run("pragma wal_autocheckpoint = 0");
  return database;
}
