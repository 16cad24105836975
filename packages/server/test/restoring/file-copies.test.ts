import { afterEach, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FolderStorage } from "../../src/files/storage/folder-storage.ts";
import { fileCopies, fileStorage } from "../../src/files/storage/open-storage.ts";
import { sweepFiles } from "../../src/files/sweep.ts";
import { datedClock } from "../support/clock.ts";
import { temporaryFolder } from "../support/config.ts";
import { type Client, eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";

const DAY_MS = 86_400_000;
const started: TestServer[] = [];
afterEach(async () => {
  for (const server of started.splice(0)) await server[Symbol.asyncDispose]();
});

/** A server whose files have copies in a replica; of the replica only the files are used. */
async function start(settings: { filesKeptDays?: number } = {}) {
  const clock = datedClock();
  const place = join(temporaryFolder(), "replica");
  const server = await startTestServer(
    { replica: { kind: "folder", path: place }, replicaDays: 7, ...settings },
    { clock },
  );
  started.push(server);
  const copies = new FolderStorage(join(place, "files"), server.ctx.log);
  await eventually("the files are compared", () => fileCopies(server.ctx).missing === 0);
  const keys = async (storage: { list(): AsyncIterable<{ key: string }> }) =>
    (await Array.fromAsync(storage.list())).map(({ key }) => key);
  return {
    server,
    clock,
    place,
    ann: await server.user("ann"),
    copied: () => keys(copies),
    local: () => keys(fileStorage(server.ctx)),
    /** Lets that much time pass, and removes what nobody needs; twice, because a removal waits after it was noted. */
    async sweep(ms: number) {
      clock.ahead += ms;
      await sweepFiles(server.ctx);
      await sweepFiles(server.ctx);
    },
  };
}

async function upload(client: Client, text: string) {
  const form = new FormData();
  form.set("file", new Blob([text]), "a.txt");
  const answer = await client.post("/api/files", undefined, { raw: form });
  expect(answer.status).toBe(201);
  return answer.body.file as { file_id: string; url: string; sha256: string };
}

test("an upload is copied before it is acknowledged", async () => {
  const { ann, copied, local } = await start();
  const { sha256 } = await upload(ann, "kept twice");
  const keys = await copied();
  expect(keys).toEqual(await local());
  expect(keys[0]).toStartWith(sha256);
});

test("the bytes and the copy of a deleted file stay for the days of the replica, and then go", async () => {
  const { ann, copied, local, sweep } = await start();
  const file = await upload(ann, "deleted");
  await ann.delete(`/api/files/${file.file_id}`);
  expect((await ann.get(file.url)).status).toBe(404);
  await sweep(120_000);
  await sweep(6 * DAY_MS);
  expect(await local()).toHaveLength(1);
  expect(await copied()).toHaveLength(1);
  await sweep(2 * DAY_MS);
  expect([await local(), await copied()]).toEqual([[], []]);
});

test("PARLEY_FILES_KEPT_DAYS 0 removes the bytes at once", async () => {
  const { ann, copied, local, sweep } = await start({ filesKeptDays: 0 });
  await ann.delete(`/api/files/${(await upload(ann, "short")).file_id}`);
  await sweep(120_000);
  expect([await local(), await copied()]).toEqual([[], []]);
});

test("while the replica cannot be written, uploads go on, and are copied later", async () => {
  const { server, ann, place, copied, local } = await start();
  rmSync(place, { recursive: true, force: true });
  writeFileSync(place, "a file where the folder was");
  await upload(ann, "one");
  await upload(ann, "two");
  expect(fileCopies(server.ctx).missing).toBe(2);
  rmSync(place);
  await fileCopies(server.ctx).pass();
  expect(fileCopies(server.ctx).missing).toBe(0);
  expect(await copied()).toEqual(await local());
});

test("a copy that is lost is made again by the next server, and one that nothing needs is removed", async () => {
  const { server, clock, ann, copied, local, place } = await start();
  await upload(ann, "here");
  const copies = new FolderStorage(join(place, "files"), server.ctx.log);
  const [key = ""] = await copied();
  await copies.remove(key);
  const stray = "0".repeat(64);
  const temporary = join(temporaryFolder(), "stray");
  writeFileSync(temporary, "stray");
  await copies.store(stray, temporary);
  const { FileCopies } = await import("../../src/files/replica/file-copies.ts");
  const fresh = () => new FileCopies(server.ctx, fileStorage(server.ctx));
  await fresh().pass();
  expect(await copied()).toEqual([stray, ...(await local())]);
  clock.ahead += 9 * DAY_MS;
  await fresh().pass();
  expect(await copied()).toEqual(await local());
});
