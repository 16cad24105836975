import { mkdirSync } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { S3Client } from "bun";
import type { Log } from "../../logging/log.ts";
import {
  type ByteRange,
  checkedKey,
  type FileStorage,
  isKey,
  type OpenOptions,
  type SignedHeaders,
  type StoredFile,
  storageFailure,
} from "./file-storage.ts";
import { askS3, retried, within } from "./s3-requests.ts";
import { steadyStream } from "./steady-stream.ts";

interface S3Settings {
  /** null: Amazon's. */
  endpoint: string | null;
  region: string;
  bucket: string;
  /** Empty, or ends with a slash. */
  prefix: string;
  accessKey: string;
  secretKey: string;
  /** The folder for uploads in progress, on this machine. */
  incoming: string;
  /** True: `signedUrl` exists. */
  redirect: boolean;
}

/** The server must answer a request without a body by then. */
const ANSWER_MS = 15_000;
/** A part of a body must arrive by then. */
const IDLE_MS = 30_000;
/** An upload has this long, and a second more for each 256 KiB: slower connections are of no use. */
const UPLOAD_MS = 30_000;
const UPLOAD_BYTES_PER_MS = 256;
/** Larger files go in parts: over https, Bun reads the body of a request into memory. S3 allows no smaller parts. */
const PART_BYTES = 5 * 1024 * 1024;
const READ_BYTES = 1024 * 1024;
const PAGE = 1_000;

/** Keeps files in a bucket of an S3 server: `<prefix><key>`. The bucket must exist. */
export class S3Storage implements FileStorage {
  readonly incoming: string;
  readonly signedUrl?: (key: string, seconds: number, headers: SignedHeaders) => string;
  readonly #client: S3Client;
  readonly #prefix: string;
  readonly #log: Log;

  /** Creates the folder for uploads, unless the bucket is only read. Asks the server nothing. */
  constructor(settings: S3Settings, log: Log, { create = true }: OpenOptions = {}) {
    const { bucket, region, accessKey, secretKey } = settings;
    const endpoint = settings.endpoint ?? `https://s3.${region}.amazonaws.com`;
    this.#client = new S3Client({ bucket, region, endpoint, accessKeyId: accessKey, secretAccessKey: secretKey });
    this.#prefix = settings.prefix;
    this.#log = log;
    this.incoming = settings.incoming;
    if (create) mkdirSync(this.incoming, { recursive: true, mode: 0o700 });
    if (settings.redirect) this.signedUrl = (key, seconds, headers) => this.#sign(key, seconds, headers);
  }

  async store(key: string, temporaryPath: string): Promise<void> {
    const name = this.#nameOf(key);
    await this.#guarded("store a file", async () => {
      const { size } = await stat(temporaryPath);
      if (size <= PART_BYTES) {
        const timeoutMs = UPLOAD_MS + size / UPLOAD_BYTES_PER_MS;
        const answer = await askS3(this.#client, "PUT", name, { timeoutMs, body: Bun.file(temporaryPath) });
        if (answer === null) throw new Error("S3 answered 404 to PUT");
        await answer.body?.cancel();
      } else {
        await retried(() => this.#storeInParts(name, temporaryPath, size));
      }
      // An answer of success that a proxy made up, or a body that was cut, must not lose the file.
      const stored = await this.#sizeAt(name);
      if (stored !== size) throw new Error(`S3 has ${stored ?? "no"} bytes of a file of ${size}`);
      await rm(temporaryPath, { force: true });
    });
  }

  async read(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array> | null> {
    const name = this.#nameOf(key);
    return this.#guarded("read a file", async () => {
      const headers: Record<string, string> = range === undefined ? {} : { range: `bytes=${range.from}-${range.to}` };
      const answer = await askS3(this.#client, "GET", name, { timeoutMs: ANSWER_MS, headers });
      if (answer === null) return null;
      if (answer.body === null) throw new Error("S3 sent no body");
      const length = Number(answer.headers.get("content-length"));
      if (range !== undefined && (answer.status !== 206 || length !== range.to - range.from + 1)) {
        await answer.body.cancel();
        throw new Error(`S3 answered ${answer.status} with ${length} bytes to a range`);
      }
      return steadyStream(answer.body, { length, idleMs: IDLE_MS }, (error) =>
        storageFailure(this.#log, "read a file to its end", error),
      );
    });
  }

  async size(key: string): Promise<number | null> {
    const name = this.#nameOf(key);
    return this.#guarded("look for a file", () => this.#sizeAt(name));
  }

  async remove(key: string): Promise<void> {
    const name = this.#nameOf(key);
    await this.#guarded("remove a file", async () => {
      const answer = await askS3(this.#client, "DELETE", name, { timeoutMs: ANSWER_MS });
      await answer?.body?.cancel();
    });
  }

  async *list(): AsyncIterable<StoredFile> {
    for (let after: string | undefined; ; ) {
      const page = await this.#guarded("list files", () => this.#page(after));
      for (const { key: name, size = 0, lastModified = "" } of page.contents ?? []) {
        const key = name.slice(this.#prefix.length);
        if (!isKey(key)) continue;
        yield { key, sizeBytes: size, storedAt: Date.parse(lastModified) };
      }
      after = page.contents?.at(-1)?.key;
      if (page.isTruncated !== true || after === undefined) return;
    }
  }

  /** A bucket has no end that this server could know. */
  async freeBytes(): Promise<null> {
    return null;
  }

  /** Throws the error as it is, unlike the others, if the server cannot be used. For `parley doctor`. */
  async probe(): Promise<void> {
    await within(ANSWER_MS, this.#client.list({ prefix: this.#prefix, maxKeys: 1 }));
  }

  #nameOf(key: string): string {
    return this.#prefix + checkedKey(key);
  }

  #page(after: string | undefined) {
    const place = after === undefined ? {} : { startAfter: after };
    return retried(() => within(ANSWER_MS, this.#client.list({ prefix: this.#prefix, maxKeys: PAGE, ...place })));
  }

  async #sizeAt(name: string): Promise<number | null> {
    const answer = await askS3(this.#client, "HEAD", name, { timeoutMs: ANSWER_MS });
    return answer === null ? null : Number(answer.headers.get("content-length"));
  }

  /** Keeps a few parts in memory. A part that fails is repeated; what cannot be completed is aborted on the server. */
  async #storeInParts(name: string, path: string, size: number): Promise<void> {
    const writer = this.#client.file(name).writer({ partSize: PART_BYTES, queueSize: 1, retry: 2 });
    const upload = async (): Promise<void> => {
      await using file = await open(path, "r");
      // The writer copies what it gets, so one buffer serves for all.
      const buffer = Buffer.allocUnsafe(READ_BYTES);
      for (let from = 0; from < size; ) {
        const { bytesRead } = await file.read(buffer, 0, READ_BYTES, from);
        if (bytesRead === 0) throw new Error("the uploaded file became shorter");
        writer.write(buffer.subarray(0, bytesRead));
        await writer.flush();
        from += bytesRead;
      }
      await writer.end();
    };
    try {
      await within(UPLOAD_MS + size / UPLOAD_BYTES_PER_MS, upload());
    } catch (error) {
      await Promise.resolve(writer.end(error as Error)).catch(() => {});
      throw error;
    }
  }

  #sign(key: string, seconds: number, { contentType, contentDisposition }: SignedHeaders): string {
    const answer = { type: contentType, contentDisposition };
    return this.#client.presign(this.#nameOf(key), { method: "GET", expiresIn: seconds, ...answer });
  }

  async #guarded<T>(what: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      throw storageFailure(this.#log, what, error);
    }
  }
}
