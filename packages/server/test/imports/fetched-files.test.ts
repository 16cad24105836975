import { afterAll, expect, test } from "bun:test";
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/clock.ts";
import { FileFetcher } from "../../src/imports/files/fetch-file.ts";
import { openImport } from "../../src/imports/open/open.ts";
import type { SourceFile } from "../../src/imports/source.ts";
import { slack } from "../../src/imports/sources/slack/format.ts";
import { writeImport } from "../../src/imports/write/write.ts";
import { Outgoing } from "../../src/outgoing/outgoing.ts";
import { cli } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { writeExportZip } from "../support/imports/export-files.ts";
import { memoryStage, sourceChannel, sourceMessage, sourceUser } from "../support/imports/memory-stage.ts";
import { DAY, dayOf, said, sampleExport, slackFile } from "../support/imports/slack-export.ts";
import { SELF_SIGNED } from "../support/self-signed.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const { key, certificate } = SELF_SIGNED;
const HOST = SELF_SIGNED.name;
const asked: string[] = [];
let busy = 2;
const service: ReturnType<typeof Bun.serve> = Bun.serve({
  port: 0,
  tls: { key, cert: certificate },
  async fetch(request) {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    if (pathname === "/note") return new Response("hello");
    if (pathname === "/busy" && busy-- > 0) return new Response("wait", { status: 503 });
    if (pathname === "/busy") return new Response("hello");
    if (pathname === "/login")
      return new Response("<p>hi", { headers: { "content-type": "text/html; charset=utf-8" } });
    if (pathname === "/packed")
      return new Response(Bun.gzipSync(Buffer.from("hello")), { headers: { "content-encoding": "gzip" } });
    if (pathname === "/large") return new Response(new Uint8Array(3 * 1024 * 1024));
    if (pathname === "/still")
      return new Response(
        new ReadableStream({
          async pull(controller) {
            controller.enqueue(new Uint8Array(2));
            await new Promise(() => {});
          },
        }),
      );
    return new Response(null, { status: 302, headers: { location: `https://${HOST}:${service.port}/note` } });
  },
});
afterAll(() => service.stop(true));

const file = (path: string, over: Partial<SourceFile> = {}): SourceFile => ({
  id: path,
  name: `${path.slice(1)}.txt`,
  mimeType: "text/plain",
  size: 5,
  alt: null,
  path: null,
  url: `https://${HOST}:${service.port}${path}?t=xoxe-1`,
  ...over,
});
const folder = temporaryFolder();
const connection = () =>
  new Outgoing({
    allow: ["127.0.0.0/8"],
    clock: systemClock,
    ca: certificate,
    resolve: async () => ["127.0.0.1"],
    limits: { totalMs: 60_000, idleMs: 100, answerBytes: 1024 * 1024 },
  });
const ownHost = new RegExp(`^${RegExp.escape(HOST)}$`);

test("files that an export only links to are fetched, if the answer is what the export says", async () => {
  await using server = await startTestServer({ fileMaxMib: 1 });
  const { ctx } = server;
  await using fetcher = new FileFetcher(ctx, ownHost, folder, connection());
  const files = [
    file("/note"),
    file("/busy"),
    file("/login"),
    file("/dead"),
    file("/note", { id: "other size", size: 6 }),
    file("/large", { size: null }),
    file("/packed", { size: null }),
    file("/note", { id: "elsewhere", url: `https://localhost:${service.port}/note` }),
    file("/note", { id: "no link", url: null }),
  ];
  const stage = memoryStage({
    users: [sourceUser("U1")],
    channels: [sourceChannel("C1", { memberIds: ["U1"] })],
    messages: [sourceMessage("m1", { text: "see", files })],
  });
  const { importId, counts } = await writeImport(ctx, stage, {
    format: "slack",
    fingerprint: "f",
    fetchFile: fetcher.fetch,
  });
  expect(counts.files).toMatchObject({ taken: 2, left_out: 7 });
  expect(asked.filter((path) => path === "/busy")).toHaveLength(3);
  expect(asked.filter((path) => path === "/dead")).toHaveLength(1);
  await openImport(ctx, importId);
  const { messages } = (await server.guest.get("/api/messages?channel_slug=c1")).body;
  expect(messages[0].files.map(({ name }: { name: string }) => name)).toEqual(["note.txt", "busy.txt"]);
  expect(messages[0].content).toContain("login.txt (5 bytes)");
  expect(JSON.stringify(messages)).not.toContain("xoxe");
});

test("an answer that stands still is given up", async () => {
  await using server = await startTestServer();
  const limits = { totalMs: 60_000, idleMs: 50, answerBytes: 1024 };
  const sent = new Outgoing({
    allow: ["127.0.0.0/8"],
    clock: systemClock,
    ca: certificate,
    resolve: async () => ["127.0.0.1"],
    limits,
  });
  const result = await sent.send(file("/still").url ?? "", { method: "GET" }, { kind: "import", owner: "import" });
  expect(result).toEqual({ outcome: "timed_out" });
  expect(server.url).toBeString();
});

test("a full disk ends an import with what to do, and its files are not lost", async () => {
  await using server = await startTestServer();
  const full = temporaryFolder();
  symlinkSync("/dev/full", join(full, "fetched"));
  await using fetcher = new FileFetcher(server.ctx, ownHost, full, connection());
  await expect(fetcher.fetch(file("/note"))).rejects.toMatchObject({ code: "storage_full" });
});

test("nothing is left in the folder, and only hosts of the chat are asked", async () => {
  await using server = await startTestServer();
  {
    await using fetcher = new FileFetcher(server.ctx, ownHost, folder, connection());
    expect(await new Response(await fetcher.fetch(file("/note"))).text()).toBe("hello");
    expect(existsSync(join(folder, "fetched"))).toBe(true);
  }
  expect(existsSync(join(folder, "fetched"))).toBe(false);
  const hosts = ["files.slack.com", "slack-files.com", "a.b.slack-edge.com"];
  expect(hosts.map((host) => slack.fileHosts?.test(host))).toEqual([true, true, true]);
  const others = ["slack.com.example", "notslack.com", "127.0.0.1", "files.slack.com."];
  expect(others.map((host) => slack.fileHosts?.test(host))).toEqual([false, false, false, false]);
});

test("the dry run says how many files have only a link, and the command knows its words", async () => {
  const data = temporaryFolder();
  const path = await writeExportZip(join(data, "export.zip"), {
    ...sampleExport(),
    [`general/${dayOf(9)}`]: [said("U1ADA", 9 * DAY, "Linked", { files: [slackFile("F9", "far.png", 9)] })],
  });
  const run = async (...more: string[]) => {
    const { code, out, err } = await cli(["import", "slack", path, "--dry-run", "--json", ...more], {
      PARLEY_DATA_DIR: data,
    });
    return code === 0 ? { code, files: JSON.parse(out).counts.files } : { code, err };
  };
  const [none, local, fetched] = [await run(), await run("--with-files"), await run("--with-files", "fetch")];
  expect([none, local, fetched].map(({ files }) => [files.taken, files.left_out])).toEqual([
    [0, 4],
    [1, 3],
    [2, 2],
  ]);
  expect(await run("--with-files=none")).toMatchObject({
    code: 2,
    err: expect.stringContaining("--with-files takes local"),
  });
});
