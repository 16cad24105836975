import { expect, test } from "bun:test";
import { connect } from "node:net";
import { forAllTests } from "../support/for-all-tests.ts";
import { RawHttp } from "../support/servers/raw-http.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/** Anybody can send any Host header. A malformed one is the caller's error, and never an internal error in the log. */
const server = await forAllTests(startTestServer());
const ann = await server.user("ann");

const CHALLENGE = { chain: "evm", address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" };

test.each(['a"b<c', "a b", "[::1", ":", "x:99999", "%", "a@b", "?", ""])(
  "a request with the header Host: %j is refused without an internal error",
  async (host) => {
    using http = await RawHttp.open(server.url);
    const ask = async (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) => {
      const { status, body: text } = await http.ask(method, path, { host, ...headers }, body);
      return [status, text === "" ? "" : JSON.parse(text).code];
    };
    const origin = "https://evil.example";
    const login = { username: "ann", password: "x" };
    expect(await ask("POST", "/api/auth/login", { origin }, login)).toEqual([403, "cross_site"]);
    const upgrade = { upgrade: "websocket", connection: "Upgrade" };
    expect(await ask("GET", "/api/ws", { origin, ...upgrade })).toEqual([403, "cross_site"]);
    expect(await ask("GET", "/nowhere")).toEqual([404, "not_found"]);
    expect(await ask("GET", "/api/channels")).toEqual([200, undefined]);
    // The text that a wallet signs names the host.
    const { cookie = "" } = ann.credential;
    expect(await ask("POST", "/api/user/ann/wallets/challenge", { cookie }, CHALLENGE)).toEqual([
      400,
      "invalid_request",
    ]);
  },
);

/** Sends a head and a body as they are; returns the status of the answer. */
function statusOf(lines: readonly string[], body = ""): Promise<number> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
  return new Promise((resolve, reject) => {
    socket.once("data", (chunk: Buffer) => {
      socket.destroy();
      resolve(Number(/^HTTP\/1\.1 (\d{3}) /.exec(chunk.toString())?.[1]));
    });
    socket.once("error", reject);
  });
}

test.each([
  ["GET", "/api/channels"],
  ["POST", "/api/auth/login"],
  ["HEAD", "/api/channels"],
  ["OPTIONS", "/api/channels"],
  ["GET", "/api/ws"],
  ["GET", "/"],
  ["GET", "/docs"],
  ["GET", "/nowhere"],
  ["GET", "/livez"],
])("%s %s with two Host headers is refused, whichever they are", async (method, path) => {
  for (const hosts of [
    ["chat.example", "evil.example"],
    ["chat.example", "chat.example"],
    ["chat.example", ""],
    ["chat.example, evil.example"],
  ]) {
    const heads = hosts.map((host, n) => `${n === 0 ? "Host" : "hOST"}: ${host}`);
    expect([hosts, await statusOf([`${method} ${path} HTTP/1.1`, ...heads, "Connection: close"])]).toEqual([
      hosts,
      400,
    ]);
  }
});

test.each<[string, string[], string]>([
  ["no Host", ["Content-Length: 0"], ""],
  ["two lengths", ["Host: a", "Content-Length: 1", "Content-Length: 2"], "{}"],
  ["a length and a transfer encoding", ["Host: a", "Content-Length: 2", "Transfer-Encoding: chunked"], "0\r\n\r\n"],
  ["two transfer encodings", ["Host: a", "Transfer-Encoding: gzip", "Transfer-Encoding: chunked"], "0\r\n\r\n"],
  ["a header that is folded", ["Host: a", " b", "Content-Length: 2"], "{}"],
  ["a space before a colon", ["Host : a", "Content-Length: 2"], "{}"],
])("a request with %s is refused", async (_, lines, body) => {
  const head = ["POST /api/auth/login HTTP/1.1", ...lines, "Content-Type: application/json", "Connection: close"];
  expect(await statusOf(head, body)).toBe(400);
});

test("a creation repeated under another host name of the server is the same one", async () => {
  using http = await RawHttp.open(server.url);
  const { cookie = "" } = ann.credential;
  const make = async (host: string) => {
    const headers = { host, cookie, "idempotency-key": "one-channel" };
    const { status, body } = await http.ask("POST", "/api/channels", headers, { name: "Once" });
    return [status, JSON.parse(body).channel_id];
  };
  const [, id] = await make("chat.example");
  expect(await make("127.0.0.1")).toEqual([200, id]);
});
