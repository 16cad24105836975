import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { infoProblem, inspectRedis } from "./inspect.ts";

const problemOf = async (url: string, timeoutMs = 2_000) => (await inspectRedis(url, timeoutMs)).problem;

/** Something that answers every connection with the text. */
async function answering(text: string) {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => void socket.write(text));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return { url: `redis://127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
}

test.each([
  ["redis_mode:cluster", /belongs to a Redis Cluster/],
  ["redis_mode:sentinel", /is a Sentinel/],
  ["role:slave", /is a replica/],
  ["redis_version:5.0.14", /has version 5\.0\.14/],
  ["maxmemory_policy:volatile-lru", /eviction policy volatile-lru/],
])("refuses a server that says %s, and says what to do", (line, text) => {
  expect(infoProblem("a:1", `# Server\r\n${line}\r\n`)?.text).toMatch(text);
});

test("accepts a primary server, and one that says nothing about itself", () => {
  const lines = ["redis_version:8.0.1", "redis_mode:standalone", "role:master", "maxmemory_policy:noeviction"];
  for (const info of [lines.join("\r\n"), ""]) expect(infoProblem("a:1", info)).toBeNull();
});

test("tells what is not Redis from what does not answer", async () => {
  using web = await answering("HTTP/1.1 400 Bad Request\r\n\r\n");
  expect(await problemOf(web.url)).toMatchObject({ text: expect.stringContaining("is not Redis"), isLasting: true });
  using silent = await answering("");
  expect(await problemOf(silent.url, 100)).toMatchObject({
    text: expect.stringContaining("does not answer"),
    isLasting: false,
  });
  using half = await answering("$5000\r\nnever complete");
  expect((await problemOf(half.url, 100))?.text).toContain("does not answer");
  expect((await problemOf("redis://127.0.0.1:1"))?.text).toContain("Nothing listens at 127.0.0.1:1");
  expect((await problemOf("redis://no-such-host.invalid"))?.text).toContain("no address");
  using busy = await answering("-ERR max number of clients reached\r\n");
  expect(await problemOf(busy.url)).toMatchObject({ text: expect.stringContaining("maxclients"), isLasting: false });
});
