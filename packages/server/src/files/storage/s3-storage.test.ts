import { describe, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/support/config.ts";
import { S3_BUCKET, S3_KEY, sharedS3Server } from "../../../test/support/files/s3-server.ts";
import { isRightlySigned } from "../../../test/support/files/signature-v4.ts";
import { createLog } from "../../logging/log.ts";
import { bytesOf, hashOf, incomingFile, listed, put, storageConformance } from "./file-storage.conformance.ts";
import { S3Storage } from "./s3-storage.ts";

const log = createLog({ level: "silent", readable: false });
/** Another S3 server to test against, as `http://<key>:<secret>@<host>:<port>/<bucket>`; its bucket is not cleared. */
const REAL = process.env.PARLEY_TEST_S3_URL;
const s3rver = sharedS3Server();
let prefixes = 0;

async function newStorage(settings: Partial<ConstructorParameters<typeof S3Storage>[0]> = {}): Promise<S3Storage> {
  return new S3Storage(
    {
      ...(await server()),
      region: "us-east-1",
      prefix: `test-${process.pid}-${++prefixes}/`,
      incoming: join(temporaryFolder(), "incoming"),
      redirect: false,
      ...settings,
    },
    log,
  );
}

async function server() {
  if (REAL === undefined) {
    const { endpoint } = await s3rver();
    return { endpoint, bucket: S3_BUCKET, accessKey: S3_KEY, secretKey: S3_KEY };
  }
  const { origin, pathname, username, password } = new URL(REAL);
  const secretKey = decodeURIComponent(password);
  return { endpoint: origin, bucket: pathname.slice(1), accessKey: decodeURIComponent(username), secretKey };
}

storageConformance("a bucket", async () => {
  const prefix = `conformance-${process.pid}-${++prefixes}/`;
  const [storage, again] = await Promise.all([newStorage({ prefix }), newStorage({ prefix })]);
  return { storage, again, [Symbol.asyncDispose]: async () => {} };
});

test("a bucket with more than a thousand files is listed whole", async () => {
  const storage = await newStorage();
  const all: string[] = [];
  for (let n = 0; n < 1_050; n += 50) {
    all.push(...(await Promise.all(Array.from({ length: 50 }, (_, i) => put(storage, Buffer.from(`file ${n + i}`))))));
  }
  expect((await listed(storage)).map(({ key }) => key)).toEqual(all.sort());
});

test("a storage sees only the files under its prefix", async () => {
  const [one, other] = [
    await newStorage({ prefix: `p${process.pid}/` }),
    await newStorage({ prefix: `p${process.pid}/b/` }),
  ];
  const sha256 = await put(other, Buffer.from("deeper"));
  expect(await listed(one)).toEqual([]);
  expect(await one.size(sha256)).toBeNull();
  expect(await listed(other)).toHaveLength(1);
});

describe("a signed URL", () => {
  const headers = {
    contentType: "application/octet-stream",
    contentDisposition: `attachment; filename="a b.html"; filename*=UTF-8''%C3%A9.html`,
    cacheControl: "private, max-age=3600",
  };

  test("exists only if readers may be redirected", async () => {
    expect((await newStorage()).signedUrl).toBeUndefined();
    expect((await newStorage({ redirect: true })).signedUrl).toBeDefined();
  });

  test("serves the file with the headers that it was signed with, and with ranges", async () => {
    const storage = await newStorage({ redirect: true });
    const bytes = randomBytes(1_000);
    const url = storage.signedUrl?.(await put(storage, bytes), 60, headers) ?? "";
    const whole = await fetch(url);
    expect(whole.status).toBe(200);
    expect(whole.headers.get("content-type")).toBe(headers.contentType);
    expect(whole.headers.get("content-disposition")).toBe(headers.contentDisposition);
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
    const part = await fetch(url, { headers: { range: "bytes=10-19" } });
    expect([part.status, Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20))]).toEqual([206, true]);
    expect(new URL(url).searchParams.get("X-Amz-Expires")).toBe("60");
    expect(url).not.toContain("secret");
  });

  test("is signed for its file and its headers", async () => {
    const { secretKey } = await server();
    const storage = await newStorage({ redirect: true });
    const url = storage.signedUrl?.(hashOf(Buffer.from("x")), 60, headers) ?? "";
    expect(isRightlySigned(url, "GET", secretKey)).toBe(true);
    expect(isRightlySigned(url, "PUT", secretKey)).toBe(false);
    expect(isRightlySigned(url.replace("octet-stream", "html"), "GET", secretKey)).toBe(false);
    expect(isRightlySigned(url.replace("Expires=60", "Expires=6000"), "GET", secretKey)).toBe(false);
  });

  // s3rver checks no signature of version 4.
  if (REAL !== undefined)
    test("serves nothing with other headers, or for another file", async () => {
      const storage = await newStorage({ redirect: true });
      const url = storage.signedUrl?.(await put(storage, Buffer.from("mine")), 60, headers) ?? "";
      const other = await put(storage, Buffer.from("another's"));
      const tampered = new URL(url);
      tampered.searchParams.set("response-content-type", "text/html");
      expect((await fetch(tampered)).status).toBe(403);
      expect((await fetch(url.replace(/[0-9a-f]{64}\?/, `${other}?`))).status).toBe(403);
    });
});

/** Writes 120 MiB, without keeping them in memory. */
async function largeFile(storage: S3Storage): Promise<{ path: string; sha256: string }> {
  const path = incomingFile(storage, Buffer.alloc(0));
  const hash = createHash("sha256");
  const piece = randomBytes(1024 * 1024);
  for (let n = 0; n < 120; n++) {
    piece.writeUInt32BE(n);
    hash.update(piece);
    appendFileSync(path, piece);
  }
  return { path, sha256: hash.digest("hex") };
}

test("files larger than a part need little memory", async () => {
  const storage = await newStorage();
  await put(storage, randomBytes(20 * 1024 * 1024));
  const { path, sha256 } = await largeFile(storage);
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss() - before);
  }, 5);
  await storage.store(sha256, path);
  clearInterval(timer);
  expect(existsSync(path)).toBe(false);
  expect(most / 1024 / 1024).toBeLessThan(64);
  expect(hashOf((await bytesOf(storage, sha256)) ?? Buffer.alloc(0))).toBe(sha256);
});
