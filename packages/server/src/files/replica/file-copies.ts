import { pause } from "../../base/timers.ts";
import type { AppContext } from "../../context.ts";
import { copyBytes } from "../storage/copy-bytes.ts";
import type { FileStorage } from "../storage/file-storage.ts";
import { blobsAfter, isKnownKey } from "./copies.store.ts";
import { keptMs, openReplicaFiles } from "./replica-files.ts";

/** How long an upload waits for its copy. */
const PATIENCE_MS = 5_000;
/** Keys whose copies are missing; beyond, the next pass looks for all. */
const PENDING_MAX = 10_000;
const RETRY_MS = 30_000;
const PAGE = 500;
const DAY_MS = 86_400_000;

/**
 * Keeps a copy of each file in the replica. An upload waits for its own copy for a moment, so a lost disk takes no file
 * that was acknowledged while the replica could be written. While it cannot, uploads go on, and the copies are made
 * later.
 */
export class FileCopies {
  readonly #ctx: AppContext;
  readonly #local: FileStorage;
  #opened: FileStorage | undefined;
  readonly #pending = new Set<string>();
  /** At the start it is not known what is missing. */
  #isComplete = false;
  #lane: Promise<void> = Promise.resolve();

  constructor(ctx: AppContext, local: FileStorage) {
    this.#ctx = ctx;
    this.#local = local;
  }

  /** The number of copies that are missing; null: not known. */
  get missing(): number | null {
    return this.#isComplete ? this.#pending.size : null;
  }

  /** Copies a file that was just stored. Resolves when the copy is there, or after a few seconds; never rejects. */
  async add(key: string): Promise<void> {
    const later = this.#pending.size > 0 || !this.#isComplete;
    if (this.#pending.size < PENDING_MAX) this.#pending.add(key);
    else this.#isComplete = false;
    // Behind others that failed it would only wait in vain.
    if (!later) await Promise.race([this.pass(), pause(PATIENCE_MS, { unref: true })]);
  }

  /** Removes the copy of a file whose bytes were removed. Rejects if the replica does not answer. */
  async remove(key: string): Promise<void> {
    this.#pending.delete(key);
    await this.#replica.remove(key);
  }

  /** Copies what is missing, as far as the replica takes it. Passes wait for each other; never rejects. */
  pass(): Promise<void> {
    this.#lane = this.#lane.then(() => this.#pass());
    return this.#lane;
  }

  async #pass(): Promise<void> {
    try {
      if (!this.#isComplete) await this.#compare();
      for (const key of [...this.#pending]) await this.#copy(key);
    } catch (err) {
      // The place may come back as an empty disk, whose folders are made when it is opened.
      this.#opened = undefined;
      this.#ctx.log.warn({ err, missing: this.missing }, "files could not be copied to the replica; it is tried again");
    }
  }

  async #copy(key: string): Promise<void> {
    const size = await this.#local.size(key);
    // Removed meanwhile, or stored by a process that was killed before.
    if (size !== null) {
      const sha256 = key.slice(0, 64);
      const { damaged } = await copyBytes(this.#local, this.#replica, [{ sha256, size, source: key, target: key }]);
      if (damaged.length > 0) this.#ctx.log.error({ sha256 }, "a file is damaged, so it was not copied to the replica");
    }
    this.#pending.delete(key);
  }

  /** Compares all files with all copies, in the order of their keys, and removes copies that no state can need any more. */
  async #compare(): Promise<void> {
    const { db, clock, config } = this.#ctx;
    const copies = this.#replica.list()[Symbol.asyncIterator]();
    const before = clock.now() - keptMs(config) - DAY_MS;
    let copy = await copies.next();
    const skipTo = async (key: string | null) => {
      for (; copy.done !== true && (key === null || copy.value.key < key); copy = await copies.next()) {
        const { key: old, storedAt } = copy.value;
        if (storedAt < before && !(await isKnownKey(db, old))) await this.#replica.remove(old);
      }
    };
    let found = 0;
    for (let after = ""; ; ) {
      const blobs = await blobsAfter(db, after, PAGE);
      for (const { key, size } of blobs) {
        await skipTo(key);
        const isThere = copy.done !== true && copy.value.key === key && copy.value.sizeBytes === size;
        if (isThere) copy = await copies.next();
        else if (this.#pending.size < PENDING_MAX) this.#pending.add(key);
        else found += 1;
      }
      after = blobs.at(-1)?.sha256 ?? "";
      if (blobs.length < PAGE) break;
    }
    await skipTo(null);
    // What did not fit is found by the next comparison.
    this.#isComplete = found === 0;
  }

  get #replica(): FileStorage {
    this.#opened ??= openReplicaFiles(this.#ctx.config, this.#ctx.log);
    return this.#opened;
  }

  static readonly retryMs = RETRY_MS;
}
