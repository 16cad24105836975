import { LoadingCache } from "../base/loading-cache.ts";
import { pause } from "../base/timers.ts";
import { runOnOne } from "../cluster/duties.ts";
import { type AppContext, perServer } from "../context.ts";
import type { Millis } from "../db/columns.ts";
import type { Db } from "../db/db.ts";
import type { WebFile } from "./bundle.ts";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** A page that was loaded longer ago than this has to be reloaded after an upgrade. */
const KEEP_MS = 7 * DAY_MS;
/** How long a node serves its page before it tries again to store the files that could not be stored. */
const RETRY_MS = 5_000;
/** The least time between two readings of the list of stored files, whatever names are asked for. */
const LIST_MS = 100;
const FILES_CACHED = 32;
/** The names that bundle.ts gives: a hash of the content follows the last dash. */
const OURS = /^\/assets\/[A-Za-z-]{1,40}-[0-9a-z]{8,12}\.(?:js|css|svg)$/;

/**
 * The files of all nodes' pages, in the database: during an upgrade a page of one release asks nodes of the other for
 * its scripts. A node stores its own files before it serves a page that names them.
 */
export class SharedFiles {
  readonly #ctx: AppContext;
  readonly #files = new LoadingCache<string, WebFile | null>(FILES_CACHED);
  #paths: ReadonlySet<string> = new Set();
  #storeAfter = Number.NEGATIVE_INFINITY;
  #storing: Promise<void> | undefined;
  #reading: Promise<void> = Promise.resolve();
  #readAt = Number.NEGATIVE_INFINITY;
  #next: Promise<void> | undefined;

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
  }

  /** Stores the node's files, once a day. If that fails, the page is served all the same. */
  async store(files: readonly WebFile[]): Promise<void> {
    if (this.#ctx.clock.monotonic() < this.#storeAfter) return;
    this.#storing ??= this.#store(files).finally(() => {
      this.#storing = undefined;
    });
    await this.#storing;
  }

  async #store(files: readonly WebFile[]): Promise<void> {
    const { db, clock, log } = this.#ctx;
    try {
      await storeFiles(db, files, clock.now());
      this.#storeAfter = clock.monotonic() + DAY_MS;
    } catch (error) {
      this.#storeAfter = clock.monotonic() + RETRY_MS;
      log.warn({ err: error }, "the files of the page could not be stored for other nodes");
    }
  }

  /** Returns a file of another node's page; null if there is none. */
  async find(path: string): Promise<WebFile | null> {
    if (!OURS.test(path)) return null;
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    if (!this.#paths.has(path)) await this.#readList();
    if (!this.#paths.has(path)) return null;
    return this.#files.load(
      path,
      () => readStoredFile(this.#ctx.db, path),
      (file) => file !== null,
    );
  }

  /**
   * Reads the list in a query that begins after this call: another node may just have stored a file. Concurrent callers
   * share the query.
   */
  #readList(): Promise<void> {
    this.#next ??= this.#whenDue().then(() => {
      this.#next = undefined;
      this.#readAt = this.#ctx.clock.monotonic();
      this.#reading = storedPaths(this.#ctx.db).then((paths) => {
        this.#paths = paths;
      });
      return this.#reading;
    });
    return this.#next;
  }

  /** Resolves when the last reading is over and `LIST_MS` have passed since it began. */
  async #whenDue(): Promise<void> {
    await this.#reading.catch(() => {}); // its callers know
    const left = this.#readAt + LIST_MS - this.#ctx.clock.monotonic();
    if (left > 0) await pause(left);
  }
}

/** The files shared by the nodes of a cluster; null on a lone server. */
export const sharedFiles = perServer((ctx) => ({ files: ctx.cluster === null ? null : new SharedFiles(ctx) }));

/** Deletes the files of releases that ran long ago. */
export function startSharedFiles(ctx: AppContext): void {
  if (ctx.cluster === null) return;
  runOnOne(ctx, "web files", HOUR_MS, "deleting old files of the page failed", () =>
    deleteFilesBefore(ctx.db, ctx.clock.now() - KEEP_MS),
  );
}

/** Stores files. Those that are stored already are kept for longer: a path contains the hash of its content. */
export async function storeFiles(db: Db, files: readonly WebFile[], now: Millis): Promise<void> {
  // Both pages may use the same file.
  const distinct = [...new Map(files.map((file) => [file.path, file])).values()];
  await db
    .insertInto("web_files")
    .values(distinct.map(({ path, type, text }) => ({ path, type, bytes: Buffer.from(text), stored_at: now })))
    .onConflict((of) => of.column("path").doUpdateSet((eb) => ({ stored_at: eb.ref("excluded.stored_at") })))
    .execute();
}

export async function storedPaths(db: Db): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom("web_files").select("path").execute();
  return new Set(rows.map(({ path }) => path));
}

async function readStoredFile(db: Db, path: string): Promise<WebFile | null> {
  const row = await db.selectFrom("web_files").selectAll().where("path", "=", path).executeTakeFirst();
  return row === undefined ? null : { path, type: row.type, text: Buffer.from(row.bytes).toString() };
}

export async function deleteFilesBefore(db: Db, time: Millis): Promise<void> {
  await db.deleteFrom("web_files").where("stored_at", "<", time).execute();
}
