import { expect, test } from "bun:test";
import type { HistoryResponse } from "@parley/protocol/messages";
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
  const server = await forAllTests(startTestServer({}, { database: await open(), clock }));
  const ann = await server.user("ann");
  await ann.post("/api/channels", { name: "Hall" });
  const ids: number[] = [];
  for (const content of ["at 0", "at 1", "at 2", "at 3"]) {
    ids.push((await ann.post("/api/messages", { channel_slug: "hall", content })).body.message_id);
    clock.set(HOUR_MS);
  }

  const since = (time: string, more = ""): Promise<Answered> =>
    server.guest.get(`/api/messages?channel_id=hall&since=${encodeURIComponent(time)}${more}`);
  const texts = ({ body }: Answered): string[] =>
    body.messages.map(({ content }: HistoryResponse["messages"][0]) => content);

  test("a page begins with the first message at a time or later, and continues by seq", async () => {
    const page = await since(at(1), "&limit=2");
    expect(page.status).toBe(200);
    expect(texts(page)).toEqual(["at 1", "at 2"]);
    expect(page.body).toMatchObject({ has_more: true, next_before: ids[1], limit: 2 });
    const next = await server.guest.get(`/api/messages?channel_id=hall&after_seq=${page.body.next_after_seq}`);
    expect(texts(next)).toEqual(["at 3"]);
  });

  test("a time between two messages, before all, after all, and with an offset is found", async () => {
    expect(texts(await since(at(1.5)))).toEqual(["at 2", "at 3"]);
    expect(texts(await since("1999-01-01T00:00:00Z", "&limit=1"))).toEqual(["at 0"]);
    expect(texts(await since("2026-01-01T04:30:00+02:00"))).toEqual(["at 3"]);
    const none = await since(at(4));
    expect(none.body).toMatchObject({ messages: [], has_more: false, next_before: null });
  });

  test("a deleted message keeps its place", async () => {
    const { body } = await ann.post("/api/messages", { channel_slug: "hall", content: "gone soon" });
    await ann.delete(`/api/messages/${body.message_id}`);
    const page = await since(at(4));
    expect(page.body.messages).toMatchObject([{ id: body.message_id, is_deleted: true }]);
  });

  test.each([
    "since=yesterday",
    "since=",
    "since=2026-13-01T00:00:00Z",
    "since=2026-01-01",
    "since=1767225600000",
    "since=2026-01-01T00:00:00Z&before=1",
  ])("the query %s is not a valid time, or has two cursors", async (query) => {
    expectError(await ann.get(`/api/messages?channel_id=hall&${query}`), 400, "invalid_cursor");
  });
});
