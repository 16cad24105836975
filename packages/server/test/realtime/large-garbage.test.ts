import { expect, spyOn, test } from "bun:test";
import { largeGarbage } from "../../src/base/large-garbage.ts";
import { searchIndex } from "../../src/db/search-index/index-of-database.ts";
import { feeds } from "../../src/event-log/feed/feed.ts";
import { searchConsumer } from "../../src/search/index/message-index.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { say } from "../support/say.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const LONG = "\u{4e2d}".repeat(3_900);

const server = await forAllTests(startTestServer({ rateLimits: "off" }));
const ann = await server.user("ann");
await ann.post("/api/channels", { name: "Texts", channel_slug: "texts" });

/** Returns the bytes of large texts that are counted while it acts. */
async function counted(act: () => Promise<unknown>): Promise<number> {
  const note = spyOn(largeGarbage(server.ctx), "note");
  try {
    await act();
    return note.mock.calls.reduce((sum, [bytes]) => sum + bytes, 0);
  } finally {
    note.mockRestore();
  }
}

test("a long message counts as garbage over HTTP, over a socket and in the index", async () => {
  await say(ann, "texts", "the first");
  await searchConsumer(server.ctx).flush();
  const sent = await counted(() => say(ann, "texts", LONG));
  expect(sent).toBeGreaterThan(8 * LONG.length);
  // The index may have come to it at once.
  const indexed = await counted(() => searchConsumer(server.ctx).flush());
  expect(sent + indexed).toBeGreaterThan(40 * LONG.length);
  using socket = await TestSocket.open(server.url, ann.credential);
  const send = () => socket.command("message:send", { channel_slug: "texts", content: LONG });
  expect(await counted(send)).toBeGreaterThan(8 * LONG.length);
});

test("what feeds forget that nobody reads counts, so that an idle server gives it back", async () => {
  for (let n = 0; n < 10; n += 1) await say(ann, "texts", LONG);
  await server.guest.get("/api/messages?channel_slug=texts&limit=50");
  feeds(server.ctx).forgetIdle();
  expect(await counted(async () => feeds(server.ctx).forgetIdle())).toBeGreaterThan(10 * LONG.length);
});

test("the tokens of many long messages are made a few messages at a time", async () => {
  await searchConsumer(server.ctx).flush();
  const put = spyOn(searchIndex(server.ctx.db), "put");
  for (let n = 0; n < 40; n += 1) await say(ann, "texts", LONG);
  await searchConsumer(server.ctx).flush();
  const counts = put.mock.calls.map(([, messages]) => messages.length);
  put.mockRestore();
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(40);
  expect(Math.max(...counts)).toBeLessThan(20);
});
