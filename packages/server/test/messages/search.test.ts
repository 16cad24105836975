import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { searchConsumer } from "../../src/search/index/message-index.ts";
import { stillClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { say, sayId } from "../support/say.ts";
import { ask, found } from "../support/search.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

eachDatabase(async (_name, open) => {
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open() }));
  const ann = await server.user("ann");
  const bob = await server.user("bob");

  const room = async () => (await newChannel(ann)).id;

  const indexed = () => searchConsumer(server.ctx).flush();

  describe("GET /api/search/messages", () => {
    test("finds words, phrases and prefixes in any case and with any accents, newest first", async () => {
      const id = await room();
      for (const text of ["Der größte Fisch", "ein FISCH, sehr groß", "Fischer und Fisch"]) await say(bob, id, text);
      await indexed();
      const within = (q: string) => found(server.guest, { q, channel_id: id });
      expect(await within("fisch")).toEqual(["Fischer und Fisch", "ein FISCH, sehr groß", "Der größte Fisch"]);
      expect(await within("Grosste fisch")).toEqual(["Der größte Fisch"]);
      expect(await within('"sehr gross"')).toEqual(["ein FISCH, sehr groß"]);
      expect(await within('"fisch gross"')).toEqual([]);
      expect(await within("fische*")).toEqual(["Fischer und Fisch"]);
    });

    test("returns the query, marks the words and shows the whole message", async () => {
      const id = await room();
      await say(ann, id, "before");
      const messageId = await sayId(ann, id, "💥 Größe zählt, sagt 東京都");
      await indexed();
      const answer = await ask(bob, { q: "grosse 京都", channel_id: id });
      const page = await bob.get(`/api/messages?channel_id=${id}&limit=1`);
      expect(answer.body).toEqual({
        success: true,
        query: "grosse 京都",
        messages: [
          {
            ...page.body.messages[0],
            highlights: [
              { offset: 3, length: 5 },
              { offset: 22, length: 2 },
            ],
          },
        ],
        has_more: false,
        next_before: null,
        limit: 50,
        indexed: true,
      });
      expect(answer.body.messages[0].id).toBe(messageId);
      await ann.put(`/api/messages/${messageId}/reactions/👍`);
      expect((await ask(ann, { q: "zahlt", channel_id: id })).body.messages[0].reactions).toEqual([
        { reaction: "👍", count: 1, me: true },
      ]);
      expect((await ask(bob, { q: "zahlt", channel_id: id })).body.messages[0].reactions[0].me).toBe(false);
    });

    test("pages by id and filters by sender", async () => {
      const id = await room();
      for (let i = 1; i <= 7; i++) await say(i % 2 === 0 ? ann : bob, id, `counted ${i}`);
      await indexed();
      const seen: string[] = [];
      let before = Number.MAX_SAFE_INTEGER;
      for (let more = true; more; ) {
        const { body } = await ask(ann, { q: "counted", channel_id: id, limit: 3, before });
        seen.push(...body.messages.map(({ content }: { content: string }) => content));
        expect(body.limit).toBe(3);
        more = body.has_more;
        before = body.next_before ?? 0;
      }
      expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1].map((i) => `counted ${i}`));
      expect(await found(ann, { q: "counted", channel_id: id, username: "ANN" })).toEqual([
        "counted 6",
        "counted 4",
        "counted 2",
      ]);
      expect((await ask(ann, { q: "counted", limit: 100_000 })).body.limit).toBe(200);
    });

    test("finds all messages of a sender, if no words are given", async () => {
      const id = await room();
      for (const text of ["one", "two", "three"]) await say(text === "two" ? ann : bob, id, text);
      await indexed();
      expect(await found(ann, { channel_id: id, username: "bob" })).toEqual(["three", "one"]);
      const first = await ask(ann, { channel_id: id, username: "bob", limit: 1 });
      expect(first.body).toMatchObject({ query: "", has_more: true, messages: [{ content: "three", highlights: [] }] });
    });

    test("finds messages by agents' names, including the shared one", async () => {
      const slug = "general";
      const robo = await server.agent("Robo Cop");
      await robo.post("/api/agenthub/send", {
        channel_slug: slug,
        message: "beep robotically",
        agent_name: "Robo Cop",
      });
      await robo.post("/api/agenthub/send", { channel_slug: slug, message: "beep plainly" });
      await indexed();
      expect(await found(ann, { q: "beep", username: "robo cop" })).toEqual(["beep robotically"]);
      expect(await found(ann, { q: "beep", username: "platformagent" })).toEqual(["beep plainly"]);
      expect(await found(robo, { q: "beep" })).toEqual(["beep plainly", "beep robotically"]);
    });

    test("reflects edits and deletions at once, before and after indexing", async () => {
      const id = await room();
      const messageId = await sayId(ann, id, "first edition");
      await ann.put(`/api/messages/${messageId}`, { content: "second printing" });
      expect(await found(ann, { q: "printing", channel_id: id })).toEqual(["second printing"]);
      await indexed();
      expect(await found(ann, { q: "edition", channel_id: id })).toEqual([]);
      await ann.put(`/api/messages/${messageId}`, { content: "third impression" });
      expect(await found(ann, { q: "printing", channel_id: id })).toEqual([]);
      expect(await found(ann, { q: "impression", channel_id: id })).toEqual(["third impression"]);
      await ann.delete(`/api/messages/${messageId}`);
      expect(await found(ann, { q: "impression", channel_id: id })).toEqual([]);
      await indexed();
      expect(await found(ann, { q: "impression", channel_id: id })).toEqual([]);
    });

    test("finds sent messages within seconds, without being notified", async () => {
      const id = await room();
      await say(ann, id, "patience");
      await eventually("it is indexed", async () => (await found(bob, { q: "patience" })).length === 1);
    });

    test("finds no messages of a deleted channel", async () => {
      const id = await room();
      await say(ann, id, "vanishing");
      await indexed();
      expect(await found(bob, { q: "vanishing" })).toEqual(["vanishing"]);
      await ann.delete(`/api/channels/${id}`);
      expect(await found(bob, { q: "vanishing" })).toEqual([]);
      expectError(await ask(bob, { q: "vanishing", channel_id: id }), 404, "channel_not_found");
    });

    test.each([
      [{}, 400, "query_required"],
      [{ channel_id: 1, since: "2026-01-01T00:00:00Z" }, 400, "query_required"],
      [{ q: "", username: "ann" }, 400, "query_required"],
      [{ q: "" }, 400, "query_required"],
      [{ q: "   " }, 400, "query_required"],
      [{ q: "x".repeat(201) }, 400, "invalid_query"],
      [{ q: "!!!" }, 400, "invalid_query"],
      [{ q: "a*" }, 400, "invalid_query"],
      [{ q: "x", limit: 0 }, 400, "invalid_limit"],
      [{ q: "x", limit: "many" }, 400, "invalid_limit"],
      [{ q: "x", before: "soon" }, 400, "invalid_cursor"],
      [{ q: "x", before: 0 }, 400, "invalid_cursor"],
      [{ q: "x", channel_id: 0 }, 400, "invalid_id"],
      [{ q: "x", channel_id: 987_654 }, 404, "channel_not_found"],
      [{ q: "x", channel_slug: "nowhere" }, 404, "channel_not_found"],
      [{ q: "x", username: "nobody-here" }, 404, "user_not_found"],
    ] as const)("answers %o with %i %s", async (query, status, code) => {
      expectError(await ask(ann, query as Record<string, string>), status, code);
    });

    test("answers or refuses any text, without an internal error", async () => {
      await say(ann, await room(), "AND OR NOT NEAR words:x * ^ ( ) \" ' \\ : & | ! <->");
      await indexed();
      const operators = fc.constantFrom(
        '"',
        "*",
        "(",
        ")",
        "^",
        ":",
        "AND",
        "NEAR(",
        "'",
        "\\",
        "&",
        "|",
        "!",
        "<->",
        ":*",
        "-",
        "{",
        "#1",
        "@1",
        " ",
        "%",
        "_",
        "\0",
        "\ud800",
        "東",
        "x",
        "abc*",
      );
      const text = fc.oneof(
        fc.string({ unit: "binary", maxLength: 60 }),
        fc.array(operators, { maxLength: 14 }).map((parts) => parts.join("")),
      );
      await fc.assert(
        fc.asyncProperty(text, async (q) => {
          const { status, body } = await ask(ann, { q });
          expect([200, 400]).toContain(status);
          if (status === 400) expect(["query_required", "invalid_query", "invalid_request"]).toContain(body.code);
        }),
        { numRuns: 150 },
      );
    });
  });
});

test("guests who cannot read cannot search", async () => {
  await using server = await startTestServer({ guestRead: false });
  expectError(await server.guest.get("/api/search/messages?q=x"), 401, "session_required");
  expect((await (await server.user("ann")).get("/api/search/messages?q=x")).status).toBe(200);
});

test("searches have their own rate limit", async () => {
  await using server = await startTestServer({ rateLimits: "on", rateFactor: 1 }, { clock: stillClock() });
  const ann = await server.user("ann");
  for (let i = 0; i < 30; i++) expect((await ann.get("/api/search/messages?q=x")).status).toBe(200);
  const refused = await ann.get("/api/search/messages?q=x");
  expectError(refused, 429, "rate_limited");
  expect(refused.headers.get("ratelimit-policy")).toContain('"search";q=30;w=60');
  expect((await ann.get("/api/messages?channel_id=general")).status).toBe(200);
});

test("the lag of the index is a metric", async () => {
  await using server = await startTestServer();
  expect((await server.guest.get("/metrics")).body).toContain("parley_search_lag_messages 0");
});
