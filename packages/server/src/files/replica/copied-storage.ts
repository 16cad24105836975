import type { ByteRange, FileStorage, StoredFile } from "../storage/file-storage.ts";
import type { FileCopies } from "./file-copies.ts";

/** A storage whose files have copies in the replica. Reading never asks the replica. */
export class CopiedStorage implements FileStorage {
  readonly incoming: string;
  readonly #local: FileStorage;
  readonly #copies: FileCopies;

  constructor(local: FileStorage, copies: FileCopies) {
    this.incoming = local.incoming;
    this.#local = local;
    this.#copies = copies;
  }

  async store(key: string, temporaryPath: string): Promise<void> {
    await this.#local.store(key, temporaryPath);
    await this.#copies.add(key);
  }

  /** The copy goes last, and the caller repeats what failed. */
  async remove(key: string): Promise<void> {
    await this.#local.remove(key);
    await this.#copies.remove(key);
  }

  read(key: string, range?: ByteRange): Promise<Blob | ReadableStream<Uint8Array> | null> {
    return this.#local.read(key, range);
  }

  size(key: string): Promise<number | null> {
    return this.#local.size(key);
  }

  list(): AsyncIterable<StoredFile> {
    return this.#local.list();
  }

  freeBytes(): Promise<{ free: number; total: number } | null> {
    return this.#local.freeBytes();
  }
}
