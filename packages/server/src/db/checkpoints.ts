import type { Database, Statement } from "bun:sqlite";
import { isFatalStorageCode } from "./sqlite-driver.ts";

/** SQLite's answer about its log. */
interface LogPages {
  /** In the log. */
  log: number;
  /** Of these, copied into the database. */
  checkpointed: number;
}

/** What the worker says of a pass: nothing, or what went wrong. */
type Outcome = { message: string; code?: string } | null;

/** A reader that holds old pages keeps a pass from its end: so many pages later the next one is tried. */
const STEP = 1_000;

/**
 * The worker. Its text stands here because the sources, the bundle and the executable would each look for a file in another place. First all that
 * can be copied without holding anybody up, which is nearly all; then, unless a reader holds old pages, the little that was written meanwhile,
 * with writers kept out: only a log that was copied whole is begun anew. It has a connection for one pass only, so that none is left when the
 * server closes its own. SQLite syncs the log before it copies, and the database after (`normal`).
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
 * Copies a server's log back into its database beside the event loop, whenever it has grown to so many pages. The worker begins with the first
 * pass: a quiet server has none. Should a pass fail, the connection's own checkpoint, at a higher number, is still there.
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

  /** `onFatal` hears of a disk that is broken. That it is full, or another process copies, is nothing new to the connection. */
  constructor(path: string, database: Database, pages: number, onFatal: (error: unknown) => void) {
    this.#path = path;
    this.#pages = pages;
    this.#next = pages;
    this.#onFatal = onFatal;
    // Copies nothing: it tells how long the log is.
    this.#size = database.prepare("pragma wal_checkpoint(noop)");
  }

  /** The log may have grown. To be called outside of a transaction. */
  committed(): void {
    if (this.#running !== undefined || this.#isClosed) return;
    const pages = this.#size.get()?.log ?? 0;
    if (pages < this.#pages) this.#next = this.#pages;
    if (pages < this.#next) return;
    this.#next = pages + STEP;
    this.#begin();
  }

  /** Before the server's connection closes: that is the last one then, and leaves no log behind. */
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
