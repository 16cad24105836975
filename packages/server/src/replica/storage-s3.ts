import { S3Client } from "bun";
import type { Config } from "../config/config.ts";
import { askS3, retried, timeoutError, within } from "../files/storage/s3-requests.ts";
import { OBJECT_BYTES_MAX } from "./format.ts";
import { checkedName, type ReplicaStorage, type StoredObject } from "./storage.ts";

/** The server must answer a request without a body by then. */
const ANSWER_MS = 15_000;
/** A body of at most `OBJECT_BYTES_MAX` must be through by then. */
const BODY_MS = 60_000;
const PAGE = 1_000;

type Settings = Pick<Config, "s3Endpoint" | "s3Region" | "s3AccessKey" | "s3SecretKey">;

/** Keeps a replica in a bucket of an S3 server, with the credentials that files use: `<prefix><name>`. */
export class S3Replica implements ReplicaStorage {
  readonly place: string;
  readonly #client: S3Client;
  readonly #prefix: string;

  constructor(settings: Settings, { bucket, prefix }: { bucket: string; prefix: string }) {
    const { s3Endpoint, s3Region: region, s3AccessKey, s3SecretKey } = settings;
    if (s3AccessKey === null || s3SecretKey === null) throw new Error("The settings have no keys of an S3 server.");
    const endpoint = s3Endpoint ?? `https://s3.${region}.amazonaws.com`;
    this.#client = new S3Client({ bucket, region, endpoint, accessKeyId: s3AccessKey, secretAccessKey: s3SecretKey });
    this.#prefix = prefix;
    this.place = `s3://${bucket}/${prefix}`;
  }

  async list(prefix: string): Promise<StoredObject[]> {
    const found: StoredObject[] = [];
    for (let after: string | undefined; ; ) {
      const place = after === undefined ? {} : { startAfter: after };
      const asked = { prefix: this.#prefix + prefix, maxKeys: PAGE, ...place };
      const page = await retried(() => within(ANSWER_MS, this.#client.list(asked)));
      for (const { key, size = 0 } of page.contents ?? [])
        found.push({ name: key.slice(this.#prefix.length), bytes: size });
      after = page.contents?.at(-1)?.key;
      if (page.isTruncated !== true || after === undefined) return found;
    }
  }

  async read(name: string): Promise<Uint8Array | null> {
    const answer = await askS3(this.#client, "GET", this.#nameOf(name), { timeoutMs: ANSWER_MS });
    if (answer === null) return null;
    if (Number(answer.headers.get("content-length")) > OBJECT_BYTES_MAX) {
      await answer.body?.cancel();
      throw new Error(`${name} is longer than an object of a replica may be.`);
    }
    return boundedBody(answer);
  }

  async write(name: string, content: Uint8Array | Blob): Promise<void> {
    const body = content instanceof Blob ? content : new Blob([content as Uint8Array<ArrayBuffer>]);
    const answer = await askS3(this.#client, "PUT", this.#nameOf(name), { timeoutMs: BODY_MS, body });
    if (answer === null) throw new Error("S3 answered 404 to PUT");
    await answer.body?.cancel();
  }

  async remove(name: string): Promise<void> {
    const answer = await askS3(this.#client, "DELETE", this.#nameOf(name), { timeoutMs: ANSWER_MS });
    await answer?.body?.cancel();
  }

  #nameOf(name: string): string {
    return this.#prefix + checkedName(name);
  }
}

/** Reads a body to its end, in bounded time and memory. */
async function boundedBody(answer: Response): Promise<Uint8Array> {
  const reader = answer.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(timeoutError(BODY_MS)), BODY_MS);
  const parts: Uint8Array[] = [];
  try {
    for (let length = 0; ; ) {
      const { done, value } = await Promise.race([reader.read(), late.promise]);
      if (done) return Buffer.concat(parts);
      parts.push(value);
      length += value.length;
      if (length > OBJECT_BYTES_MAX) throw new Error("The object is longer than one of a replica may be.");
    }
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => {}); // the answer is read or given up
  }
}
