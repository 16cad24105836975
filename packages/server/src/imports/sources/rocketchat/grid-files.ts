import { Database } from "bun:sqlite";
import type { FileHandle } from "node:fs/promises";
import { bytesOf as bytesOfFile } from "../../archive/block-reader.ts";
import { readBson } from "../../archive/bson-documents.ts";
import { namelessFile } from "../../archive/gunzip.ts";
import { checkRoom } from "../../archive/limits.ts";
import { SourceError } from "../../source.ts";
import { countOf, type Fields, textOf } from "../fields.ts";
import { bytesOf, fileOf, type Layout, readCollection, whereOf } from "./layout.ts";

/** The collections in which Rocket.Chat keeps the bytes of files. */
export const BUCKETS = ["rocketchat_uploads", "rocketchat_avatars", "custom_emoji"] as const;
export type Bucket = (typeof BUCKETS)[number];

const GRID = "gridfs:";

/** The bytes of a bucket's chunks: in the archive, or copied out of what must be read from its start. */
interface Chunks {
  read(start: number, end: number): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

interface Chunk {
  readonly offset: number;
  readonly length: number;
}

/**
 * The files in the database (GridFS), which are cut into chunks. The places of all chunks are in a temporary database on the
 * disk, and never their bytes in memory.
 */
export class GridFiles implements AsyncDisposable {
  readonly #layout: Layout;
  readonly #db = new Database("");
  readonly #chunks = new Map<string, Promise<Chunks>>();

  constructor(layout: Layout) {
    this.#layout = layout;
    this.#db.run("PRAGMA cache_size = -8000");
    this.#db.run("PRAGMA synchronous = OFF");
    this.#db.run("CREATE TABLE file (bucket TEXT, id TEXT, size INTEGER, PRIMARY KEY (bucket, id)) WITHOUT ROWID");
    this.#db.run(
      "CREATE TABLE chunk (bucket TEXT, id TEXT, n INTEGER, offset INTEGER, length INTEGER, PRIMARY KEY (bucket, id, n)) WITHOUT ROWID",
    );
  }

  /** Reads which files there are, without their chunks. */
  async read(): Promise<void> {
    this.#db.run("BEGIN");
    const insert = this.#db.prepare("INSERT OR IGNORE INTO file VALUES (?, ?, ?)");
    for (const bucket of BUCKETS) {
      if (fileOf(this.#layout, `${bucket}.chunks`) === null) continue;
      for await (const value of readCollection(this.#layout, `${bucket}.files`)) {
        const fields: Fields = value ?? {};
        insert.run(bucket, textOf(fields, "_id"), countOf(fields, "length"));
      }
    }
    this.#db.run("COMMIT");
  }

  /** Returns the path of a file for `OpenSource.file`; null if its bytes are not in the dump. */
  path(bucket: Bucket, id: string): string | null {
    return this.size(bucket, id) === null ? null : `${GRID}${bucket}/${id}`;
  }

  size(bucket: Bucket, id: string): number | null {
    const row = this.#db
      .query<{ size: number | null }, [string, string]>("SELECT size FROM file WHERE bucket = ? AND id = ?")
      .get(bucket, id);
    return row === null ? null : (row.size ?? 0);
  }

  /** Returns the bytes of a file by its path; null if the path is none of these files. */
  bytes(path: string): AsyncGenerator<Uint8Array> | null {
    if (!path.startsWith(GRID)) return null;
    const [bucket = "", id = ""] = path.slice(GRID.length).split("/");
    return this.#bytes(bucket, id);
  }

  async *#bytes(bucket: string, id: string): AsyncGenerator<Uint8Array> {
    const known = this.#chunks.get(bucket) ?? this.#index(bucket);
    this.#chunks.set(bucket, known);
    const chunks = await known;
    const places = this.#db
      .query<Chunk, [string, string]>("SELECT offset, length FROM chunk WHERE bucket = ? AND id = ? ORDER BY n")
      .all(bucket, id);
    let size = 0;
    for (const { offset, length } of places) {
      for await (const { value } of readBson(chunks.read(offset, offset + length), this.#layout.archive.path)) {
        if (!(value?.data instanceof Uint8Array)) continue;
        size += value.data.length;
        yield value.data;
      }
    }
    if (size === this.size(bucket as Bucket, id)) return;
    throw new SourceError(`${this.#layout.archive.path} has only a part of the file ${JSON.stringify(id)}.`);
  }

  /** Makes the chunks of a bucket readable at any place, and notes where they are. */
  async #index(bucket: string): Promise<Chunks> {
    const file = fileOf(this.#layout, `${bucket}.chunks`);
    if (file === null) throw new SourceError(`${this.#layout.archive.path} has no files of ${bucket}.`);
    const { archive } = this.#layout;
    const { range } = archive;
    const bytes = bytesOf(this.#layout, file);
    if (range !== undefined && !file.isPacked) {
      await this.#note(bucket, file.path, bytes);
      return { read: (start, end) => range(file.path, start, end), close: async () => {} };
    }
    const copy = await namelessFile(archive.temporaryFolder);
    try {
      await this.#note(bucket, file.path, copied(bytes, copy));
    } catch (error) {
      await copy.file.close();
      throw error;
    }
    return { read: (start, end) => bytesOfFile(copy.file, start, end), close: () => copy.file.close() };
  }

  async #note(bucket: string, path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const insert = this.#db.prepare("INSERT OR IGNORE INTO chunk VALUES (?, ?, ?, ?, ?)");
    this.#db.run("BEGIN");
    try {
      for await (const { value, offset, length } of readBson(bytes, whereOf(this.#layout.archive, path))) {
        const [id, n] = [textOf(value ?? {}, "files_id"), countOf(value ?? {}, "n")];
        if (id !== "" && n !== null) insert.run(bucket, id, n, offset, length);
      }
    } finally {
      this.#db.run("COMMIT");
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const chunks of this.#chunks.values())
      await chunks.then(
        ({ close }) => close(),
        () => {},
      );
    this.#db.close();
  }
}

async function* copied(
  bytes: AsyncIterable<Uint8Array>,
  { file, folder }: { file: FileHandle; folder: string },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    checkRoom(folder, chunk.length);
    await file.write(chunk, 0, chunk.length);
    yield chunk;
  }
}
