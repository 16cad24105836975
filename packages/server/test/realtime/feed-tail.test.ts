import { afterAll, beforeAll, expect, test } from "bun:test";
import { feeds } from "../../src/event-log/feed/feed.ts";
import { eachDatabase } from "../support/databases.ts";
import { say } from "../support/say.ts";
import { type Client, startTestServer, type TestServer } from "../support/servers/test-server.ts";

const PAGE = 50;
const LONG = "\u{1f600}".repeat(1_500);

/** The reads of a channel's feed when it has nothing in memory (protocol §4). */
eachDatabase((_, open) => {
  let server: TestServer;
  let ann: Client;
  beforeAll(async () => {
    server = await startTestServer({ rateLimits: "off" }, { database: await open() });
    ann = await server.user("ann");
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose](), 60_000);

  /** Fills a channel, and has its memory dropped and read again. */
  async function readAgain(slug: string, count: number, text: string) {
    const { channel_id } = (await ann.post("/api/channels", { name: slug, channel_slug: slug })).body;
    for (let n = 0; n < count; n += 1) await say(ann, slug, `${n} ${text}`);
    const feed = feeds(server.ctx).get(channel_id);
    await feed.ready();
    feed.memory.forget();
    feed.remember();
    await feed.ready();
    const page = (await server.guest.get(`/api/messages?channel_slug=${slug}&limit=${PAGE}`)).body;
    const first = count - page.messages.length;
    page.messages.forEach(({ content }: { content: string }, at: number) => {
      expect(content).toBe(`${first + at} ${text}`);
    });
    return { feed, page };
  }

  test.each([
    ["of long messages only the newest page", LONG, PAGE + 1, PAGE, true],
    ["of long messages all if there are no more than a page", LONG, PAGE, PAGE, false],
    ["of short messages more than a page", "short", PAGE + 10, PAGE + 10, false],
  ])(
    "%s is read",
    async (name, text, count, kept, hasOlder) => {
      const { feed, page } = await readAgain(`tail-${name.length}`, count, text);
      expect([feed.memory.messages.length, feed.memory.hasOlder]).toEqual([kept, hasOlder]);
      expect([page.messages.length, page.has_more]).toEqual([PAGE, count > PAGE]);
    },
    60_000,
  );
});
