/** An object of a replica, as a listing finds it. */
export interface StoredObject {
  name: string;
  bytes: number;
}

/**
 * Keeps the objects of a replica (format.ts) by their names, which consist of lower-case letters, digits, hyphens, dots
 * and slashes. Implementations: a folder (`storage-folder.ts`), a bucket of an S3 server (`storage-s3.ts`).
 *
 * - An object is there whole or not at all, for every reader, also after a kill or a loss of power at any moment.
 * - After `write` has resolved, the object survives a loss of power.
 * - Any call may be repeated after a failure.
 * - Every call rejects after a time limit (S3) or with the error of the file system, and logs nothing.
 */
export interface ReplicaStorage {
  /** The place in words, without credentials, such as `s3://bucket/prefix/` or the path of the folder. */
  readonly place: string;
  /** Lists all objects whose names begin with the prefix, in the order of their names. */
  list(prefix: string): Promise<StoredObject[]>;
  /** Returns the object's bytes; null if there is none. Rejects if it has more than `OBJECT_BYTES_MAX`. */
  read(name: string): Promise<Uint8Array | null>;
  /** Writes the object, or replaces it. A `Blob` is a part of a file on this machine, and must not be empty. */
  write(name: string, content: Uint8Array | Blob): Promise<void>;
  /** Removes the object. Does nothing if it is not there. */
  remove(name: string): Promise<void>;
}

const NAME = /^[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)?(\/[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)?)*$/;

/** Returns the name; throws a TypeError unless it is one. Every path and address is made of its result. */
export function checkedName(name: string): string {
  if (!NAME.test(name) || name.length > 200) throw new TypeError("That is not the name of an object of a replica.");
  return name;
}
