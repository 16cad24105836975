import type { Database } from "bun:sqlite";
import type { createHash } from "node:crypto";
import type fs from "node:fs";
import type { Chain, ChainLog, chainLog, DatabaseFile, Position, SpoolVolume } from "./chain-log.ts";
import { BODY_BYTES_MAX, PART_BYTES, VOLUME_BYTES } from "./format.ts";

export interface Ticked {
  /** Frames in SQLite's log. */
  log: number;
  /** Null: it follows no chain. */
  position: Position | null;
  /** Volumes to which records were added. All but the last are complete. */
  volumes: SpoolVolume[];
  /** True: there is more to copy than one act may take. */
  more: boolean;
}

/** A part of a snapshot, compressed. */
export interface Slice {
  bytes: Uint8Array<ArrayBuffer>;
  pages: number;
  sha256: string;
}

interface Time {
  /** By how many milliseconds the server's clock is ahead of the machine's. */
  ahead: number;
}

interface Results {
  /** Opens the connections. `file` is the handle on the database's file, which nobody ever closes. */
  open: { input: { path: string; file: number }; result: { pageSize: number } };
  /** Goes on with a chain, in a new volume, if the log can prove that nothing is missing; otherwise returns false. */
  resume: { input: { chain: Chain; position: Position } & Time; result: boolean };
  /** Begins a chain with all of the log. */
  begin: { input: { chain: Chain } & Time; result: undefined };
  /** Leaves the chain: from now on the log is not copied, and may restart. */
  leave: { input: object; result: undefined };
  tick: { input: Time; result: Ticked };
  /** Copies the log into the database's file and, unless a reader has an old snapshot, lets it restart. */
  pass: { input: Time; result: Ticked };
  /** Returns pages of the database's file, from this one on; null behind its end. */
  slice: { input: { page: number }; result: Slice | null };
  close: { input: object; result: undefined };
}
/** Every act but `open` and `close` fails with the code `NOT_OPEN` on a thread that has not opened the database. */
export type ActName = keyof Results;
export type Input<Name extends ActName> = Results[Name]["input"];
export type Result<Name extends ActName> = Results[Name]["result"];
export type Act = { [Name in ActName]: { act: Name } & Input<Name> }[ActName];

/** Bytes of a record's frames, of a volume, of a part of a snapshot, and of the frames that one act may copy. */
export const SIZES = { record: BODY_BYTES_MAX, volume: VOLUME_BYTES, part: PART_BYTES, act: 64 * 1024 * 1024 };

interface Parts {
  SqliteDatabase: typeof Database;
  files: typeof fs;
  hasher: typeof createHash;
  ChainLog: ReturnType<typeof chainLog>;
  sizes: typeof SIZES;
  beginning: Position;
  /** The machine's clock. */
  now: () => number;
}

/**
 * The program of the thread that alone copies, checkpoints and takes snapshots of SQLite's log. It becomes a text
 * (`threadProgram`), so it names nothing outside itself. docs/subsystems/replica.md has the rules, by number.
 */
export function replicaThread({ SqliteDatabase, files, hasher, ChainLog, sizes, beginning, now }: Parts) {
  const LOG_HEADER = 32;
  const FRAME_HEADER = 24;

  class Thread {
    readonly pageSize: number;
    readonly #path: string;
    readonly #file: number;
    /** Two readers, in turn (rule 2); one that checkpoints, outside of transactions; one that takes the write lock. */
    readonly #readers: readonly [Database, Database];
    readonly #checkpointer: Database;
    readonly #writer: Database;
    readonly #log: number;
    readonly #frameBytes: number;
    readonly #frames: Buffer;
    #part: Buffer | undefined;
    #held: Database | undefined;
    #chain: ChainLog | undefined;

    constructor({ path, file }: { path: string; file: number }) {
      const open = (): Database => {
        const database = new SqliteDatabase(path, { create: false, readwrite: true });
        database.run("pragma busy_timeout = 100");
        database.run("pragma synchronous = normal");
        database.run("pragma wal_autocheckpoint = 0");
        database.query("select 1 from sqlite_schema limit 1").get();
        return database;
      };
      this.#path = path;
      this.#file = file;
      this.#readers = [open(), open()];
      this.#checkpointer = open();
      this.#writer = open();
      this.#log = files.openSync(`${path}-wal`, "r+");
      this.pageSize = (this.#writer.query("pragma page_size").get() as { page_size: number }).page_size;
      this.#frameBytes = FRAME_HEADER + this.pageSize;
      this.#frames = Buffer.alloc(sizes.record - (sizes.record % this.#frameBytes));
    }

    /** Rule 8. */
    resume({ chain, position, ahead }: Input<"resume">): boolean {
      this.#handOver(() => false);
      const { header, log } = this.#end();
      const follows = header === position.header ? this.#isAt(position, log) : this.#isSealed(position);
      if (follows) this.#chain = new ChainLog(chain, position, now() + ahead);
      else this.leave();
      return follows;
    }

    begin({ chain, ahead }: Input<"begin">): void {
      this.#handOver(() => false);
      // An empty log has no header yet. SQLite does not write a row that stays as it is.
      if (this.#end().log === 0)
        this.#writer.run("insert or replace into meta values ('replica_began', hex(randomblob(8)))");
      this.#chain = new ChainLog(chain, beginning, now() + ahead);
    }

    leave(): void {
      const [chain, held] = [this.#chain, this.#held];
      this.#chain = undefined;
      this.#held = undefined;
      held?.run("rollback");
      chain?.close();
    }

    tick(ahead: number): Ticked {
      const { header, log } = this.#end();
      const at = this.#chain?.position;
      const changed = at !== undefined && (at.header !== header || at.frame !== log);
      return this.#ticked(log, changed && this.#handOver(() => this.#copy(ahead)));
    }

    /** Rule 4. Without a chain nothing is held, and the log restarts whenever all of it is checkpointed. */
    pass(ahead: number): Ticked {
      const handOver = () => this.#chain !== undefined && this.#handOver(() => this.#copy(ahead));
      handOver();
      this.#checkpoint("passive");
      this.#writer.run("begin immediate");
      try {
        const more = handOver();
        const { log, checkpointed } = this.#checkpoint("passive");
        // Nobody can write now: the copy seals the log.
        if (log === checkpointed && !more) handOver();
        return this.#ticked(log, more);
      } finally {
        this.#writer.run("rollback");
      }
    }

    /** Rule 9: the pages are as they are in the file now, while passes go on. */
    slice(page: number): Slice | null {
      this.#part ??= Buffer.alloc(sizes.part);
      const length = files.readSync(this.#file, this.#part, 0, sizes.part, (page - 1) * this.pageSize);
      const pages = Math.floor(length / this.pageSize);
      if (pages === 0) return null;
      const body = Bun.zstdCompressSync(this.#part.subarray(0, pages * this.pageSize), { level: 3 });
      return { bytes: new Uint8Array(body), pages, sha256: hasher("sha256").update(body).digest("hex") };
    }

    close(): void {
      this.leave();
      for (const database of [...this.#readers, this.#checkpointer, this.#writer]) database.close();
      files.closeSync(this.#log);
    }

    /** Begins a reader, lets `copy` run, and only then ends the old one (rule 2); not if there is more to copy. */
    #handOver(copy: () => boolean): boolean {
      const [one, other] = this.#readers;
      const fresh = this.#held === one ? other : one;
      fresh.run("begin");
      let more = true;
      try {
        fresh.query("select 1 from sqlite_schema limit 1").get();
        more = copy();
      } finally {
        if (more) fresh.run("rollback");
      }
      if (more) return true;
      this.#held?.run("rollback");
      this.#held = fresh;
      return false;
    }

    /** Rules 6 and 7: the log's header and length, and how much of it is in the file. */
    #end(): { header: string; log: number; checkpointed: number } {
      for (;;) {
        const before = this.#header();
        const { log, checkpointed } = this.#checkpoint("noop");
        if (before === this.#header()) return { header: before, log: Math.max(log, 0), checkpointed };
      }
    }

    #header(): string {
      const header = Buffer.alloc(LOG_HEADER);
      files.readSync(this.#log, header, 0, LOG_HEADER, 0);
      return header.toString("hex");
    }

    #checkpoint(mode: "noop" | "passive"): { log: number; checkpointed: number } {
      return this.#checkpointer.query(`pragma wal_checkpoint(${mode})`).get() as { log: number; checkpointed: number };
    }

    /** Copies what the log has grown by, once it is on the disk. Returns true if there is more. */
    #copy(ahead: number): boolean {
      const chain = this.#chain;
      if (chain === undefined) return false;
      const { header, log, checkpointed } = this.#end();
      if (log === 0) return false;
      // After the log's end is known: a restore to a time has nothing that was committed later.
      const at = now() + ahead;
      files.fdatasyncSync(this.#log);
      if (header !== chain.position.header) chain.beginSegment(header, at);
      const size = this.#frameBytes;
      for (let copied = 0; chain.position.frame < log; ) {
        if (copied >= sizes.act) {
          chain.sync();
          return true;
        }
        const { frame } = chain.position;
        const wanted = Math.min((log - frame) * size, this.#frames.length);
        const length = files.readSync(this.#log, this.#frames, 0, wanted, LOG_HEADER + frame * size);
        if (length !== wanted) throw new Error("SQLite's log cannot be read to its end");
        chain.addFrames(this.#frames.subarray(0, wanted), size, at);
        copied += (chain.position.frame - frame) * size;
      }
      // The reader that has just begun lets the log restart if all of it was in the file, and then nothing else gets there.
      if (checkpointed === log) chain.seal(this.#fileNow(), at);
      chain.sync();
      return false;
    }

    #ticked(log: number, more: boolean): Ticked {
      const chain = this.#chain;
      if (chain === undefined) return { log, position: null, volumes: [], more: false };
      return { log, position: { ...chain.position }, volumes: chain.touched(), more };
    }

    /** Rule 8a: the last copied frame is where it was. */
    #isAt({ frame, sum }: Position, log: number): boolean {
      if (frame > log) return false;
      if (frame === 0) return true;
      const stored = Buffer.alloc(8);
      files.readSync(this.#log, stored, 0, 8, LOG_HEADER + (frame - 1) * this.#frameBytes + 16);
      return stored.readUInt32BE(0) === sum[0] && stored.readUInt32BE(4) === sum[1];
    }

    /** Rule 8b: nothing was copied into the file since the seal, so all that was written since is in the new log. */
    #isSealed({ sealed }: Position): boolean {
      const { modified, bytes } = this.#fileNow();
      return sealed?.modified === modified && sealed.bytes === bytes;
    }

    #fileNow(): DatabaseFile {
      const { mtimeNs, size } = files.statSync(this.#path, { bigint: true });
      return { modified: String(mtimeNs), bytes: Number(size) };
    }
  }

  let thread: Thread | undefined;
  return (input: Act): unknown => {
    if (input.act === "open") {
      thread = new Thread(input);
      return { pageSize: thread.pageSize };
    }
    if (thread === undefined && input.act === "close") return undefined;
    if (thread === undefined) throw Object.assign(new Error("the replica's thread ended"), { code: "NOT_OPEN" });
    if (input.act === "resume") return thread.resume(input);
    if (input.act === "begin") return thread.begin(input);
    if (input.act === "leave") return thread.leave();
    if (input.act === "tick") return thread.tick(input.ahead);
    if (input.act === "pass") return thread.pass(input.ahead);
    if (input.act === "slice") return thread.slice(input.page);
    return thread.close();
  };
}
