import { type Dirent, mkdirSync } from "node:fs";
import { chmod, copyFile, mkdir, open, readdir, rename, rm, stat, statfs } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Log } from "../../logging/log.ts";
import {
  type ByteRange,
  checkedKey,
  type FileStorage,
  isKey,
  type OpenOptions,
  type StoredFile,
  storageFailure,
} from "./file-storage.ts";

/** A folder of 256 folders of 256 folders: none has so many entries that a file system gets slow. */
const LEVEL = /^[0-9a-f]{2}$/;

/**
 * Keeps files in a folder: `<folder>/ab/cd/<key>`. Only the user that runs Parley can read them (0600, folders 0700).
 * Several servers may share the folder, if its file system renames atomically (local disks, NFS).
 */
export class FolderStorage implements FileStorage {
  readonly incoming: string;
  readonly #folder: string;
  readonly #log: Log;
  /** Folders whose names are on the disk: at most 65,792. */
  readonly #durable = new Set<string>();

  /** Creates the folder, unless it is only read. Throws if it cannot be created or written. */
  constructor(folder: string, log: Log, { create = true }: OpenOptions = {}) {
    this.#folder = folder;
    this.#log = log;
    this.incoming = join(folder, "incoming");
    if (create) mkdirSync(this.incoming, { recursive: true, mode: 0o700 });
  }

  async store(key: string, temporaryPath: string): Promise<void> {
    const path = this.#pathOf(key);
    await this.#guarded("store a file", async () => {
      await chmod(temporaryPath, 0o600);
      await syncPath(temporaryPath);
      await this.#makeFolder(dirname(path));
      // A file of that name has the same bytes. It is replaced all the same: a damaged one heals.
      await rename(temporaryPath, path).catch((error) => this.#moveAcross(error, temporaryPath, path));
      await syncPath(dirname(path));
    });
  }

  async read(key: string, range?: ByteRange): Promise<Blob | null> {
    const path = this.#pathOf(key);
    const file = Bun.file(path);
    if ((await this.size(key)) === null) return null;
    return range === undefined ? file : file.slice(range.from, range.to + 1);
  }

  async size(key: string): Promise<number | null> {
    const path = this.#pathOf(key);
    return this.#guarded("look for a file", async () => {
      try {
        return (await stat(path)).size;
      } catch (error) {
        return ignoreAbsent(error);
      }
    });
  }

  async remove(key: string): Promise<void> {
    const path = this.#pathOf(key);
    await this.#guarded("remove a file", () => rm(path, { force: true }));
  }

  async *list(): AsyncIterable<StoredFile> {
    for (const first of await this.#namesIn(this.#folder, (name) => LEVEL.test(name))) {
      for (const second of await this.#namesIn(join(this.#folder, first), (name) => LEVEL.test(name))) {
        const folder = join(this.#folder, first, second);
        for (const key of await this.#namesIn(folder, isKey)) {
          const found = await stat(join(folder, key)).catch(ignoreAbsent);
          if (found === null || !key.startsWith(first + second)) continue;
          yield { key, sizeBytes: found.size, storedAt: Math.round(found.mtimeMs) };
        }
      }
    }
  }

  async freeBytes(): Promise<{ free: number; total: number }> {
    return this.#guarded("read the free space", async () => {
      const { bavail, blocks, bsize } = await statfs(this.#folder);
      return { free: bavail * bsize, total: blocks * bsize };
    });
  }

  /** Creates a folder below the root. Its name is durable afterwards, whoever created it. */
  async #makeFolder(folder: string): Promise<void> {
    if (this.#durable.has(folder) || folder === this.#folder) return;
    await this.#makeFolder(dirname(folder));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await syncPath(dirname(folder));
    this.#durable.add(folder);
  }

  /** Moves a file from another file system: copies it to this one first, so that the name appears whole. */
  async #moveAcross(error: unknown, from: string, to: string): Promise<void> {
    if (codeOf(error) !== "EXDEV") throw error;
    const copy = join(this.incoming, `${basename(from)}.moving`);
    try {
      await copyFile(from, copy);
      await chmod(copy, 0o600);
      await syncPath(copy);
      await rename(copy, to);
    } finally {
      await rm(copy, { force: true });
    }
    await rm(from, { force: true });
  }

  #pathOf(key: string): string {
    const name = checkedKey(key);
    return join(this.#folder, name.slice(0, 2), name.slice(2, 4), name);
  }

  async #namesIn(folder: string, isWanted: (name: string) => boolean): Promise<string[]> {
    const entries = await this.#guarded("list files", async (): Promise<Dirent[]> => {
      try {
        return await readdir(folder, { withFileTypes: true });
      } catch (error) {
        return ignoreAbsent(error) ?? [];
      }
    });
    return entries
      .map(({ name }) => name)
      .filter(isWanted)
      .sort();
  }

  async #guarded<T>(what: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      throw storageFailure(this.#log, what, error);
    }
  }
}

/** Writes a file's bytes, or the names in a folder, to the disk. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);

function ignoreAbsent(error: unknown): null {
  if (codeOf(error) === "ENOENT") return null;
  throw error;
}
