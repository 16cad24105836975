import { expect, test } from "bun:test";
import { transact } from "../../src/db/transact.ts";
import { notifySpans } from "../../src/notifications/making/make-notifications.ts";
import { startPromptMentions } from "../../src/notifications/making/prompt-mentions.ts";
import { eachDatabase } from "../support/databases.ts";
import { newChannel } from "../support/new-channel.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

const MESSAGES = 20;

eachDatabase((_, open) => {
  test("the list of notifications is newest first, also of what one pass finds in several channels", async () => {
    await using server = await startTestServer({ rateLimits: "off" }, { database: await open() });
    // Only the consumer makes notifications here; it passes over those that were made promptly.
    await startPromptMentions(server.ctx).stop();
    const [ann, bob] = [await server.user("ann"), await server.user("bob")];
    const rooms = [await newChannel(ann), await newChannel(ann)];
    for (const { id } of rooms) await bob.post(`/api/channels/${id}/join`);
    const room = (n: number) => rooms[n % 2]?.id;
    const own: number[] = [];
    const naming: number[] = [];
    for (let n = 0; n < MESSAGES; n++) {
      own.push((await ann.post("/api/messages", { channel_id: room(n), content: `m ${n}` })).body.message_id);
    }
    for (let n = 0; n < MESSAGES; n++) {
      naming.push((await bob.post("/api/messages", { channel_id: room(n), content: `@ann ${n}` })).body.message_id);
    }
    // In the other order than the messages have.
    for (const id of own.toReversed()) await bob.put(`/api/messages/${id}/reactions/like`);
    const { db } = server.ctx;
    const made = async () => (await db.selectFrom("notifications").select("id").execute()).length === 2 * MESSAGES;
    await eventually("the background job has found all of it", made);
    await db.deleteFrom("notifications").execute();
    const spans = await db.selectFrom("channels").select(["id", "last_seq"]).where("id", "<>", 1).execute();
    await transact(server.ctx, (ctx) =>
      notifySpans(
        ctx,
        spans.map(({ id, last_seq }) => ({ channelId: id, after: 0, upTo: last_seq })),
      ),
    );
    const { notifications } = (await ann.get("/api/notifications?limit=200")).body;
    const ids = (kind: string, in_channel?: number): number[] =>
      notifications
        .filter((one: { kind: string; channel_id: number }) => one.kind === kind)
        .filter((one: { channel_id: number }) => in_channel === undefined || one.channel_id === in_channel)
        .map((one: { message_id: number }) => one.message_id);
    expect(ids("mention")).toEqual(naming.toReversed());
    for (const { id } of rooms) expect(ids("reaction", id)).toEqual(own.filter((_, n) => room(n) === id));
  });
});
