import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Step } from "./disk-trace.ts";

/** The bytes that a disk writes in one operation. */
const SECTOR = 512;

/** The part of the unsynced data that survives a power loss. */
export type Fate = "none of it" | "all of it" | "some of it";

type Change = { at: number; bytes: Buffer } | { size: number };

interface LossyFile {
  /** The content at the last sync. */
  durable: Buffer;
  /** The writes since then, in order. */
  pending: Change[];
}

/**
 * Models a disk that guarantees only what was synced: unsynced writes may survive in any combination of sectors. The
 * same applies to names: creating or removing a file is durable only after its folder was synced.
 */
export class LossyDisk {
  readonly #folder: string;
  readonly #names = new Map<string, LossyFile>();
  #durableNames = new Map<string, LossyFile>();
  readonly #open = new Map<number, LossyFile | "folder">();
  /** By thread, the effect of its sync when the call returns. */
  readonly #syncs = new Map<string, () => void>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Applies a step of the process. Returns true if the folder has changed. */
  take(step: Step): boolean {
    switch (step.is) {
      case "open":
        return this.#openFile(step.fd, step.path, step.creates);
      case "close":
        this.#open.delete(step.fd);
        return false;
      case "unlink":
        return dirname(step.path) === this.#folder && this.#names.delete(basename(step.path));
      case "write":
        return this.#change(step.fd, step);
      case "resize":
        return this.#change(step.fd, step);
      case "sync":
        this.#syncs.set(step.thread, this.#syncOf(step.fd));
        return false;
      case "synced":
        this.#syncs.get(step.thread)?.();
        this.#syncs.delete(step.thread);
        return true;
      case "tell":
        if (this.#open.has(step.fd)) throw new Error("Writes without an offset are not modelled.");
        return false;
    }
  }

  /** Closes all files, as the end of the process does. Its writes remain. */
  end(): void {
    this.#open.clear();
    this.#syncs.clear();
  }

  /** Writes a state after a power loss into a new folder. `chance` is from 0 to 1. */
  image(folder: string, fate: Fate, chance: () => number): void {
    mkdirSync(folder);
    for (const name of new Set([...this.#names.keys(), ...this.#durableNames.keys()])) {
      const isNew = fate === "all of it" || (fate === "some of it" && chance() < 0.5);
      const file = (isNew ? this.#names : this.#durableNames).get(name);
      if (file !== undefined) writeFileSync(join(folder, name), contentOf(file, fate, chance));
    }
  }

  #openFile(fd: number, path: string, creates: boolean): boolean {
    if (path === this.#folder) this.#open.set(fd, "folder");
    const name = basename(path);
    // SQLite's memory-mapped file is rebuilt after a crash; the lock file is empty.
    if (dirname(path) !== this.#folder || /-shm$|\.lock/.test(name)) return false;
    const known = this.#names.get(name);
    const file = known ?? { durable: Buffer.alloc(0), pending: [] };
    if (known === undefined && !creates) throw new Error(`${name} was never created.`);
    this.#names.set(name, file);
    this.#open.set(fd, file);
    return known === undefined;
  }

  #change(fd: number, change: Change): boolean {
    const file = this.#open.get(fd);
    if (file === undefined || file === "folder") return false;
    file.pending.push(change);
    return true;
  }

  /** Begins a sync, which covers only the earlier writes. Returns a function that makes them durable. */
  #syncOf(fd: number): () => void {
    const file = this.#open.get(fd);
    if (file === undefined) return () => {};
    if (file === "folder") {
      const names = new Map(this.#names);
      return () => {
        this.#durableNames = names;
      };
    }
    const covered = file.pending.slice();
    return () => {
      // Another sync may have made some of them durable.
      const now = covered.filter((change) => file.pending.includes(change));
      file.durable = replayed(file.durable, now);
      file.pending = file.pending.filter((change) => !now.includes(change));
    };
  }
}

function contentOf({ durable, pending }: LossyFile, fate: Fate, chance: () => number): Buffer {
  if (fate === "none of it") return durable;
  const survived = fate === "all of it" ? pending : pending.flatMap((change) => survivors(change, chance));
  return replayed(durable, survived);
}

function survivors(change: Change, chance: () => number): Change[] {
  const luck = chance();
  if (luck < 1 / 3) return [];
  if (luck < 2 / 3 || "size" in change) return [change];
  const sectors: Change[] = [];
  for (let from = 0; from < change.bytes.length; ) {
    const at = change.at + from;
    const length = SECTOR - (at % SECTOR);
    if (chance() < 0.5) sectors.push({ at, bytes: change.bytes.subarray(from, from + length) });
    from += length;
  }
  return sectors;
}

function replayed(content: Buffer, changes: readonly Change[]): Buffer {
  const ends = changes.map((change) => ("size" in change ? change.size : change.at + change.bytes.length));
  const after = Buffer.alloc(Math.max(content.length, ...ends));
  content.copy(after);
  let size = content.length;
  for (const change of changes) {
    if ("bytes" in change) {
      change.bytes.copy(after, change.at);
      size = Math.max(size, change.at + change.bytes.length);
    } else {
      if (change.size < size) after.fill(0, change.size, size);
      size = change.size;
    }
  }
  return after.subarray(0, size);
}
