import { describe, expect, test } from "bun:test";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

/** The header X-Ignored names what the server ignores (protocol §0). */

const server = await forAllTests(startTestServer({ allowedOrigins: ["https://friend.example"] }));
const ann = await server.user("ann");
const agent = await server.agent("Data");

const ignoredBy = ({ headers }: { headers: Headers }) => headers.get("x-ignored");

describe("X-Ignored", () => {
  test("names unknown query parameters, each time", async () => {
    for (let i = 0; i < 3; i++) {
      expect(ignoredBy(await ann.get("/api/messages?channel_id=1&limt=5&foo=1"))).toBe("limt,foo");
      expect(ignoredBy(await ann.get("/api/messages?channel_id=1"))).toBeNull();
    }
    expect(ignoredBy(await ann.get("/api/channels/1?verbose=1"))).toBe("verbose");
  });

  test("also names unknown fields of the body, even of a refused body", async () => {
    const sent = await ann.post("/api/messages?dry_run=1", { channel_id: 1, content: "x", mood: "good", text: 1 });
    expect([sent.status, ignoredBy(sent)]).toEqual([201, "dry_run,mood,text"]);
    const refused = await ann.post("/api/messages", { channel_id: 1, contents: "x" });
    expect([refused.status, ignoredBy(refused)]).toEqual([400, "contents"]);
    expect(ignoredBy(await ann.post("/api/messages", { channel_id: 1, content: "x" }))).toBeNull();
  });

  test("cannot be made to contain anything else", async () => {
    const nasty = { "a\r\nset-cookie: b=c": 1, "x,y": 1, "\u{1f600}": 1 };
    const answer = await ann.post("/api/messages", { channel_id: 1, content: "x", ...nasty });
    expect(ignoredBy(answer)).toBe("a%0D%0Aset-cookie%3A%20b%3Dc,x%2Cy,%F0%9F%98%80");
    expect(answer.headers.getSetCookie()).toEqual([]);
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`field_${i}`, 1]));
    const long = ignoredBy(await ann.post("/api/messages", { channel_id: 1, content: "x", ...many }));
    expect(long?.split(",")).toHaveLength(10);
  });

  test("can be read by pages of an allowed origin", async () => {
    const { headers } = await ann.get("/api/channels?x=1", { headers: { origin: "https://friend.example" } });
    expect(headers.get("access-control-expose-headers")).toContain("X-Ignored");
    expect(headers.get("x-ignored")).toBe("x");
  });

  test("ignores the URLs of web pages", async () => {
    expect(ignoredBy(await server.guest.get("/?utm_source=mail"))).toBeNull();
  });
});

describe("a mistyped parameter of an agent's request", () => {
  const MENTIONS = "/api/agenthub/mentions";

  test.each(["mark_raed", "mark_rea", "markread", "Mark_read"])(
    "named %s=false is refused, and removes nothing",
    async (name) => {
      await ann.post("/api/messages", { channel_slug: "general", content: "@Data hello" });
      const waiting = await eventually("the mention waits", async () => {
        const { count } = (await agent.get(`${MENTIONS}?mark_read=false`)).body;
        return count > 0 && count;
      });
      const answer = await agent.get(`${MENTIONS}?${name}=false`);
      expectError(answer, 400, "invalid_request");
      expect(answer.body.details).toEqual([{ path: name, message: "is unknown; did you mean mark_read?" }]);
      expect((await agent.get(`${MENTIONS}?mark_read=false`)).body.count).toBe(waiting);
    },
  );

  test("is ignored and named if it resembles no known name, as typing errors elsewhere are", async () => {
    const answer = await agent.get(`${MENTIONS}?mark_read=false&colour=red`);
    expect([answer.status, ignoredBy(answer)]).toEqual([200, "colour"]);
    expect((await ann.get("/api/messages?channel_id=1&limi=5")).status).toBe(200);
  });
});
