import { afterAll } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../config.ts";

export interface S3Server extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`. */
  endpoint: string;
  /** Settings of a Parley server that keeps its files in this bucket. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

/** The key and the secret that s3rver knows. */
export const S3_KEY = "S3RVER";
export const S3_BUCKET = "files";

/**
 * s3rver's pages name the next one in DES, which Node's OpenSSL only offers as a legacy. s3rver also empties an object
 * before it replaces it, and answers before the new one is whole: S3 replaces objects at once.
 */
const PROGRAM = `
const { createHash, randomUUID } = require("node:crypto");
const { createWriteStream, mkdirSync, renameSync } = require("node:fs");
const { dirname } = require("node:path");
const { pipeline } = require("node:stream/promises");
const S3rver = require("s3rver");
const store = require("s3rver/lib/stores/filesystem").prototype;

store.putObject = async function ({ bucket, key, content, metadata }) {
  const path = this.getResourcePath(bucket, key, "object");
  mkdirSync(dirname(path), { recursive: true });
  const part = path + "." + randomUUID();
  const hash = createHash("md5");
  let size = 0;
  const counted = async function* (chunks) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  };
  await pipeline(Buffer.isBuffer(content) ? [content] : content, counted, createWriteStream(part));
  renameSync(part, path);
  const md5 = hash.digest("hex");
  await this.putMetadata(bucket, key, metadata, md5);
  return { size, md5 };
};

// One at a time: they read and replace the same files.
let last = Promise.resolve();
for (const name of ["putMetadata", "getMetadata"]) {
  const act = store[name];
  store[name] = function (...args) {
    const result = last.then(() => act.apply(this, args));
    last = result.catch(() => {});
    return result;
  };
}

new S3rver({
  port: Number(process.argv[2]),
  address: "127.0.0.1",
  silent: true,
  directory: process.argv[1],
  configureBuckets: [{ name: "${S3_BUCKET}" }],
})
  .run()
  .then(({ port }) => console.log(port));
process.stdin.resume().on("end", () => process.exit());
`;

/** Starts s3rver, an S3 server that keeps objects in a folder, in a process of its own, under Node. */
export async function startS3Server(folder = join(temporaryFolder(), "s3"), port = 0): Promise<S3Server> {
  mkdirSync(folder, { recursive: true });
  const server = Bun.spawn(["node", "--openssl-legacy-provider", "-e", PROGRAM, folder, String(port)], {
    cwd: import.meta.dir,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const reader = server.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  const address = Number(new TextDecoder().decode(value));
  if (!Number.isInteger(address) || address === 0) throw new Error("s3rver did not start");
  const endpoint = `http://127.0.0.1:${address}`;
  const stop = async () => {
    server.kill("SIGKILL");
    await server.exited;
  };
  return {
    endpoint,
    env: {
      PARLEY_FILES: `s3://${S3_BUCKET}/parley`,
      PARLEY_S3_ENDPOINT: endpoint,
      PARLEY_S3_ACCESS_KEY: S3_KEY,
      PARLEY_S3_SECRET_KEY: S3_KEY,
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

let shared: Promise<S3Server> | undefined;

/** Returns one S3 server for all tests of a file; it ends after the last of them. */
export function sharedS3Server(): () => Promise<S3Server> {
  afterAll(async () => {
    await (await shared)?.stop();
    shared = undefined;
  });
  return () => {
    shared ??= startS3Server();
    return shared;
  };
}
