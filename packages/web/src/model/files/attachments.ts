import type { FileRecord } from "@parley/protocol/files";
import { FILES_PER_MESSAGE } from "@parley/protocol/limits";
import { newIdempotencyKey, ParleyError } from "@parley/sdk";
import { pause } from "../../state/pause.ts";
import { Store } from "../../state/store.ts";
import { type Attachment, type FileLimits, problemOf } from "./attachment.ts";
import { storedFiles, storeFiles } from "./stored-files.ts";
import type { uploadFile } from "./upload.ts";

/** Uploads at a time; the others wait. */
const UPLOADS_MAX = 2;
/** How often a file that is scanned is asked for. */
const CHECK_MS = 1_500;

/** The calls of the server that a draft's files need. */
export interface FileCalls {
  upload: typeof uploadFile;
  /** Returns a file's record, also while it is scanned. */
  record(fileId: number): Promise<FileRecord>;
  /** Deletes an unsent file. */
  remove(fileId: number): Promise<unknown>;
}

interface Dependencies {
  calls: FileCalls;
  limits(): FileLimits;
  /** The name under which the draft is stored. */
  draft: string;
}

/**
 * The files of one draft: they are uploaded as they are added, and stored in this browser as soon as they are, so that
 * the draft keeps them. They go on while another channel is open.
 */
export class Attachments {
  readonly all = new Store<readonly Attachment[]>([]);
  readonly #dependencies: Dependencies;
  /** Stops what is done with a file, by its key. */
  readonly #running = new Map<string, AbortController>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    const stored = storedFiles(dependencies.draft).map(restored);
    this.all.set(stored);
    for (const each of stored) void this.#recheck(each);
  }

  /** Adds files as far as there is room; returns how many there was no room for. */
  add(files: readonly File[]): number {
    const room = Math.max(0, FILES_PER_MESSAGE - this.all.get().length);
    const limits = this.#dependencies.limits();
    this.all.change((all) => [...all, ...files.slice(0, room).map((file) => added(file, limits))]);
    this.#next();
    return Math.max(0, files.length - room);
  }

  /** Takes a file away: stops its upload, or deletes it from the server. */
  remove(key: string): void {
    const record = this.#find(key)?.record ?? null;
    this.#stop(key);
    this.all.change((all) => all.filter((each) => each.key !== key));
    this.#store();
    // An unsent file that stays there is deleted a day later.
    if (record !== null) this.#dependencies.calls.remove(record.file_id).catch(() => {});
    this.#next();
  }

  /** Uploads a file again after a failure. */
  retry(key: string): void {
    if (this.#find(key)?.file == null) return;
    this.#change(key, { state: "waiting", part: 0, problem: null });
    this.#next();
  }

  /** Describes a picture. The server takes the text with the bytes only, so an uploaded picture is uploaded again. */
  describe(key: string, altText: string): void {
    const before = this.#find(key);
    if (before?.file == null || before.altText === altText) return;
    this.#stop(key);
    this.#change(key, { altText, state: "waiting", part: 0, problem: null, record: null });
    if (before.record !== null) this.#dependencies.calls.remove(before.record.file_id).catch(() => {});
    this.#next();
  }

  /** Returns the files that are uploaded. */
  ready(): FileRecord[] {
    return this.all.get().flatMap(({ record, state }) => (record !== null && state === "ready" ? [record] : []));
  }

  /** Returns the files, which now belong to a message, and empties the draft. */
  take(): FileRecord[] {
    const records = this.ready();
    this.all.set([]);
    this.#store();
    return records;
  }

  /** Stops the uploads; called when the user changes. */
  close(): void {
    for (const key of [...this.#running.keys()]) this.#stop(key);
  }

  #find(key: string): Attachment | undefined {
    return this.all.get().find((each) => each.key === key);
  }

  #change(key: string, change: Partial<Attachment>): void {
    this.all.change((all) => all.map((each) => (each.key === key ? { ...each, ...change } : each)));
    this.#store();
  }

  #store(): void {
    const records = this.all
      .get()
      .flatMap(({ record, state }) => (record === null || state === "refused" ? [] : [record]));
    storeFiles(this.#dependencies.draft, records);
  }

  #stop(key: string): void {
    this.#running.get(key)?.abort();
    this.#running.delete(key);
  }

  #next(): void {
    const all = this.all.get();
    const free = UPLOADS_MAX - all.filter(({ state }) => state === "uploading").length;
    for (const each of all.filter(({ state }) => state === "waiting").slice(0, Math.max(0, free)))
      void this.#upload(each);
  }

  async #upload({ key, file, altText }: Attachment): Promise<void> {
    if (file === null) return;
    const run = new AbortController();
    this.#running.set(key, run);
    this.#change(key, { state: "uploading", part: 0 });
    const { upload } = this.#dependencies.calls;
    try {
      const onProgress = (part: number) => !run.signal.aborted && this.#progress(key, part);
      const record = await upload({ file, altText, signal: run.signal, onProgress });
      this.#change(key, { record, type: record.mime_type, sizeBytes: record.size_bytes, part: 1, state: "checking" });
      void this.#check(key, record);
    } catch (error) {
      if (!run.signal.aborted) this.#fail(key, error);
    } finally {
      if (this.#running.get(key) === run) this.#running.delete(key);
      this.#next();
    }
  }

  #progress(key: string, part: number): void {
    // The browser reports small steps; the bytes are on their way, and not yet stored.
    if (Math.floor((this.#find(key)?.part ?? 0) * 100) !== Math.floor(part * 100)) this.#change(key, { part });
  }

  /** Asks whether a file of a stored draft still exists. */
  async #recheck({ key, record }: Attachment): Promise<void> {
    if (record !== null) await this.#check(key, await this.#readAgain(key, record));
  }

  /** Asks for a file that is scanned until it is ready, refused or gone. */
  async #check(key: string, first: FileRecord | null): Promise<void> {
    let record = first;
    while (record !== null && this.#find(key)?.record?.file_id === record.file_id) {
      if (record.status === "ready") return this.#change(key, { record, state: "ready" });
      if (record.status === "blocked") return this.#change(key, { state: "refused", problem: { kind: "blocked" } });
      await pause(CHECK_MS);
      record = await this.#readAgain(key, record);
    }
  }

  /** Returns null if the file is gone. Without a network the last record is as good as any. */
  async #readAgain(key: string, record: FileRecord): Promise<FileRecord | null> {
    try {
      return await this.#dependencies.calls.record(record.file_id);
    } catch (error) {
      if (!(error instanceof ParleyError) || error.status !== 404) return record;
      if (this.#find(key)?.record?.file_id === record.file_id) this.#fail(key, error);
      return null;
    }
  }

  #fail(key: string, error: unknown): void {
    const isFinal = error instanceof ParleyError && error.status >= 400 && !error.retryable && error.status < 500;
    const state = isFinal && !AGAIN.has(error.code) ? "refused" : "failed";
    this.#change(key, { state, problem: { kind: "error", error }, record: null });
  }
}

/** Refusals that end when the user makes room, or logs in again. */
const AGAIN: ReadonlySet<string> = new Set(["quota_reached", "not_authenticated"]);

function added(file: File, limits: FileLimits): Attachment {
  const problem = problemOf(file, limits);
  return {
    key: newIdempotencyKey(),
    name: file.name,
    sizeBytes: file.size,
    type: file.type,
    altText: "",
    state: problem === null ? "waiting" : "refused",
    part: 0,
    problem,
    file,
    record: null,
  };
}

const restored = (record: FileRecord): Attachment => ({
  key: newIdempotencyKey(),
  name: record.name,
  sizeBytes: record.size_bytes,
  type: record.mime_type,
  altText: record.alt_text ?? "",
  state: "checking",
  part: 1,
  problem: null,
  file: null,
  record: { ...record, status: "scanning" },
});
