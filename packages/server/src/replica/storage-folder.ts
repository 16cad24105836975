import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OBJECT_BYTES_MAX } from "./format.ts";
import { checkedName, type ReplicaStorage, type StoredObject } from "./storage.ts";

/** Ends the name of an object that is not whole yet. No listing shows it, and the next write of that name replaces it. */
const DRAFT = ".draft~";

/** Keeps a replica in a folder, best on another disk. Only the user that runs Parley can read it (0600, folders 0700). */
export class FolderReplica implements ReplicaStorage {
  readonly place: string;
  /** Folders whose names are on the disk. */
  readonly #durable = new Set<string>();

  constructor(folder: string) {
    this.place = folder;
  }

  async list(prefix: string): Promise<StoredObject[]> {
    const within = prefix.includes("/") ? prefix.slice(0, prefix.lastIndexOf("/")) : "";
    const found: StoredObject[] = [];
    for (const entry of await entriesOf(join(this.place, within))) {
      const name = within + (within === "" ? "" : "/") + entry.name;
      if (!name.startsWith(prefix) || entry.name.endsWith(DRAFT)) continue;
      if (entry.isDirectory()) found.push(...(await this.list(`${name}/`)));
      else if (entry.isFile()) found.push(...(await sizeOf(join(this.place, name))).map((bytes) => ({ name, bytes })));
    }
    return found.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  async read(name: string): Promise<Uint8Array | null> {
    const path = this.#pathOf(name);
    const [bytes] = await sizeOf(path);
    if (bytes === undefined) return null;
    if (bytes > OBJECT_BYTES_MAX) throw new Error(`${path} is longer than an object of a replica may be.`);
    const parts: Buffer[] = [];
    for await (const part of createReadStream(path, { end: OBJECT_BYTES_MAX })) parts.push(part);
    return Buffer.concat(parts);
  }

  async write(name: string, content: Uint8Array | Blob): Promise<void> {
    const path = this.#pathOf(name);
    await this.#makeFolder(dirname(path));
    const draft = path + DRAFT;
    const bytes = content instanceof Blob ? await content.bytes() : content;
    const handle = await open(draft, "w", 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
    await syncFolder(dirname(path));
  }

  async remove(name: string): Promise<void> {
    await rm(this.#pathOf(name), { force: true });
  }

  /** Creates a folder once. If it vanishes later, writes fail: a disk that was unmounted leaves its mount point. */
  async #makeFolder(folder: string): Promise<void> {
    if (this.#durable.has(folder)) return;
    if (folder === this.place) await mkdir(folder, { recursive: true, mode: 0o700 });
    else {
      await this.#makeFolder(dirname(folder));
      await mkdir(folder, { mode: 0o700 }).catch((error) => {
        if (codeOf(error) !== "EEXIST") throw error;
      });
    }
    await syncFolder(dirname(folder));
    this.#durable.add(folder);
  }

  #pathOf(name: string): string {
    return join(this.place, checkedName(name));
  }
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** Returns the file's length; nothing if there is no such file any more. */
async function sizeOf(path: string): Promise<[number] | []> {
  try {
    return [(await stat(path)).size];
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);
