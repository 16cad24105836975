import { expect, test } from "bun:test";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { type Client, startTestServer } from "../support/servers/test-server.ts";

/** Mentions in threads, in the list of unread mentions of the sidebar (protocol §3, §13.1). */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({}, { database: await open() }));
  const [ann, bob] = [await server.user("ann"), await server.user("bob")];

  async function place() {
    const { channel_id } = (await ann.post("/api/channels", { name: `Room ${crypto.randomUUID()}` })).body;
    await bob.post(`/api/channels/${channel_id}/join`);
    const send = async (who: Client, body: object): Promise<{ message_id: number; seq: number }> => {
      const answer = await who.post("/api/messages", { channel_id, ...body });
      expect(answer.status).toBe(201);
      return answer.body;
    };
    const root = (await send(bob, { content: "a question" })).message_id;
    const mention = async (more: object = {}) =>
      (await send(bob, { content: "@ann look", thread_root_id: root, ...more })).seq;
    const mentions = async (): Promise<number[]> => (await ann.get("/api/sidebar")).body.mentions[channel_id] ?? [];
    return { channel_id, root, mention, mentions, send };
  }

  test("count until the thread is read", async () => {
    const { root, mention, mentions, send } = await place();
    const first = await mention();
    const second = await mention();
    expect(await mentions()).toEqual([second, first]);
    await ann.post(`/api/messages/${root}/thread/read`, { seq: first });
    expect(await mentions()).toEqual([second]);
    await ann.post(`/api/messages/${root}/thread/read`);
    expect(await mentions()).toEqual([]);
    const outside = await send(bob, { content: "@ann here" });
    const third = await mention();
    expect(await mentions()).toEqual([third, outside.seq]);
    await ann.post(`/api/messages/${root}/thread/read`);
    expect(await mentions()).toEqual([outside.seq]);
  });

  test("count until the channel is read, also those that the channel shows and of threads that were left", async () => {
    const { channel_id, root, mention, mentions } = await place();
    const shown = await mention({ also_in_channel: true });
    await ann.post(`/api/messages/${root}/thread/read`);
    expect(await mentions()).toEqual([shown]);
    await ann.delete(`/api/messages/${root}/thread/follow`);
    const left = await mention();
    expect(await mentions()).toEqual([left, shown]);
    await ann.post(`/api/channels/${channel_id}/read`);
    expect(await mentions()).toEqual([]);
  });
});
