import { describe, expect, test } from "bun:test";
import { isLocalCaller, mayReadMetrics } from "../../src/operations/metrics-access.ts";
import { problemsOf } from "../support/config.ts";
import { expectError } from "../support/expect-error.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const TOKEN = "a-token-of-24-characters";
const PUBLIC = { publicUrl: "https://chat.example.org" };

describe("GET /metrics", () => {
  test.each([
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "forwarded",
    "via",
    "x-real-ip",
    "x-client-ip",
    "x-original-uri",
    "cf-connecting-ip",
    "true-client-ip",
  ])("refuses a local proxy that sends %s", async (name) => {
    await using server = await startTestServer();
    expect((await server.guest.get("/metrics")).status).toBe(200);
    expectError(await server.guest.get("/metrics", { headers: { [name]: "127.0.0.1" } }), 404, "not_found");
  });

  test("refuses a local proxy that forwards the Host header", async () => {
    await using server = await startTestServer();
    for (const host of ["chat.example.org", "127.0.0.1:1", "localhost", "127.0.0.1.example.org", "a@127.0.0.1", ""]) {
      expectError(await server.guest.get("/metrics", { headers: { host } }), 404, "not_found");
    }
  });

  test("refuses every local caller without the token once the server has a public address", async () => {
    await using server = await startTestServer(PUBLIC);
    expectError(await server.guest.get("/metrics"), 404, "not_found");
    await using local = await startTestServer({ publicUrl: "http://127.0.0.1:3000" });
    expect((await local.guest.get("/metrics")).status).toBe(200);
  });

  test("accepts any caller with the token, and nobody with another one", async () => {
    await using server = await startTestServer({ ...PUBLIC, metricsToken: TOKEN });
    const ask = (authorization: string) => server.guest.get("/metrics", { headers: { authorization } });
    const answer = await ask(`Bearer ${TOKEN}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toContain("parley_http_requests_total");
    for (const wrong of [`Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, "Bearer", `Basic ${TOKEN}`, TOKEN]) {
      expectError(await ask(wrong), 404, "not_found");
    }
    const proxied = { authorization: `bearer ${TOKEN}`, "x-forwarded-for": "203.0.113.7" };
    expect((await server.guest.get("/metrics", { headers: proxied })).status).toBe(200);
  });

  test("accepts no token if none is set", () => {
    const headers = new Headers({ authorization: "Bearer null" });
    const config = { ...PUBLIC, metricsPublic: false, metricsToken: null };
    expect(mayReadMetrics(config, { address: "203.0.113.7", headers, port: 3000 })).toBe(false);
  });
});

test.each([
  ["127.0.0.1", true],
  ["127.8.9.1", true],
  ["::1", true],
  ["::ffff:127.0.0.1", true],
  ["10.0.0.1", false],
  ["::ffff:10.0.0.1", false],
  ["127.evil.example", false],
  ["::12", false],
])("the metrics treat the peer %s as local: %p", (address, local) => {
  const headers = new Headers({ host: "localhost:3000" });
  expect(isLocalCaller({ publicUrl: null }, { address, headers, port: 3000 })).toBe(local);
});

test("the settings refuse a short metrics token", () => {
  const [problem = ""] = problemsOf({ PARLEY_METRICS_TOKEN: "short" });
  expect(problem).toStartWith("PARLEY_METRICS_TOKEN must have at least 16 characters");
});
