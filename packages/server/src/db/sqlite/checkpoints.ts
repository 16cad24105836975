import type { Database, Statement } from "bun:sqlite";
import { isFatalStorageCode } from "./driver.ts";

/** SQLite's report on its log. */
interface LogPages {
  /** Pages in the log. */
  log: number;
  /** Pages of the log that are copied into the database. */
  checkpointed: number;
}

/** The worker's result of a pass: null, or the error. */
type Outcome = { message: string; code?: string } | null;

/** A reader with an old snapshot can stop a pass from finishing; the next pass starts after this many more pages. */
const STEP = 1_000;

/**
 * The worker's source. It is inline because the sources, the bundle and the executable would each look for a file in
 * another place. It first copies all that it can without blocking anybody, which is nearly everything. Then, unless a
 * reader has an old snapshot, it blocks writers and copies the rest: the log restarts only when all of it is copied. It
 * opens a connection for each pass, so that none is left when the server closes its own. SQLite syncs the log before it
 * copies, and the database after (`normal`).
 */
const WORKER = `
import { Database } from "bun:sqlite";
function pass({ path }) {
  const database = new Database(path, { create: false, readwrite: true });
  try {
    database.run("pragma synchronous = normal");
    database.run("pragma busy_timeout = 100");
    database.query("select 1 from sqlite_schema limit 1").get();
    const { log, checkpointed } = database.query("pragma wal_checkpoint(passive)").get();
    if (log === checkpointed) database.query("pragma wal_checkpoint(full)").get();
  } finally {
    database.close();
  }
}
self.onmessage = ({ data }) => {
  try {
    pass(data);
    postMessage(null);
  } catch (error) {
    postMessage({ message: String(error), code: error?.code });
  }
};
`;

/**
 * Checkpoints a server's log in a worker, off the event loop, whenever it has grown by a number of pages. The worker
 * starts with the first pass, so an idle server has none. If a pass fails, the connection's own checkpoint, with a
 * higher threshold, remains.
 */
export class Checkpoints {
  readonly #path: string;
  readonly #pages: number;
  readonly #size: Statement<LogPages, []>;
  readonly #onFatal: (error: unknown) => void;
  #worker: Worker | undefined;
  #running: PromiseWithResolvers<void> | undefined;
  #next: number;
  #isClosed = false;

  /**
   * `onFatal` is called when the disk is broken. A full disk, or a checkpoint by another process, is left to the
   * connection.
   */
  constructor(path: string, database: Database, pages: number, onFatal: (error: unknown) => void) {
    this.#path = path;
    this.#pages = pages;
    this.#next = pages;
    this.#onFatal = onFatal;
    // Copies nothing: returns the length of the log.
    this.#size = database.prepare("pragma wal_checkpoint(noop)");
  }

  /** Checks the log's length after a commit. Call it outside of a transaction. */
  committed(): void {
    if (this.#running !== undefined || this.#isClosed) return;
    const pages = this.#size.get()?.log ?? 0;
    if (pages < this.#pages) this.#next = this.#pages;
    if (pages < this.#next) return;
    this.#next = pages + STEP;
    this.#begin();
  }

  /**
   * Stops the worker. Call it before the server's connection closes: that one is then the last, and removes the log.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running?.promise;
    this.#worker?.terminate();
    this.#size.finalize();
  }

  #begin(): void {
    this.#running = Promise.withResolvers();
    this.#worker ??= this.#start();
    this.#worker.postMessage({ path: this.#path });
  }

  #start(): Worker {
    const url = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
    const worker = new Worker(url, { name: "checkpoints", smol: true, ref: false });
    worker.onmessage = ({ data }: MessageEvent<Outcome>) => this.#end(data);
    worker.onerror = ({ message }) => {
      this.#worker = undefined;
      this.#end({ message });
    };
    return worker;
  }

  #end(outcome: Outcome): void {
    this.#running?.resolve();
    this.#running = undefined;
    if (outcome?.code !== undefined && isFatalStorageCode(outcome.code)) this.#onFatal(new Error(outcome.message));
  }
}
