import { expect, test } from "bun:test";
import { forAllTests } from "../support/for-all-tests.ts";
import { type Answered, startTestServer } from "../support/servers/test-server.ts";

/** Which web pages can read responses (CORS) and act with the visitor's cookie (protocol §0, §1). */
const FRIEND = "https://friend.example";
const STRANGER = "https://evil.example";

const server = await forAllTests(startTestServer({ allowedOrigins: [FRIEND] }));
const ann = await server.user("ann");

const verdict = ({ status, body }: Answered) => [status, body.code];

test("CORS allows only configured origins", async () => {
  const friend = await server.guest.get("/api/channels", { headers: { origin: FRIEND } });
  expect(friend.headers.get("access-control-allow-origin")).toBe(FRIEND);
  expect(friend.headers.get("access-control-allow-credentials")).toBe("true");
  expect(friend.headers.get("access-control-expose-headers")).toContain("PAYMENT-REQUIRED");
  const stranger = await server.guest.get("/api/channels", { headers: { origin: STRANGER } });
  expect(stranger.headers.get("access-control-allow-origin")).toBeNull();
  const preflight = await server.guest.send("OPTIONS", "/api/messages", {
    headers: { origin: FRIEND, "access-control-request-method": "POST" },
  });
  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, FRIEND]);
  expect(preflight.headers.get("x-request-id")).toMatch(/-/);
  const refused = await server.guest.send("OPTIONS", "/api/messages", {
    headers: { origin: STRANGER },
  });
  expect(refused.headers.get("access-control-allow-origin")).toBeNull();
});

test.each([
  [{}, 201],
  [{ "sec-fetch-site": "same-origin" }, 201],
  [{ "sec-fetch-site": "none" }, 201],
  [{ "sec-fetch-site": "cross-site", origin: STRANGER }, 403],
  [{ "sec-fetch-site": "same-site", origin: "https://sub.example" }, 403],
  [{ "sec-fetch-site": "cross-site" }, 403],
  [{ origin: STRANGER }, 403],
  [{ origin: "null" }, 403],
  [{ origin: FRIEND, "sec-fetch-site": "cross-site" }, 201],
])("a message sent with the headers %j gets %d", async (headers, status) => {
  const answer = await ann.post(
    "/api/messages",
    { channel_slug: "general", content: "x" },
    { headers: headers as Record<string, string> },
  );
  expect(answer.status).toBe(status);
  if (status === 403) expect(answer.body.code).toBe("cross_site");
});

test("a page of the server itself can act, and a foreign page cannot even log in", async () => {
  expect(
    (await ann.post("/api/messages", { channel_slug: "general", content: "x" }, { headers: { origin: server.url } }))
      .status,
  ).toBe(201);
  const login = await server.guest.post(
    "/api/auth/login",
    { username: "ann", password: "x" },
    { headers: { origin: STRANGER } },
  );
  expect(verdict(login)).toEqual([403, "cross_site"]);
});

test("a foreign page can read public resources", async () => {
  expect(
    (await ann.get("/api/channels", { headers: { origin: STRANGER, "sec-fetch-site": "cross-site" } })).status,
  ).toBe(200);
});

test("a response cached for one origin is not used for another", async () => {
  // A picture on a page is cached without its origin; the same page can then fetch it.
  const [script = ""] = /\/assets\/[^"]+\.js/.exec((await server.guest.get("/")).body) ?? [];
  const pages: Record<string, string>[] = [{}, { origin: FRIEND }, { origin: STRANGER }];
  for (const headers of pages) {
    expect((await server.guest.get("/api/channels", { headers })).headers.get("vary")).toBe("Origin");
    expect((await server.guest.get(script, { headers })).headers.get("vary")).toBe("accept-encoding, Origin");
  }
  await using closed = await startTestServer();
  expect((await closed.guest.get("/api/channels")).headers.get("vary")).toBeNull();
});

test("* lets pages of every origin read and act", async () => {
  await using open = await startTestServer({ allowedOrigins: ["*"] });
  const bob = await open.user("bob");
  const read = await bob.get("/api/channels", { headers: { origin: STRANGER } });
  expect(read.headers.get("access-control-allow-origin")).toBe(STRANGER);
  expect(read.headers.get("access-control-allow-credentials")).toBe("true");
  const headers = { origin: STRANGER, "sec-fetch-site": "cross-site" };
  const sent = await bob.post("/api/messages", { channel_slug: "general", content: "x" }, { headers });
  expect(sent.status).toBe(201);
});
