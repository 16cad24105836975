import { expect, test } from "bun:test";
import { closeSync, constants, openSync, readdirSync, readFileSync } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../support/config.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

/** More opens than Bun's pool has threads. */
const OPENS = 512;

/** The number of `openat` in Linux, on x64 and arm64. */
const OPENAT = /^(257|56) /;

/** True if each thread of Bun's pool waits for a file to open. */
function isPoolFull(): boolean {
  const threads = readdirSync("/proc/self/task").map((id) => `/proc/self/task/${id}`);
  const pool = threads.filter((path) => readFileSync(`${path}/comm`, "utf8").startsWith("Bun Pool"));
  return pool.length > 0 && pool.every((path) => OPENAT.test(readFileSync(`${path}/syscall`, "utf8")));
}

/** Fills Bun's thread pool: opening a named pipe blocks until another process writes to it. */
async function occupyPool() {
  const pipe = join(temporaryFolder(), "pipe");
  expect(Bun.spawnSync(["mkfifo", pipe]).exitCode).toBe(0);
  const opens = Array.from({ length: OPENS }, () => open(pipe, "r"));
  // A thread takes the newest work first, so until all of them wait, what comes next would run at once.
  await eventually("the pool is full", isPoolFull);
  let isFree = false;
  const next = readFile(import.meta.path).then(() => {
    isFree = true;
  });
  return {
    isFree: () => isFree,
    async release() {
      const writer = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
      await Promise.all(opens.map(async (file) => (await file).close()));
      await next;
      closeSync(writer);
    },
  };
}

test("messages, registrations and logins are answered while Bun's thread pool is occupied", async () => {
  await using server = await startTestServer();
  const pool = await occupyPool();
  try {
    const ann = await server.user("ann");
    const sent = await ann.post("/api/messages", { channel_slug: "general", content: "still here" });
    expect(sent.status).toBe(201);
    expect((await server.guest.get("/readyz")).status).toBe(200);
    expect((await server.guest.get("/api/messages?channel_slug=general")).body.messages).toHaveLength(1);
    const login = await server.guest.post("/api/auth/login", { username: "ann", password: "correct horse battery" });
    expect(login.status).toBe(200);
    expect(pool.isFree()).toBe(false);
  } finally {
    await pool.release();
  }
});
