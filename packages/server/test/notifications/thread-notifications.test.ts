import { expect, test } from "bun:test";
import { notificationsConsumer } from "../../src/notifications/start.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { type Client, eventually, startTestServer } from "../support/servers/test-server.ts";

/** Notifications of replies in threads (protocol §13.1, §13.5). */
eachDatabase(async (_, open) => {
  let count = 0;
  const server = await forAllTests(startTestServer({}, { database: await open() }));

  const send = async (who: Client, body: Record<string, unknown>) => {
    const answer = await who.post("/api/messages", body);
    expect(answer.status).toBe(201);
    return answer.body as { message_id: number; seq: number };
  };
  const unread = async (who: Client): Promise<string[]> => {
    await notificationsConsumer(server.ctx).flush();
    const { notifications } = (await who.get("/api/notifications?unread=true")).body;
    return notifications.map(({ kind }: { kind: string }) => kind);
  };
  /** A thread by ann with a channel of ann, bob and cid. */
  const scene = async () => {
    const [ann, bob, cid] = [await server.newUser(), await server.newUser(), await server.newUser()];
    const channel_id = (await ann.post("/api/channels", { name: `Room ${++count}` })).body.channel_id as number;
    for (const member of [bob, cid]) await member.post(`/api/channels/${channel_id}/join`);
    const root = await send(ann, { channel_id, content: "what do you think?" });
    const reply = (who: Client, content: string, more = {}) =>
      send(who, { channel_id, content, thread_root_id: root.message_id, ...more });
    return { ann, bob, cid, channel_id, root, reply };
  };

  test("a reply is in the lists of those who follow the thread, under mention if it mentions them, and in no other", async () => {
    const { ann, bob, cid, reply } = await scene();
    await reply(bob, "good");
    expect([await unread(ann), await unread(bob), await unread(cid)]).toEqual([["thread_reply"], [], []]);
    await reply(ann, `@${cid.username} and you?`);
    expect([await unread(bob), await unread(cid)]).toEqual([["thread_reply"], ["mention"]]);
    await reply(cid, "fine");
    expect([await unread(ann), await unread(bob)]).toEqual([
      ["thread_reply", "thread_reply"],
      ["thread_reply", "thread_reply"],
    ]);
  });

  test("reading the thread reads what only the thread shows, and reading the channel what the channel shows", async () => {
    const { ann, bob, channel_id, root, reply } = await scene();
    await reply(bob, "only in the thread");
    await reply(bob, "also in the channel", { also_in_channel: true });
    expect(await unread(ann)).toHaveLength(2);
    await ann.post(`/api/channels/${channel_id}/read`);
    await eventually("one is read", async () => (await unread(ann)).length === 1);
    await ann.post(`/api/messages/${root.message_id}/thread/read`);
    await eventually("both are read", async () => (await unread(ann)).length === 0);
  });

  test("leaving a thread reads what was in it, and nothing more comes from it", async () => {
    const { ann, bob, root, reply } = await scene();
    await reply(bob, "one");
    expect(await unread(ann)).toHaveLength(1);
    await ann.delete(`/api/messages/${root.message_id}/thread/follow`);
    await eventually("it is read", async () => (await unread(ann)).length === 0);
    await reply(bob, "two");
    expect(await unread(ann)).toEqual([]);
  });
});
