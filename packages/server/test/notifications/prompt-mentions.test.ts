import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { transact } from "../../src/db/transact.ts";
import { CpuThrottle } from "../../src/event-log/consumer-pace.ts";
import { notifyNaming } from "../../src/notifications/making/make-notifications.ts";
import { notificationsConsumer } from "../../src/notifications/start.ts";
import { eachDatabase } from "../support/databases.ts";
import { sayId } from "../support/say.ts";
import {
  type Client,
  eventually,
  type Named,
  startTestServer,
  type TestServer,
} from "../support/servers/test-server.ts";

/** Mentions on a server whose background work is far behind, as on a busy one (protocol §13.5). */
eachDatabase((_, open) => {
  let server: TestServer;
  let count = 0;
  // After each slice the consumers rest for longer than this test takes.
  const rests = spyOn(CpuThrottle.prototype, "restAfter");
  beforeAll(async () => {
    server = await startTestServer({}, { database: await open() });
    rests.mockReturnValue(600_000);
  }, 60_000);
  afterAll(async () => {
    rests.mockRestore();
    await server[Symbol.asyncDispose]();
  }, 60_000);

  const notified = async (who: Client): Promise<{ kind: string; message_id: number }[]> =>
    (await who.get("/api/notifications")).body.notifications;

  async function room(): Promise<{ ann: Named; bob: Named; channel: number }> {
    const [ann, bob] = [await server.newUser(), await server.newUser()];
    const channel = (await ann.post("/api/channels", { name: `Room ${++count}` })).body.channel_id;
    await bob.post(`/api/channels/${channel}/join`);
    await sayId(bob, channel, "nobody is meant");
    return { ann, bob, channel };
  }

  test("a mention is notified while the consumer rests, also one that an edit adds, and each only once", async () => {
    const { ann, bob, channel } = await room();
    await notificationsConsumer(server.ctx).flush();
    const first = await sayId(bob, channel, "nobody is meant");
    await sayId(bob, channel, "nobody, again");
    const second = await sayId(bob, channel, `hello, @${ann.username}`);
    await eventually("the mention is in the list", async () => (await notified(ann)).length === 1);
    expect((await bob.put(`/api/messages/${first}`, { content: `and @${ann.username}` })).status).toBe(200);
    await eventually("the edited one is, too", async () => (await notified(ann)).length === 2);
    await notificationsConsumer(server.ctx).flush();
    expect((await notified(ann)).map(({ kind, message_id }) => [kind, message_id])).toEqual([
      ["mention", first],
      ["mention", second],
    ]);
  });

  test("many mentions are all notified, and those that a channel's settings refuse are not", async () => {
    const { ann, bob, channel } = await room();
    const carl = await server.newUser();
    await carl.post(`/api/channels/${channel}/join`);
    await carl.put("/api/notifications/settings", { channels: { [channel]: { level: "none" } } });
    const all = 100;
    for (let n = 0; n < all; n += 1) await sayId(bob, channel, `${n}: @${ann.username} and @${carl.username}`);
    await eventually("all are in the list", async () => (await ann.get("/api/notifications")).body.unread === all);
    expect(await notified(carl)).toEqual([]);
  });

  test("a mention that the consumer has passed over stays so, though the user wants mentions since", async () => {
    const { ann, bob, channel } = await room();
    await ann.put("/api/notifications/settings", { default: "none" });
    const { body } = await bob.post("/api/messages", { channel_id: channel, content: `@${ann.username}` });
    const { id, seq } = body.chat_message;
    await notificationsConsumer(server.ctx).flush();
    await ann.put("/api/notifications/settings", { default: "all" });
    await transact(server.ctx, (ctx) => notifyNaming(ctx, [{ id, channel_id: channel, seq }]));
    expect(await notified(ann)).toEqual([]);
  });

  test("a mention that a full list has dropped does not come back as the newest when the consumer follows", async () => {
    const { ann, bob, channel } = await room();
    let newest = 0;
    for (let n = 0; n < 120; n += 1) newest = await sayId(bob, channel, `${n}: @${ann.username}`);
    const ids = async () => (await ann.get("/api/notifications?limit=200")).body.notifications;
    await eventually("the newest is in the list", async () => (await ids())[0]?.message_id === newest);
    const before = await ids();
    expect(before).toHaveLength(100);
    await notificationsConsumer(server.ctx).flush();
    expect(await ids()).toEqual(before);
  });
});
