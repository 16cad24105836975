import { describe, expect, test } from "bun:test";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { RawSocket } from "../support/servers/raw-socket.ts";
import { realtimeBench } from "../support/servers/realtime.ts";
import { eventually, PASSWORD, startTestServer } from "../support/servers/test-server.ts";

const { server, open } = await realtimeBench();

describe("the handshake", () => {
  test("sends the epoch and the user in the first frame", async () => {
    const ada = await server.newUser();
    await using user = await open(ada);
    await using guest = await open();
    await using stale = await LiveSocket.open(server.url, { cookie: `parley_session=${"x".repeat(43)}` });
    const { epoch } = server.ctx;
    expect(user.frames[0]).toEqual({
      event: "session:ready",
      data: { epoch, user: { username: ada.username, admin_level: null }, session_id: expect.any(Number) },
    });
    expect(guest.frames[0]?.data).toEqual({ epoch, user: null });
    expect(stale.frames[0]?.data).toEqual({ epoch, user: null });
  });

  test("refuses a foreign page, but not the server's own pages or clients without a browser", async () => {
    const foreign = await fetchUpgrade({ origin: "https://evil.example" });
    expect([foreign.status, foreign.body.code]).toEqual([403, "cross_site"]);
    expect((await fetchUpgrade({ "sec-fetch-site": "cross-site" })).body.code).toBe("cross_site");
    await using own = await LiveSocket.open(server.url, { origin: server.url });
    expect(own.frames).toHaveLength(1);
  });

  test("tells a plain GET to open a WebSocket, without headers that HTTP/2 forbids", async () => {
    const { status, body, headers } = await server.guest.get("/api/ws");
    expect([status, body.code]).toEqual([400, "invalid_request"]);
    // nginx passes the response on to browsers over HTTP/2, where these headers are a protocol error (RFC 9113, 8.2.2).
    expect(headers.has("upgrade")).toBe(false);
  });

  test("works with no other method", async () => {
    for (const method of ["POST", "DELETE"]) {
      const { status, body, headers } = await server.guest.send(method, "/api/ws");
      expect([status, body.code, headers.get("allow")]).toEqual([405, "method_not_allowed", "GET"]);
    }
  });

  test("allows a user 10 sockets, and a new one when one closes", async () => {
    const ada = await server.newUser();
    await using sockets = new AsyncDisposableStack();
    for (let i = 0; i < 10; i++) sockets.use(await open(ada));
    const last = await open(await server.newUser());
    expect((await last.ask("auth:login", { username: ada.username, password: PASSWORD })).data.code).toBe(
      "too_many_sockets",
    );
    const refused = await fetchUpgrade(ada.credential);
    expect([refused.status, refused.body.code, refused.headers.has("retry-after")]).toEqual([
      429,
      "too_many_sockets",
      true,
    ]);
    await last[Symbol.asyncDispose]();
    const { body } = await ada.get("/api/auth/sessions");
    expect(body.sessions).toHaveLength(1);
    await sockets.disposeAsync();
    await eventually("a free place", async () => (await fetchUpgrade(ada.credential)).status !== 429);
  });

  test("allows an address as many sockets as configured, even under races", async () => {
    await using small = await startTestServer({ socketsPerAddress: 3 });
    const answers = await Promise.allSettled(Array.from({ length: 12 }, () => RawSocket.open(small.url)));
    const heads = answers.map((answer) => (answer.status === "fulfilled" ? answer.value.head.split(" ")[1] : "failed"));
    for (const answer of answers) if (answer.status === "fulfilled") answer.value[Symbol.dispose]();
    expect(heads.toSorted()).toEqual([...Array(3).fill("101"), ...Array(9).fill("429")]);
  });

  /** A WebSocket client cannot show the body of the refusal. */
  async function fetchUpgrade(headers: Record<string, string>) {
    using raw = await RawSocket.open(server.url, headers);
    await eventually("the body", () => raw.isClosed || raw.head.includes(" 101 ") || raw.received.includes("}"));
    const status = Number(raw.head.split(" ")[1]);
    const body = raw.received.subarray(raw.received.indexOf("\r\n\r\n") + 4).toString();
    const lines = raw.head.split("\r\n").slice(1);
    const pairs = lines.map((line) => line.split(": ", 2) as [string, string]);
    return { status, headers: new Headers(pairs), body: status === 101 ? null : JSON.parse(body) };
  }
});

describe("a drain", () => {
  test("says goodbye, closes with 1012 and accepts no new sockets", async () => {
    const draining = await startTestServer();
    const ada = await draining.newUser();
    const [first, second] = [await open(ada, draining), await open(null, draining)];
    await draining[Symbol.asyncDispose]();
    for (const socket of [first, second]) {
      expect(await socket.whenClosed()).toMatchObject({ code: 1012 });
      expect(socket.frames.at(-1)).toEqual({ event: "server:draining", data: { retry_within_ms: 1_000 } });
    }
  });
});
