import { afterAll, beforeAll, expect, test } from "bun:test";
import { RawHttp } from "../support/servers/raw-http.ts";
import { type Client, startTestServer, type TestServer } from "../support/servers/test-server.ts";

/** Anybody can send any Host header. A malformed one is the caller's error, and never an internal error in the log. */
let server: TestServer;
let ann: Client;
beforeAll(async () => {
  server = await startTestServer();
  ann = await server.user("ann");
});
afterAll(() => server[Symbol.asyncDispose]());

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
