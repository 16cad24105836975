import { once } from "node:events";
import { createReadStream, createWriteStream, type WriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { ExportFile } from "../read/files.ts";
import { diskError } from "./disk-error.ts";

/** A file whose bytes are copied after the messages, and where to. */
export interface QueuedFile {
  readonly path: string;
  readonly file: ExportFile;
}

/** Keeps the files of messages on the disk until their bytes are copied: there may be more than memory has room for. */
export class FileQueue implements AsyncDisposable {
  readonly #path: string;
  readonly #out: WriteStream;

  constructor(path: string) {
    this.#path = path;
    this.#out = createWriteStream(path, { mode: 0o600 });
    // A write that fails rejects; the event alone would end the process.
    this.#out.on("error", () => {});
  }

  async add(queued: QueuedFile): Promise<void> {
    await new Promise<void>((done, failed) =>
      this.#out.write(`${lineOf(queued)}\n`, (error) =>
        error == null ? done() : failed(diskError(this.#path, error)),
      ),
    );
  }

  /** Yields all files in their order. None can be added afterwards. */
  async *files(): AsyncGenerator<QueuedFile> {
    this.#out.end();
    await once(this.#out, "close");
    for await (const line of createInterface({ input: createReadStream(this.#path) }))
      yield JSON.parse(line) as QueuedFile;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#out.destroy();
    await rm(this.#path, { force: true });
  }
}

/** `readline` takes these separators for ends of lines, and JSON does not escape them. */
const lineOf = (queued: QueuedFile): string =>
  JSON.stringify(queued).replace(/[\u2028\u2029]/g, (sign) => (sign === "\u2028" ? "\\u2028" : "\\u2029"));
