import { describe, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { cpSync, existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cliProcess, spawnCli } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { startS3Server } from "../support/files/s3-server.ts";
import { fetchFile, sendFile, upload } from "../support/files/sent-file.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { type Client, eventually, signUp } from "../support/servers/test-server.ts";

const hashOf = (bytes: Uint8Array | ArrayBuffer) =>
  createHash("sha256")
    .update(Buffer.from(bytes as Uint8Array))
    .digest("hex");
/** Returns where a folder has bytes: under their hash, with a suffix in the server's own. */
function pathIn(folder: string, hash: string): string {
  const inner = join(folder, hash.slice(0, 2), hash.slice(2, 4));
  const name = existsSync(inner) ? readdirSync(inner).find((name) => name.startsWith(hash)) : undefined;
  return join(inner, name ?? hash);
}

/** Uploads a body that never ends, and returns when the server has some of it. */
async function beginUpload(server: ChildServer, client: Client, incoming: string): Promise<void> {
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from(head));
      controller.enqueue(randomBytes(600_000));
    },
  });
  const headers = { ...client.credential, "content-type": "multipart/form-data; boundary=b" };
  fetch(`${server.url}/api/files`, { method: "POST", headers, body }).catch(() => {});
  await eventually("the upload has begun", () => existsSync(incoming) && readdirSync(incoming).length > 0);
}

describe("parley backup --with-files", () => {
  test("and restore bring every file back; doctor finds what is lost and what nobody needs", async () => {
    const dataDir = temporaryFolder();
    const safe = temporaryFolder();
    const env = { PARLEY_DATA_DIR: dataDir };
    const folder = join(safe, "files");
    await using server = new ChildServer(dataDir, freePort());
    await server.start();
    const ann = await signUp(server.url, "ann");
    const files = [await sendFile(ann, "first"), await sendFile(ann, randomBytes(300_000))];

    const first = await cliProcess(["backup", join(safe, "1.sqlite"), "--with-files", folder, "--json"], env);
    expect(JSON.parse(first.out).files).toMatchObject({ copied: 2, present: 0, missing: [], damaged: [] });
    files.push(await sendFile(ann, "third"));
    const second = await cliProcess(["backup", join(safe, "2.sqlite"), "--with-files", folder, "--json"], env);
    expect(JSON.parse(second.out).files).toMatchObject({ copied: 1, present: 2 });
    expect((await cliProcess(["doctor"], env)).out).toContain("3 in the database, all with their bytes");

    const [lost, damaged] = files.map(({ sha256 }) => pathIn(join(dataDir, "files"), sha256)) as [string, string];
    rmSync(lost);
    const orphan = hashOf(Buffer.from("nobody's"));
    cpSync(damaged, pathIn(join(dataDir, "files"), orphan), { recursive: true });
    utimesSync(pathIn(join(dataDir, "files"), orphan), 1_600_000_000, 1_600_000_000);
    writeFileSync(damaged, "cut");
    const ill = await cliProcess(["doctor"], env);
    expect(ill.code).toBe(1);
    expect(ill.out).toContain("2 of 3 have lost their bytes");
    expect(ill.out).toContain("1 stored for more than a day belong to no message");
    const third = await cliProcess(["files", "backup", join(safe, "other"), "--json"], env);
    expect(third.code).toBe(1);
    expect(JSON.parse(third.out).files).toMatchObject({
      copied: 1,
      missing: [files[0]?.sha256],
      damaged: [files[1]?.sha256],
    });
    const refused = await cliProcess(["files", "backup", join(dataDir, "files")], env);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("belongs to the server") });

    await server.end("SIGTERM");
    const restored = await cliProcess(["restore", join(safe, "2.sqlite"), "--with-files", folder, "--json"], env);
    expect(JSON.parse(restored.out).files).toMatchObject({ copied: 2, present: 1, missing: [], damaged: [] });
    expect((await cliProcess(["doctor"], env)).out).toContain("3 in the database, all with their bytes");
    await server.start();
    for (const { url, sha256 } of files) {
      expect(hashOf(await (await fetchFile(ann, url)).arrayBuffer())).toBe(sha256);
    }
  });

  test("that is killed in the middle leaves whole files, and the next one completes it", async () => {
    const dataDir = temporaryFolder();
    const folder = join(temporaryFolder(), "files");
    const env = { PARLEY_DATA_DIR: dataDir };
    await using server = new ChildServer(dataDir, freePort());
    await server.start();
    const ann = await signUp(server.url, "ann");
    const hashes: string[] = [];
    for (let n = 0; n < 12; n++) hashes.push((await sendFile(ann, randomBytes(2_000_000))).sha256);
    const stored = () => hashes.filter((sha256) => existsSync(pathIn(folder, sha256)));
    const child = spawnCli(["files", "backup", folder], env);
    await eventually("some are copied", () => stored().length > 0);
    child.kill("SIGKILL");
    await child.exited;
    for (const sha256 of stored()) expect(hashOf(await Bun.file(pathIn(folder, sha256)).bytes())).toBe(sha256);
    const whole = stored().length;
    const next = JSON.parse((await cliProcess(["files", "backup", folder, "--json"], env)).out).files;
    expect(next).toMatchObject({ copied: 12 - whole, present: whole });
    expect(stored()).toHaveLength(12);
  });
});

test("a server that is killed in the middle of an upload leaves nothing of it", async () => {
  const dataDir = temporaryFolder();
  const incoming = join(dataDir, "files/incoming");
  await using server = new ChildServer(dataDir, freePort());
  await server.start();
  const ann = await signUp(server.url, "ann");
  await beginUpload(server, ann, incoming);
  await server.end("SIGKILL");
  expect(readdirSync(incoming)).not.toEqual([]);
  await server.start();
  expect(readdirSync(incoming)).toEqual([]);
  expect((await upload(ann, "works again")).status).toBe(201);
});

describe("a server with a bucket", () => {
  test("keeps files there, serves them, and survives its outage", async () => {
    const folder = join(temporaryFolder(), "s3");
    const port = freePort();
    let s3 = await startS3Server(folder, port);
    const dataDir = temporaryFolder();
    await using server = new ChildServer(dataDir, freePort(), { ...s3.env, PARLEY_LOG_LEVEL: "fatal" });
    await server.start();
    const ann = await signUp(server.url, "ann");
    const bytes = randomBytes(7_000_000);
    const file = await sendFile(ann, bytes);
    expect(hashOf(await (await fetchFile(ann, file.url)).arrayBuffer())).toBe(file.sha256);
    const part = await fetchFile(ann, file.url, { range: "bytes=6999990-" });
    expect([part.status, Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(-10))]).toEqual([206, true]);
    expect(existsSync(join(dataDir, "files"))).toBe(false);
    const env = { PARLEY_DATA_DIR: dataDir, ...s3.env };
    expect((await cliProcess(["doctor"], env)).out).toContain("the bucket s3://files/parley/ answers");

    await s3.stop();
    expect(await upload(ann, "while it is away")).toMatchObject({ status: 503, body: { code: "storage_unavailable" } });
    expect((await fetchFile(ann, file.url)).status).toBe(503);
    expect((await ann.post("/api/messages", { channel_slug: "general", content: "still here" })).status).toBe(201);
    expect(readdirSync(join(dataDir, "incoming"))).toEqual([]);
    const ill = await cliProcess(["doctor"], env);
    expect(ill.code).toBe(1);
    expect(ill.out).toContain("cannot be used");
    expect(ill.out).not.toContain("S3RVER");

    s3 = await startS3Server(folder, port);
    try {
      expect((await upload(ann, "while it was away")).status).toBe(201);
      expect(hashOf(await (await fetchFile(ann, file.url)).arrayBuffer())).toBe(file.sha256);
      const back = JSON.parse((await cliProcess(["files", "backup", join(temporaryFolder(), "f"), "--json"], env)).out);
      expect(back.files).toMatchObject({ copied: 2, missing: [], damaged: [] });
    } finally {
      await s3.stop();
    }
  });

  test("sends readers to a signed URL that is as safe as its own answers", async () => {
    await using s3 = await startS3Server();
    const env = { ...s3.env, PARLEY_S3_REDIRECT: "true" };
    await using server = new ChildServer(temporaryFolder(), freePort(), env);
    await server.start();
    const ann = await signUp(server.url, "ann");
    const file = await sendFile(ann, "<script>alert(1)</script>");
    const redirect = await fetch(server.url + file.url, { headers: ann.credential, redirect: "manual" });
    expect([302, 303, 307]).toContain(redirect.status);
    expect(redirect.headers.get("cache-control")).toMatch(/no-store|max-age=([0-5]?\d)\b/);
    const answer = await fetchFile(ann, file.url);
    expect(answer.headers.get("content-type")).toBe("application/octet-stream");
    expect(answer.headers.get("content-disposition")).toStartWith("attachment");
    expect(await answer.text()).toBe("<script>alert(1)</script>");
    const stranger = await fetch(`${server.url}/api/files/999`, { headers: ann.credential, redirect: "manual" });
    expect(stranger.status).toBe(404);
  });
});
