import { expect, test } from "bun:test";
import { feeds } from "../../src/event-log/feed/feed.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { say, sayId } from "../support/say.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const CHANNELS = 12;
const MESSAGES = 20;
/** Almost the longest possible message, of the characters that take most memory: 15,800 bytes. */
const LONG = "\u{1f600}".repeat(3_950);
const MIB = 1024 * 1024;

eachDatabase(async (_, open) => {
  const slugs = Array.from({ length: CHANNELS }, (_, n) => `channel-${n}`);
  const content = (slug: string, n: number) => `${slug} ${n} ${LONG}`;
  const texts = (body: { messages: { content: string }[] }) => body.messages.map((message) => message.content);
  const newest = (slug: string) => server.guest.get(`/api/messages?channel_slug=${slug}&limit=50`);
  const server = await forAllTests(
    startTestServer({ feedMemoryMib: 1, rateLimits: "off" }, { database: await open() }),
  );
  const ann = await server.user("ann");
  for (const slug of slugs) await ann.post("/api/channels", { name: slug, channel_slug: slug });

  async function bytesHeld(): Promise<number> {
    const { body } = await server.guest.get("/metrics");
    return Number(/^parley_feed_memory_bytes (\d+)$/m.exec(body)?.[1]);
  }

  test("channels share one budget of bytes, and pages, resumed sockets and later frames stay complete", async () => {
    using listener = await TestSocket.open(server.url);
    for (const slug of slugs) expect((await newest(slug)).status).toBe(200);
    const joined = await listener.command("channel:join", { channel_slug: slugs[0] });
    const start: number = joined.data.last_seq;
    for (let n = 0; n < MESSAGES; n++) {
      for (const slug of slugs) await say(ann, slug, content(slug, n));
      expect(await bytesHeld()).toBeLessThanOrEqual(MIB);
    }
    const expected = (slug: string) => Array.from({ length: MESSAGES }, (_, n) => content(slug, n));
    // Twice: from the database and from memory.
    for (const slug of [...slugs, ...slugs]) {
      expect(texts((await newest(slug)).body)).toEqual(expected(slug));
      expect(await bytesHeld()).toBeLessThanOrEqual(MIB);
    }
    await say(ann, slugs[0] ?? "", "the end");
    await listener.next(({ event, data }) => event === "message:new" && data.chat_message.content === "the end");
    const seqs = listener.frames.filter(({ event }) => event === "message:new").map(({ data }) => data.seq);
    expect(seqs).toEqual(Array.from({ length: MESSAGES + 1 }, (_, n) => start + n + 1));

    using resumed = await TestSocket.open(server.url);
    const { epoch } = server.ctx;
    const { data } = await resumed.command("channel:join", { channel_slug: slugs[0], after_seq: start, epoch });
    expect(data.recovered).toBe(true);
    expect(data.events.map((frame: { data: { seq: number } }) => frame.data.seq)).toEqual(seqs);
  });

  test("channels that nobody reads or listens to give their memory back, and are read again completely", async () => {
    const [slug, other, read] = ["idle", "heard", "read"] as const;
    const ids = new Map<string, number>();
    for (const name of [slug, other, read]) {
      ids.set(name, (await ann.post("/api/channels", { name, channel_slug: name })).body.channel_id);
      await say(ann, name, "before the rest");
    }
    const isHeld = (name: string) => feeds(server.ctx).peek(ids.get(name) ?? 0)?.memory.isForgotten === false;
    using listener = await TestSocket.open(server.url);
    await listener.command("channel:join", { channel_slug: other });
    for (const each of [slug, other, read]) await newest(each);
    feeds(server.ctx).forgetIdle();
    expect(await bytesHeld()).toBeGreaterThan(0);
    const before = await bytesHeld();
    await newest(read);
    feeds(server.ctx).forgetIdle();
    expect(await bytesHeld()).toBeLessThan(before);
    expect([slug, other, read].map(isHeld)).toEqual([false, true, true]);
    expect(texts((await newest(slug)).body).at(-1)).toBe("before the rest");
  });

  test("a message deleted after its channel's memory was dropped does not reappear", async () => {
    const [slug = "", ...others] = slugs;
    const id = await sayId(ann, slug, "a secret");
    for (const other of others) for (let n = 0; n < 6; n++) await say(ann, other, content(other, n));
    await Promise.all(others.map(newest));
    expect((await ann.delete(`/api/messages/${id}`)).status).toBe(200);
    for (let read = 0; read < 3; read++) expect(texts((await newest(slug)).body)).not.toContain("a secret");
  });
});
