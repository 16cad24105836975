import { expect, test } from "bun:test";
import { connect } from "node:net";
import { forAllTests } from "../support/for-all-tests.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/**
 * Bodies that are too large are answered without closing the connection, and are not read to their end (protocol §0).
 */
const server = await forAllTests(startTestServer());
const ann = await server.user("ann");

const ROUTES = [
  ["POST", "/api/messages", "application/json", 64],
  ["PUT", "/api/user/ann", "application/json", 400],
  ["POST", "/api/stickers/upload", "multipart/form-data; boundary=x", 640],
] as const;

/** Sends this many spaces without announcing the length. */
async function sendUndeclared(method: string, path: string, type: string, bytes: number) {
  let sent = 0;
  const body = new ReadableStream({
    pull(controller) {
      const size = Math.min(bytes - sent, 16_384);
      sent += size;
      if (size === 0) controller.close();
      else controller.enqueue(new Uint8Array(size).fill(0x20));
    },
  });
  const headers = { ...ann.credential, "content-type": type };
  const response = await fetch(server.url + path, { method, body, headers });
  return { status: response.status, code: ((await response.json()) as { code: string }).code, sent };
}

test.each(ROUTES)("%s %s refuses a body that is too large", async (method, path, type, kib) => {
  const limit = kib * 1024;
  for (const bytes of [limit + 1, 2 * 1024 * 1024, 20 * 1024 * 1024]) {
    const raw = new Uint8Array(bytes).fill(0x20);
    const answer = await ann.send(method, path, { raw, headers: { "content-type": type } });
    expect([answer.status, answer.body.code, answer.body.details]).toEqual([
      413,
      "body_too_large",
      { limit_bytes: limit },
    ]);
    expect(answer.headers.get("x-request-id")).toBe(answer.body.request_id);
  }
  expect((await ann.send(method, path, { raw: " ".repeat(limit), headers: { "content-type": type } })).status).toBe(
    400,
  );
  expect(await sendUndeclared(method, path, type, limit)).toMatchObject({ status: 400 });
  const cut = await sendUndeclared(method, path, type, 200 * 1024 * 1024);
  expect(cut).toMatchObject({ status: 413, code: "body_too_large" });
  expect(cut.sent).toBeLessThan(8 * 1024 * 1024);
});

test("JSON without a length, or with a byte order mark, is read as usual", async () => {
  const text = '\ufeff{"channel_slug":"general","content":"Grüße ☕ 😀"}';
  const body = new ReadableStream({
    start(controller) {
      // With chunks of one byte, characters are split.
      for (const byte of new TextEncoder().encode(text)) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const headers = { ...ann.credential, "content-type": "application/json" };
  const response = await fetch(`${server.url}/api/messages`, { method: "POST", body, headers });
  const { chat_message } = (await response.json()) as { chat_message: { content: string } };
  expect([response.status, chat_message.content]).toEqual([201, "Grüße ☕ 😀"]);
});

test("the length of a GET's body, which nobody reads, is no reason to refuse it", async () => {
  const { port } = new URL(server.url);
  const status = await new Promise<string>((resolve, reject) => {
    const head = "GET /api/channels HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n";
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(head + "x".repeat(100_000)));
    socket.on("error", reject);
    socket.on("data", (data) => {
      socket.destroy();
      resolve(String(data).split("\r\n")[0] ?? "");
    });
  });
  expect(status).toBe("HTTP/1.1 200 OK");
});
