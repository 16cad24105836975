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

/** s3rver's pages name the next one in DES, which Node's OpenSSL only offers as a legacy. */
const PROGRAM = `
const S3rver = require("s3rver");
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
