import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { ERRORS, type ErrorCode, isRetryable } from "@parley/protocol/errors";
import { allRoutes } from "../../src/modules.ts";
import { untimed } from "../support/clock.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { type Answered, startTestServer } from "../support/servers/test-server.ts";

/** Protocol §0: rules for every endpoint. */

const server = await forAllTests(startTestServer());
const ann = await server.user("ann");

const verdict = ({ status, body }: Answered) => [status, body.code];

describe("an error response", () => {
  test("has the protocol's fields, a code and the request's id", async () => {
    const answer = await server.guest.get("/api/channels/99999/members");
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({
      success: false,
      error: expect.any(String),
      code: "channel_not_found",
      retryable: false,
      request_id: answer.headers.get("x-request-id"),
    });
  });

  test.each([
    ["broken JSON", "{", "invalid_json"],
    ["no JSON", "hello", "invalid_json"],
    ["an empty body", "", "invalid_json"],
    ["deep nesting", `{"content":${"[".repeat(30_000)}`, "invalid_json"],
    ["a prototype", '{"content":"x","channel_id":1,"__proto__":{"admin":true}}', "invalid_request"],
    ["a list", "[]", "invalid_request"],
    ["null", "null", "invalid_request"],
    ["an own id field", '{"channel_id":1,"content":"x","id":5}', "field_not_writable"],
    ["a wrong type", '{"channel_id":true,"content":"x"}', "invalid_request"],
  ])("to %s is 400", async (_, raw, code) => {
    const answer = await ann.send("POST", "/api/messages", { raw, headers: { "content-type": "application/json" } });
    expect(verdict(answer)).toEqual([400, code]);
  });

  test.each([
    ["a Latin-1 letter", '{"channel_slug":"general","content":"caf\xe9"}'],
    ["half a character", '{"channel_slug":"general","content":"caf\xc3"}'],
  ])("refuses %s, which is not UTF-8, instead of storing something else", async (_, text) => {
    const raw = Buffer.from(text, "latin1");
    const headers = { "content-type": "application/json" };
    expect(verdict(await ann.send("POST", "/api/messages", { raw, headers }))).toEqual([400, "invalid_json"]);
    const body = new Blob([raw]).stream();
    const chunked = await fetch(`${server.url}/api/messages`, {
      method: "POST",
      headers: { ...ann.credential, ...headers },
      body,
    });
    expect(chunked.status).toBe(400);
  });

  test("names the invalid fields in invalid_request", async () => {
    const answer = await ann.post("/api/messages", { channel_id: "one", content: "x", reply_to_id: -1 });
    expect(verdict(answer)).toEqual([400, "invalid_request"]);
    expect(answer.body.details.map(({ path }: { path: string }) => path)).toEqual(["channel_id", "reply_to_id"]);
    const { details } = (await ann.post("/api/webhooks", {})).body;
    expect(details).toEqual(["url", "events"].map((path) => ({ path, message: "is required" })));
  });

  test("is 400 for a flag of a query that is neither true, false, 1 nor 0, in any case of letters", async () => {
    for (const flag of ["true", "True", "FALSE", "1", "0"])
      expect((await ann.get(`/api/notifications?unread=${flag}`)).status).toBe(200);
    expect(verdict(await ann.get("/api/notifications?unread=yes"))).toEqual([400, "invalid_request"]);
  });

  test("is 404 for unknown routes, and 405 with Allow for wrong methods", async () => {
    expect(verdict(await ann.get("/api/nothing"))).toEqual([404, "not_found"]);
    expect(verdict(await ann.get("/api/messages/1/pin/more"))).toEqual([404, "not_found"]);
    const answer = await ann.send("PUT", "/api/messages");
    expect(verdict(answer)).toEqual([405, "method_not_allowed"]);
    expect(answer.headers.get("allow")).toBe("GET, POST, HEAD, OPTIONS");
  });

  test("refuses bodies of the wrong size and type", async () => {
    const huge = JSON.stringify({ channel_id: 1, content: "x".repeat(70_000) });
    expect(
      verdict(await ann.send("POST", "/api/messages", { raw: huge, headers: { "content-type": "application/json" } })),
    ).toEqual([413, "body_too_large"]);
    const plain = await ann.send("POST", "/api/messages", {
      raw: '{"channel_id":1,"content":"x"}',
      headers: { "content-type": "text/plain" },
    });
    expect(verdict(plain)).toEqual([415, "unsupported_media_type"]);
    const packed = await ann.send("POST", "/api/messages", {
      raw: Bun.gzipSync(new TextEncoder().encode('{"channel_id":1,"content":"x"}')),
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
    });
    expect(verdict(packed)).toEqual([415, "unsupported_media_type"]);
  });

  test("refuses a body without a length at the limit, too", async () => {
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode(`"${"x".repeat(20_000)}",`));
      },
    });
    const controller = new AbortController();
    const answer = await fetch(`${server.url}/api/messages`, {
      method: "POST",
      headers: { ...ann.credential, "content-type": "application/json" },
      body: stream,
      signal: controller.signal,
    }).then(
      (response) => response.status,
      () => "closed",
    );
    controller.abort();
    expect([413, "closed"]).toContain(answer);
    expect((await ann.get("/api/channels")).status).toBe(200);
  });
});

describe("the order of checks", () => {
  test("a guest with an invalid body gets 401 on every route that needs a session or a key", async () => {
    const guarded = allRoutes().filter(
      ({ auth, body }) => body !== undefined && (auth === "session" || auth === "agent" || auth === "member"),
    );
    expect(guarded.length).toBeGreaterThan(10);
    for (const { method, path } of guarded) {
      const answer = await server.guest.send(method, path.replaceAll(/:\w+/g, "abc"), {
        raw: "{",
        headers: { "content-type": "text/plain" },
      });
      expect([method, path, answer.status]).toEqual([method, path, 401]);
    }
  });

  test("a proxy's own Authorization says nothing about the caller", async () => {
    const headers = { authorization: "Basic cHJveHk6cHJveHk=" };
    const send = { channel_slug: "general", content: "x" };
    expect((await ann.post("/api/messages", send, { headers })).status).toBe(201);
    expect((await ann.get("/api/channels/1", { headers })).body.channel.my_role).toBe("member");
    expect((await server.guest.get("/api/channels", { headers })).status).toBe(200);
    expect(verdict(await server.guest.post("/api/messages", send, { headers }))).toEqual([401, "session_required"]);
    const misread = { authorization: "ply_a_b" };
    expect(verdict(await ann.get("/api/channels", { headers: misread }))).toEqual([401, "missing_api_key"]);
  });

  test("the size is checked before the credential", async () => {
    const answer = await server.guest.send("POST", "/api/messages", {
      raw: "x".repeat(70_000),
      headers: { "content-type": "application/json" },
    });
    expect(verdict(answer)).toEqual([413, "body_too_large"]);
  });
});

describe("response headers", () => {
  test("include an id, the version and nosniff, and forbid caching for known callers", async () => {
    for (const path of ["/api/channels", "/api/nothing", "/api/messages?channel_id=general"]) {
      const { headers } = await ann.get(path);
      expect(headers.get("x-request-id")).toMatch(/^[0-9a-f]{10}-[0-9a-z]+$/);
      expect(headers.get("x-api-version")).toBe("1");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
    expect((await ann.get("/api/channels")).headers.get("cache-control")).toBe("no-store");
  });

  test("say how many requests are left on limited routes", async () => {
    const { headers } = await ann.get("/api/channels");
    expect(headers.get("ratelimit-policy")).toBe('"session";q=30000;w=60');
    expect(headers.get("ratelimit")).toMatch(/^"session";r=\d+;t=\d+$/);
  });

  test("are the same for HEAD as for GET, without the body", async () => {
    const answer = await server.guest.send("HEAD", "/api/channels");
    expect([answer.status, answer.body]).toEqual([200, ""]);
    expect((await server.guest.send("HEAD", "/api/user/ann")).status).toBe(200);
  });
});

describe("retryable", () => {
  test("is false for a permanent refusal and true for a temporary one", async () => {
    expect((await server.guest.get("/api/nothing")).body.retryable).toBe(false);
    expect((await server.guest.post("/api/messages", {})).body.retryable).toBe(false);
    await using strict = await startTestServer({ rateFactor: 1 }, { clock: untimed });
    const tries = Array.from({ length: 101 }, () => strict.guest.get("/api/channels"));
    const refused = (await Promise.all(tries)).find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ code: "rate_limited", retryable: true });
  });

  test("is true for every 429, 502 and 503 except the loop guard, and for a pending payment", () => {
    const retryable = Object.keys(ERRORS).filter((code) => isRetryable(code as ErrorCode));
    const passing = Object.entries(ERRORS).flatMap(([code, [status]]) =>
      [429, 502, 503].includes(status) ? [code] : [],
    );
    const expected = [...passing.filter((code) => code !== "loop_guard_tripped"), "payment_pending"];
    expect(retryable.sort()).toEqual(expected.sort());
    expect(retryable).toContain("chain_unavailable");
  });
});

describe("Idempotency-Key", () => {
  const create = (key: string, name = "once", who = ann) =>
    who.post(
      "/api/channels",
      { name, is_private: true, password: "a channel password" },
      { headers: { "idempotency-key": key } },
    );

  test("repeats the first response and creates once", async () => {
    const first = await create("channel-key-1");
    const again = await create("channel-key-1");
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual({ ...first.body, deduplicated: true });
  });

  test("waits for a concurrent request with the same key", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create("channel-key-2", "twins")));
    expect(new Set(answers.map(({ body }) => body.channel_id)).size).toBe(1);
    expect(answers.filter(({ status }) => status === 201).length).toBe(1);
  });

  test("refuses a different body, and malformed keys", async () => {
    await create("channel-key-3", "a");
    expect(verdict(await create("channel-key-3", "b"))).toEqual([409, "idempotency_conflict"]);
    expect(verdict(await create("short", "a"))).toEqual([400, "idempotency_key_invalid"]);
    expect(verdict(await create("x".repeat(256), "a"))).toEqual([400, "idempotency_key_invalid"]);
  });

  test("belongs to its sender", async () => {
    const bob = await server.user("bob");
    const [mine, his] = [await create("channel-key-4", "mine"), await create("channel-key-4", "mine", bob)];
    expect([mine.status, his.status]).toEqual([201, 201]);
    expect(mine.body.channel_id).not.toBe(his.body.channel_id);
  });

  test("stays unused after a refused request", async () => {
    expect((await create("channel-key-5", "")).status).toBe(400);
    expect((await create("channel-key-5", "good")).status).toBe(201);
  });
});

describe("rate limits", () => {
  test("are the protocol's in production, with an exact Retry-After", async () => {
    await using strict = await startTestServer({ rateFactor: 1 }, { clock: untimed });
    const cat = await strict.user("cat");
    const answers = await Promise.all(
      Array.from({ length: 61 }, () => cat.post("/api/messages", { channel_slug: "general", content: "x" })),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBe(1);
    expect(refused[0]?.body).toMatchObject({ code: "rate_limited", retry_after: 1 });
    expect(refused[0]?.headers.get("retry-after")).toBe("1");
    expect(refused[0]?.headers.get("ratelimit-policy")).toBe('"user-send";q=60;w=60');
  });

  test("count guests and invalid credentials by address", async () => {
    await using strict = await startTestServer({ rateFactor: 1 }, { clock: untimed });
    const tries = Array.from({ length: 101 }, () =>
      strict.guest.get("/api/agenthub/mentions", { headers: { authorization: "Bearer nonsense" } }),
    );
    const codes = (await Promise.all(tries)).map(({ status }) => status);
    expect(codes.filter((status) => status === 401).length).toBe(100);
    expect(codes.filter((status) => status === 429).length).toBe(1);
  });

  test("can be turned off", async () => {
    await using open = await startTestServer({ rateLimits: "off", rateFactor: 1 });
    const answers = await Promise.all(Array.from({ length: 150 }, () => open.guest.get("/api/channels")));
    expect(answers.every(({ status, headers }) => status === 200 && headers.get("ratelimit") === null)).toBe(true);
  });
});

test("malformed bytes on the wire are refused and harm nobody", async () => {
  const { port } = new URL(server.url);
  for (const bytes of [
    "GARBAGE\r\n\r\n",
    "GET / HTTP/1.1\r\n\r\n",
    "POST /api/messages HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
    "\0\0\0\0",
  ]) {
    await new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), "127.0.0.1", () => socket.end(bytes));
      socket.on("error", () => resolve());
      socket.on("close", () => resolve());
      socket.on("data", (data) => {
        if (/ 5\d\d /.test(String(data).split("\r\n")[0] ?? "")) reject(new Error(`${bytes}: ${data}`));
      });
    });
  }
  expect((await ann.get("/api/channels")).status).toBe(200);
});
