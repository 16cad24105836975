import { expect, test } from "bun:test";
import { closeSync, constants, openSync } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../support/config.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/** More opens than Bun's pool has threads. */
const OPENS = 512;

/** Fills Bun's thread pool: opening a named pipe blocks until another process writes to it. */
function occupyPool() {
  const pipe = join(temporaryFolder(), "pipe");
  expect(Bun.spawnSync(["mkfifo", pipe]).exitCode).toBe(0);
  const opens = Array.from({ length: OPENS }, () => open(pipe, "r"));
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
  const pool = occupyPool();
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
