import type { Clock } from "../../clock.ts";
import { AppError, ForeignError, fail } from "../../errors.ts";
import type { Log } from "../../logging/log.ts";

/** Part of a file, as HTTP counts: the first and the last byte, both included, and both inside the file. */
export interface ByteRange {
  from: number;
  to: number;
}

/** One stored file, as a listing finds it. */
export interface StoredFile {
  key: string;
  sizeBytes: number;
  /** When it was stored last; epoch milliseconds by the storage's own clock. */
  storedAt: number;
}

/** Headers that the answer of a signed URL carries, so that it is as safe as an answer of this server. */
export interface SignedHeaders {
  contentType: string;
  contentDisposition: string;
  cacheControl: string;
}

/**
 * Keeps the bytes of files, each under a key (`newKey`) that begins with the SHA-256 of its bytes. It knows nothing of
 * rows, rights and names. Implementations: a folder (`folder-storage.ts`), a bucket of an S3 server (`s3-storage.ts`).
 *
 * Promises, which file-storage.conformance.ts tests:
 * - A file is there whole or not at all, for every reader, also after a kill or a loss of power at any moment.
 * - After `store` has resolved, the file survives a loss of power.
 * - `store` and `remove` are idempotent: repeating one that failed halfway, or whose end was not heard, completes it.
 * - Only a key of that form reaches a path or a bucket. Anything else throws a TypeError.
 * - The order of a `store` and a `remove` of the same key that overlap is not defined; the server never uses a key again.
 *
 * Errors: `storage_full` if there is no room, `storage_unavailable` if the storage does not answer or refuses; both are
 * AppErrors, and the latter is logged with its cause. Callers need not map anything.
 */
export interface FileStorage {
  /**
   * The folder for uploads in progress: private, existing, and on the disk that makes `store` cheapest. What a killed
   * server leaves here is removed by `sweepIncoming`.
   */
  readonly incoming: string;
  /**
   * Stores the file at that path and removes the path. The bytes must match its hash; they are not hashed again. If it
   * fails, the temporary file may still be there: the caller repeats the call or removes it.
   */
  store(key: string, temporaryPath: string): Promise<void>;
  /**
   * Returns the file's bytes, or the given part of them, without reading them into memory; null if the file is not
   * there. A stream must be read to its end or cancelled. A stream errors if the storage fails while it is read.
   */
  read(key: string, range?: ByteRange): Promise<Blob | ReadableStream<Uint8Array> | null>;
  /** Returns the file's length in bytes; null if it is not there. */
  size(key: string): Promise<number | null>;
  /** Removes the file. Does nothing if it is not there. */
  remove(key: string): Promise<void>;
  /** Lists all files, in the order of their keys. Files that are stored or removed meanwhile may be missing or listed. */
  list(): AsyncIterable<StoredFile>;
  /** Returns the bytes that this storage can still take, and how many it has in total; null if nobody knows. */
  freeBytes(): Promise<{ free: number; total: number } | null>;
  /**
   * Returns a URL that reads the file without further rights for that many seconds, with these headers. Absent: readers
   * must be served through this server.
   */
  signedUrl?(key: string, seconds: number, headers: SignedHeaders): string;
}

export interface OpenOptions {
  /** False: creates nothing; only reading is then possible. */
  create?: boolean;
}

/**
 * Returns a key for bytes that are not stored yet. No other has the same, so that a removal that was delayed for however
 * long does not hit bytes that were stored again. Backups, which only grow, use the hash alone.
 */
export const newKey = (clock: Clock, sha256: string): string =>
  `${sha256}-${Buffer.from(clock.random(8)).toString("hex")}`;

const KEY = /^[0-9a-f]{64}(-[0-9a-f]{16})?$/;

export const isKey = (name: string): boolean => KEY.test(name);

/** Returns the key; throws unless it is one. Every path is made of its result. */
export function checkedKey(key: string): string {
  if (!isKey(key)) throw new TypeError("A file is stored under a key made of its SHA-256 in lower-case hex.");
  return key;
}

const FULL = /^(ENOSPC|EDQUOT|EFBIG)$/;

/**
 * Returns the AppError for an error of a storage: `storage_full` if the disk or its quota has no room, else
 * `storage_unavailable`, which is logged, because only the operator can do something about it.
 */
export function storageFailure(log: Pick<Log, "error">, what: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (FULL.test(code)) return fail("storage_full", { retryAfter: 30, cause: error });
  const cause = new ForeignError(`the storage of files could not ${what}`, { cause: error });
  log.error({ err: cause }, cause.message);
  return fail("storage_unavailable", {
    message: "The storage of files does not respond. Try again shortly.",
    retryAfter: 5,
    cause,
  });
}
