import { expect, test } from "bun:test";
import { forAllTests } from "../support/for-all-tests.ts";
import { RawHttp } from "../support/servers/raw-http.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/** Clients and proxies may write one path in several ways (RFC 3986, 6.2.2). Each is the same resource, or none. */
const server = await forAllTests(startTestServer());
await server.user("ann");

async function statusOf(method: string, path: string): Promise<number> {
  using http = await RawHttp.open(server.url);
  return (await http.ask(method, path)).status;
}

test.each(["/api/./channels", "/api/x/../channels", "/api/%2e/channels", "/api/%63hannels", "/%61pi/channels?limit=1"])(
  "GET %s is GET /api/channels",
  async (path) => {
    using http = await RawHttp.open(server.url);
    const { status, body } = await http.ask("GET", path);
    expect([status, JSON.parse(body).channels[0].channel_slug]).toEqual([200, "general"]);
  },
);

test("another spelling of a path reaches the same route as its usual one", async () => {
  expect(await statusOf("GET", "/api/user/./ann")).toBe(await statusOf("GET", "/api/user/ann"));
  expect(await statusOf("HEAD", "/api/./channels")).toBe(200);
  expect(await statusOf("POST", "/api/./channels")).toBe(401);
  // A name goes before a parameter.
  expect(await statusOf("GET", "/api/./notifications")).toBe(await statusOf("GET", "/api/notifications"));
});

test.each([
  ["GET", "/api//channels", 404],
  ["GET", "/api%2fchannels", 404],
  ["GET", "/api/channels/%zz/guard", 400],
  ["DELETE", "/api/./channels", 405],
] as const)("%s %s answers %i", async (method, path, status) => {
  expect(await statusOf(method, path)).toBe(status);
});
