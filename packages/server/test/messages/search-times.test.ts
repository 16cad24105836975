import { expect, test } from "bun:test";
import { searchConsumer } from "../../src/search/index/message-index.ts";
import { stillClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { type Answered, startTestServer } from "../support/servers/test-server.ts";

const HOUR_MS = 60 * 60_000;
const START = Date.UTC(2026, 0, 1);
const at = (hours: number) => new Date(START + hours * HOUR_MS).toISOString();

eachDatabase(async (_, open) => {
  const clock = stillClock(START);
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open(), clock }));
  const ann = await server.user("ann");
  await ann.post("/api/channels", { name: "Hall" });
  for (let hour = 0; hour < 6; hour++) {
    await ann.post("/api/messages", { channel_slug: "hall", content: `report ${hour}` });
    clock.set(HOUR_MS);
  }
  await searchConsumer(server.ctx).flush();

  const ask = (query: Record<string, string>): Promise<Answered> =>
    ann.get(`/api/search/messages?${new URLSearchParams({ q: "report", ...query })}`);
  const texts = ({ body }: Answered): string[] => body.messages.map(({ content }: { content: string }) => content);

  test("a search finds messages from a time on, before a time, and between two", async () => {
    expect(texts(await ask({ since: at(4) }))).toEqual(["report 5", "report 4"]);
    expect(texts(await ask({ until: at(1) }))).toEqual(["report 0"]);
    expect(texts(await ask({ since: at(1), until: at(3), channel_slug: "hall", username: "ann" }))).toEqual([
      "report 2",
      "report 1",
    ]);
    expect((await ask({ since: at(1.2), until: at(1.9) })).body).toMatchObject({ messages: [], has_more: false });
    expect((await ask({ since: at(9) })).body.messages).toEqual([]);
    expect((await ask({ since: at(3), until: at(1) })).body.messages).toEqual([]);
  });

  test("a search in a span of time pages to its first message and no further", async () => {
    const first = await ask({ since: at(1), until: at(5), limit: "3" });
    expect(texts(first)).toEqual(["report 4", "report 3", "report 2"]);
    expect(first.body.has_more).toBe(true);
    const second = await ask({ since: at(1), until: at(5), limit: "3", before: String(first.body.next_before) });
    expect(texts(second)).toEqual(["report 1"]);
    expect(second.body).toMatchObject({ has_more: false, next_before: null });
  });

  test("times count to the millisecond, although ids find the place", async () => {
    const near = (hours: number, ms: number) => new Date(START + hours * HOUR_MS + ms).toISOString();
    expect(texts(await ask({ since: near(2, 1), until: near(3, 1) }))).toEqual(["report 3"]);
    expect(texts(await ask({ since: near(2, 0), until: near(3, 0) }))).toEqual(["report 2"]);
  });

  test.each([{ since: "monday" }, { until: "2026-01-01" }, { since: "" }, { until: "9" }])(
    "the search refuses %o, which is not a time",
    async (query) => {
      expectError(await ask(query as unknown as Record<string, string>), 400, "invalid_request");
    },
  );
});
