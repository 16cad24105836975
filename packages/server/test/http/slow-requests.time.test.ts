import { expect, test } from "bun:test";
import { HEAD_SECONDS, IDLE_SECONDS } from "@parley/protocol/limits";
import { RawHttp } from "../support/servers/raw-http.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

/** Bun checks its timeouts every 4 s, and ends a connection in the tick in which its time is over, or up to 4 s before. */
const TICK_MS = 4_000;
/** A tick more than Bun allows for a head, which no option shortens. */
const SHORT = { idleSeconds: HEAD_SECONDS + TICK_MS / 1_000 };
const HEAD = "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";

/** Returns the milliseconds until the server closes the connection; `drip` is sent every 300 ms until then. */
async function lifetime(url: string, first: string, drip: string): Promise<number> {
  using http = await RawHttp.open(url);
  const began = performance.now();
  http.tcp.write(first);
  const timer = setInterval(() => http.tcp.write(drip), 300);
  try {
    await eventually("the server closes it", () => http.isClosed);
    return performance.now() - began;
  } finally {
    clearInterval(timer);
  }
}

test("a server allows as much time for a body as the protocol says", async () => {
  await using server = await startTestServer();
  expect(server.ctx.timing.idleSeconds).toBe(IDLE_SECONDS);
});

test.concurrent.each([
  ["sends nothing", "", ""],
  ["stops within the head", HEAD, ""],
  ["trickles the head", `${HEAD}X-Slow: `, "a"],
  ["trickles headers", HEAD, "X-Slow: a\r\n"],
])("a connection that %s is closed when the time for a head is over", async (_, first, drip) => {
  await using server = await startTestServer({}, { timing: SHORT });
  const ms = HEAD_SECONDS * 1_000;
  expect(await lifetime(server.url, first, drip)).toBeWithin(ms - TICK_MS, ms + TICK_MS);
});

test.concurrent.each([
  ["with a length", `${HEAD}Content-Length: 60000\r\n\r\n`, "a"],
  ["in chunks", `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, "1\r\na\r\n"],
  ["that nobody reads", "POST /api/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n", "a"],
])("a request with a trickled body %s is closed when the time for a body is over", async (_, first, drip) => {
  await using server = await startTestServer({}, { timing: SHORT });
  const ms = SHORT.idleSeconds * 1_000;
  expect(await lifetime(server.url, first, drip)).toBeWithin(ms - TICK_MS, ms + TICK_MS);
  expect((await server.guest.get("/livez")).status).toBe(200);
});

test.concurrent("the time for a head does not limit how long a kept connection may be idle", async () => {
  await using server = await startTestServer();
  using kept = await RawHttp.open(server.url);
  expect((await kept.ask("GET", "/livez")).status).toBe(200);
  expect(await lifetime(server.url, "", "")).toBeLessThan((IDLE_SECONDS * 1_000) / 2);
  expect((await kept.ask("GET", "/livez")).status).toBe(200);
});
