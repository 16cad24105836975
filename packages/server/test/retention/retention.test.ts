import { describe, expect, test } from "bun:test";
import { agedPass } from "../../src/retention/aged.ts";
import { expirePass } from "../../src/retention/expired.ts";
import { datedClock } from "../support/clock.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const DAY = 86_400_000;

/** What clients see of protocol §13.8, over HTTP and WebSocket. */
const clock = datedClock();

const server = await forAllTests(startTestServer({}, { clock }));
const ann = await server.user("ann");
const bob = await server.user("bob");

async function purge(): Promise<number> {
  let sum = 0;
  for await (const removed of agedPass(server.ctx)) sum += removed;
  return sum;
}

const texts = async (id: number): Promise<string[]> =>
  (await ann.get(`/api/messages?channel_id=${id}`)).body.messages.map((one: { content: string }) => one.content);

describe("retention", () => {
  test("tells sockets, drops what was in memory, and is in the export and the dry run", async () => {
    const { id } = await newChannel(ann);
    const old = await ann.post("/api/messages", { channel_id: id, content: "old and secret" });
    await using socket = await LiveSocket.open(server.url, bob.credential);
    const joined = await socket.ask("channel:join", { channel_id: id });
    clock.ahead += 2 * DAY;
    const young = await ann.post("/api/messages", { channel_id: id, content: "young" });
    expect(await texts(id)).toEqual(["old and secret", "young"]);
    const dry = await ann.put(`/api/channels/${id}?dry_run=true`, { retention_days: 2 });
    expect(dry.body).toMatchObject({ would_delete: { messages: 1, files: 0 } });
    await ann.put(`/api/channels/${id}`, { retention_days: 2 });
    expect(await purge()).toBe(1);
    const { data } = await socket.next("history:purged");
    expect(data).toEqual({ channel_id: id, seq: expect.any(Number), before_message_id: young.body.message_id });
    expect(await texts(id)).toEqual(["young"]);
    expect((await ann.get(`/api/messages?channel_id=${id}`)).body.has_more).toBeFalse();
    const { channel } = (await ann.get(`/api/channels/${id}`)).body;
    expect(channel.oldest_message_id).toBe(young.body.message_id);
    const { body: copy } = await ann.get(`/api/channels/${id}/export?format=json`);
    expect(JSON.stringify(copy)).not.toContain("secret");
    expect(copy.retention).toEqual({ removed_messages: 1, removed_before: expect.any(String) });
    const own = (await ann.get("/api/user/ann/export")).body;
    const place = own.memberships.find((each: { channel_id: number }) => each.channel_id === id);
    expect(place.retention).toEqual(copy.retention);
    const { epoch } = (await socket.next("session:ready")).data as { epoch: string };
    const again = await socket.ask("channel:join", { channel_id: id, after_seq: old.body.seq - 1, epoch });
    expect(again.data).toMatchObject({ recovered: false });
    expect(joined.event).toBe("ack");
  });

  test("lets a message of each kind of sender expire", async () => {
    const { id, slug } = await newChannel(ann);
    const scout = await server.agent("Brief");
    await using socket = await LiveSocket.open(server.url, ann.credential);
    await socket.ask("channel:join", { channel_id: id });
    await scout.post("/api/agenthub/login", { channel_slug: slug, agent_name: "Brief" });
    const sent = [
      (await ann.post("/api/messages", { channel_id: id, content: "by REST", expires_in: 60 })).body,
      (await socket.ask("message:send", { channel_id: id, content: "by socket", expires_in: 90 })).data,
      (await scout.post("/api/agenthub/send", { channel_slug: slug, message: "by an agent", expires_in: 120 })).body,
    ] as { message_id: number }[];
    const { messages } = (await ann.get(`/api/messages?channel_id=${id}`)).body;
    const lives: number[] = messages.map(
      (one: { expires_at: string; created_at: string }) => Date.parse(one.expires_at) - Date.parse(one.created_at),
    );
    expect(lives.map((ms) => Math.round(ms / 10_000))).toEqual([6, 9, 12]);
    await ann.post("/api/messages", { channel_id: id, content: "stays" });
    clock.ahead += 120_000;
    await expirePass(server.ctx);
    expect(await texts(id)).toEqual(["stays"]);
    for (const { message_id } of sent)
      await socket.find(
        ({ event, data }) => event === "message:delete" && (data as { message_id: number }).message_id === message_id,
      );
    const { body } = await ann.get(`/api/messages?channel_id=${id}&ids=${sent[0]?.message_id}`);
    expect(body.messages).toEqual([]);
  });

  test.each([59, 2_592_001, 1.5, "60"])("refuses to let a message expire in %p seconds", async (expires_in) => {
    const { id } = await newChannel(ann);
    const { status, body } = await ann.post("/api/messages", { channel_id: id, content: "x", expires_in });
    expect([status, body.code]).toEqual([400, "invalid_request"]);
  });

  test("counts as unread only what is left", async () => {
    const { id } = await newChannel(ann);
    await bob.post(`/api/channels/${id}/join`, {});
    for (const content of ["one", "two"]) await ann.post("/api/messages", { channel_id: id, content });
    clock.ahead += 3 * DAY;
    await ann.post("/api/messages", { channel_id: id, content: "three" });
    const unread = async () => (await bob.get(`/api/channels/${id}`)).body.channel.unread_count;
    expect(await unread()).toBe(3);
    await ann.put(`/api/channels/${id}`, { retention_days: 3 });
    await purge();
    expect(await unread()).toBe(1);
  });
});
