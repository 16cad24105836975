import { expect, test } from "bun:test";
import { searchConsumer } from "../../src/search/index/message-index.ts";
import { askCard } from "../support/cards.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { png } from "../support/pngs.ts";
import { ask, found } from "../support/search.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/** What a message has and is narrows a search, on both databases. */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open() }));
  const [ann, bob] = [await server.user("ann"), await server.user("bob")];
  await ann.post("/api/channels", { name: "Hall" });
  const say = async (who: typeof ann, content: string, more = {}): Promise<number> =>
    (await who.post("/api/messages", { channel_slug: "hall", content, ...more })).body.message_id;
  const plain = await say(ann, "plan plain");
  await say(ann, "plan link https://example.org");
  await say(bob, "plan no link https:// at all");
  const pinned = await say(bob, "plan pinned https://example.org/b");
  await ann.post(`/api/messages/${pinned}/pin`, {});
  await ann.put(`/api/messages/${pinned}/reactions/like`);
  await bob.post("/api/messages", { channel_slug: "hall", content: "plan reply", thread_root_id: plain });
  const edited = await say(ann, "plan tpyo");
  await ann.put(`/api/messages/${edited}`, { content: "plan edited" });
  const upload = async (bytes: string | Buffer, name: string): Promise<number> => {
    const raw = new FormData();
    raw.set("file", new Blob([new Uint8Array(Buffer.from(bytes))]), name);
    return (await ann.post("/api/files", undefined, { raw })).body.file.file_id;
  };
  await say(ann, "plan file", { file_ids: [await upload("1,2", "t.csv")] });
  await say(ann, "plan picture", { file_ids: [await upload(png(8, 8), "p.png")] });
  const helper = await server.agent("helper");
  expect((await askCard(helper, { channel_slug: "hall", message: "plan card" })).status).toBe(201);
  await searchConsumer(server.ctx).flush();
  const hall = { channel_slug: "hall" };

  test.each([
    [{ has: "link" }, ["plan pinned https://example.org/b", "plan link https://example.org"]],
    [{ has: "reaction" }, ["plan pinned https://example.org/b"]],
    [{ has: "link,reaction", is: "pinned" }, ["plan pinned https://example.org/b"]],
    [{ has: "link", is: "mine" }, ["plan link https://example.org"]],
    [{ is: "thread" }, ["plan reply", "plan plain"]],
    [{ is: "edited" }, ["plan edited"]],
    [{ is: "pinned,mine" }, []],
    [{ has: "file" }, ["plan picture", "plan file"]],
    [{ has: "image" }, ["plan picture"]],
    [{ has: "card" }, ["plan card"]],
  ])("%o finds %o, with words and, in a channel, without them", async (facts, texts) => {
    expect(await found(ann, { q: "plan", ...facts })).toEqual(texts);
    expect(await found(ann, { ...hall, ...facts })).toEqual(texts);
  });

  test("is=mine finds the caller's own in all channels, and each caller has others", async () => {
    expect(await found(bob, { is: "mine", has: "link" })).toEqual(["plan pinned https://example.org/b"]);
  });

  test("pages go on where they ended, and leave nothing out", async () => {
    const first = await ask(ann, { ...hall, has: "link", limit: 1 });
    expect(first.body.messages).toHaveLength(1);
    expect(await found(ann, { ...hall, has: "link", before: first.body.next_before })).toEqual([
      "plan link https://example.org",
    ]);
  });

  test("facts alone are too little, and unknown ones are refused", async () => {
    expectError(await ask(ann, { has: "link" }), 400, "query_required");
    expectError(await ask(ann, { is: "pinned" }), 400, "query_required");
    expectError(await ask(ann, hall), 400, "query_required");
    expectError(await ask(server.guest, { is: "mine" }), 400, "query_required");
    for (const wrong of ["gold", "link,", "link gold", ""])
      expectError(await ask(ann, { q: "plan", has: wrong }), 400, "invalid_request");
  });
});
